"""Costs of report 000's cluster, fitted to the tables that it published.

The report gives the boards and seconds of its sequential program, the time of its broadcasts by number of messages, and
the traffic of its steals. The rest is assumed, as the docstring of `REPORT_COSTS` says.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import linear_regression, mean

from outflank.errors import OutflankError, UnknownName
from outflank.lab.experiment_report import Sample
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.simulation.stealing_search import ENTRY_DEPTH, Costs, Replication
from outflank.validation.text import is_count


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line through published points, by least squares."""

    fixed: float
    slope: float
    points: tuple[tuple[float, float], ...]

    @classmethod
    def through(cls, points: Sequence[tuple[float, float]]) -> "Line":
        """Return the line through `points` with the least sum of squared errors."""
        xs, ys = zip(*points, strict=True)
        slope, fixed = linear_regression(xs, ys)
        return cls(fixed, slope, tuple(points))

    @property
    def errors(self) -> tuple[float, ...]:
        """Published value minus the value of the line, at each point."""
        return tuple(y - self.fixed - self.slope * x for x, y in self.points)


REPLICATION_NODES = 32
"""Number of processors in the report's table of replication depths."""

THRESHOLD_NODES = 64
"""Number of processors in the report's tables of thresholds."""

ETHERNET = 12.5
"""Bytes per microsecond of Fast Ethernet, the network below the report's TCP."""

ENTRY_BYTES = 24
"""Bytes of an entry in an update: the report's four integers of a board, and half as much for value, depth and move."""


def broadcast_line() -> Line:
    """Return the line of broadcast seconds over the number of messages, from the table of replication depths."""
    return Line.through([(row["broadcast_messages"], row["broadcast_s"]) for row in rows("000", "replication")])


def traffic_line() -> Line:
    """Return the line of bytes per idle second over the share of successful steals, from the tables of thresholds.

    Idle nodes send one request for a job after the other, so that bytes grow with idle time. Granted requests carry
    more bytes.
    """
    tables = [rows("000", f"threshold_{program}") for program in ("par", "par_rmi", "par_tuple")]
    return Line.through(
        [
            (row["steal_success_percent"] / 100, row["bytes"] / (THRESHOLD_NODES * row["overhead_s"]))
            for table in tables
            for row in table
        ]
    )


_ONE = rows("000", "speedup")[0]
_FLAT_SECONDS = mean((_ONE["par_total_s"], _ONE["par_rmi_total_s"]))

TUPLE_SLOWDOWN: float = _ONE["par_tuple_total_s"] / _FLAT_SECONDS
"""Time of `par_tuple` on one processor, divided by the mean time of the programs with flat tables."""

SPAWNS_OF_ONE = 110_000
"""Estimated number of jobs that one node spawns at threshold 5 in a search of the report's number of boards. It is
scaled from the experiment `stealing`, which counts 198,267 jobs for 99.2 million boards at depth 17."""

REPORT_COSTS = Costs(
    board=1e6 * _ONE["seq_total_s"] / fact("000", "boards_seq"),
    spawn=1e6 * (_FLAT_SECONDS - _ONE["seq_total_s"]) / SPAWNS_OF_ONE,
    latency=500.0,
    send=1e6 * broadcast_line().slope / (REPLICATION_NODES - 1),
    send_entry=ENTRY_BYTES / ETHERNET,
    receive=1e6 * broadcast_line().slope / (REPLICATION_NODES - 1),
    receive_entry=1.0,
)
"""Costs of a node of the report's cluster. The report's tables give the costs of a board, of a spawn and of sending a
message. The cost of sending an entry follows from the bandwidth of Fast Ethernet. We assume that receiving a message
costs as much as sending it, and that receiving an entry takes a microsecond. With the assumed latency, 7 % of the
steals of `par_tuple` succeed at threshold 5, as in the report; by `traffic_line`, a refused request then has some 30
bytes."""

MYRINET = replace(
    REPORT_COSTS,
    latency=REPORT_COSTS.latency / 5,
    send=REPORT_COSTS.send / 5,
    receive=REPORT_COSTS.receive / 5,
    send_entry=ENTRY_BYTES / 100.0,
)
"""Costs on Myrinet, which the report could not use: 100 MB/s, and a fifth of the costs of a message. Java programs of
that time reached both figures."""

PROGRAMS: dict[str, Replication | None] = {
    "par": None,
    "par_rmi": Replication(depth=ENTRY_DEPTH, batch=10_000, waits=True),
    "par_tuple": Replication(depth=7),
    "gmi": Replication(depth=7),
}
"""Report 000's parallel programs, with the entries that they replicate. `gmi`, which the report did not finish,
replicates the entries of `par_tuple`, but has flat tables like the others."""


def program_named(text: str) -> tuple[str, Replication | None]:
    """Return the name of a program and its replication from text such as `par_tuple:depth=9`.

    >>> program_named("par_rmi:batch=1000")[1].batch
    1000
    """
    name, _, rest = text.partition(":")
    if name not in PROGRAMS:
        raise UnknownName.among("program", name, tuple(PROGRAMS))
    replication = PROGRAMS[name]
    for item in filter(None, rest.split(",")):
        key, _, number = item.partition("=")
        if replication is None or key not in ("depth", "batch", "waits") or not is_count(number):
            raise OutflankError(f"program {text!r}: {name} with depth=, batch= or waits= and a number")
        if key == "waits":
            replication = replace(replication, waits=bool(int(number)))
        elif key == "depth":
            replication = replace(replication, depth=max(ENTRY_DEPTH, int(number)))
        else:
            replication = replace(replication, batch=max(1, int(number)))
    return name, replication


def costs_of(name: str, costs: Costs) -> Costs:
    """Return the costs of a program: `par_tuple` has slower tables."""
    return replace(costs, board=costs.board * TUPLE_SLOWDOWN) if name == "par_tuple" else costs


def steal_bytes(tried: int, won: int, latency: float) -> int:
    """Return the bytes of all requests for a job, by `traffic_line`. A request takes twice the latency (in µs)."""
    line = traffic_line()
    return round(2e-6 * latency * (line.fixed * tried + line.slope * won))


def fit_rows() -> list[Sample]:
    """Return a row for each point of the fitted lines, with its error."""
    lines = {
        "seconds of broadcasts, by messages": broadcast_line(),
        "bytes per idle second, by share of successful steals": traffic_line(),
    }
    return [
        {
            "fit": name,
            "line": f"{line.fixed:.4g} + {line.slope:.4g} x",
            "x": x,
            "published": y,
            "line at x": y - error,
            "error": f"{error / y:+.1%}",
        }
        for name, line in lines.items()
        for (x, y), error in zip(line.points, line.errors, strict=True)
    ]
