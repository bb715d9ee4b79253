"""Experiment `stealing`: a simulation of report 000's programs on its cluster, whose nodes steal jobs from each other.

Each node has its own table.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Literal

from outflank.errors import InvalidOption
from outflank.games.description import game_named
from outflank.games.evaluation import evaluation_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_boards import board_named
from outflank.lab.experiment_report import Sample, sample_shape
from outflank.lab.measuring.search_log import search
from outflank.lab.report_programs.classroom import REPORT_000
from outflank.lab.report_programs.measured_programs import GAME_OF, game_of
from outflank.lab.simulation.report_costs import PROGRAMS, REPORT_COSTS, costs_of, program_named, steal_bytes
from outflank.lab.simulation.stealing_report import conclude
from outflank.lab.simulation.stealing_search import EVALUATION, Costs, StealingCluster, StealingTotals
from outflank.search.keywords import SearchArguments
from outflank.search.ordering import ordering_named
from outflank.search.request import Limits, Stop
from outflank.validation.documents import Count, Measured, Several
from outflank.validation.values import Kind, Shape

SHAPES: dict[str, dict[str, Kind]] = {
    "alone": {"value": int, "boards": Several},
    "simulated": {
        "program": str,
        "threshold": Several,
        "count": Several,
        "round": Several,
        "value": int,
        "boards": Several,
        "seconds": Measured,
        **dict.fromkeys(("useful", "sending", "receiving", "idle", "hit_share"), float),
        **dict.fromkeys(("spawns", "tried", "won", "aborted", "updates", "entries", "foreign_hits", "bytes"), Count),
    },
}
"""Types of the fields of a sample, by the value of its field `what`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StealingParameters(Parameters):
    """Parameters of the experiment `stealing`."""

    positions: tuple[str, ...] = option(("start",), "Positions, by name or in any notation.")
    depth: int = option(15, "Plies.")
    thresholds: tuple[int, ...] = option((5,), "Plies left from which on a part is not divided.")
    nodes: tuple[int, ...] = option((1, 4, 16, 64), "Numbers of simulated nodes.")
    programs: tuple[str, ...] = option(
        tuple(PROGRAMS), "par, par_rmi, par_tuple, gmi; with other entries: par_tuple:depth=9, par_rmi:batch=1000."
    )
    rounds: int = option(1, "Times that each cluster is simulated, with other seeds.")
    forward: bool = option(False, "Spawn moves in their order; otherwise in the reverse order, as report 000 does.")
    evaluation: str = option(
        EVALUATION, "By name. With the usual one, trees have about the sizes that report 000 prints."
    )
    ordering: str | None = option(None, "Another ordering, by name.  [report 000's]")
    board: float = option(round(REPORT_COSTS.board, 2), "Microseconds of a board.")
    spawn: float = option(round(REPORT_COSTS.spawn, 1), "Microseconds of a spawn.")
    latency: float = option(REPORT_COSTS.latency, "Microseconds of a message, one way.")
    send: float = option(
        round(REPORT_COSTS.send, 2), "Microseconds that an update takes its sender, for each receiver."
    )
    send_entry: float = option(REPORT_COSTS.send_entry, "Microseconds in addition for each entry of it.")
    receive: float = option(round(REPORT_COSTS.receive, 2), "Microseconds that an update takes its receiver.")
    receive_entry: float = option(REPORT_COSTS.receive_entry, "Microseconds in addition for each entry of it.")
    table_bits: int = option(18, "32 · 2^BITS bytes for the table of each node.")

    def __post_init__(self) -> None:
        super(StealingParameters, self).__post_init__()
        for program in self.programs:
            program_named(program)
        for position in self.positions:
            board = board_named(position)
            if game_of(board) != GAME_OF["000"]:
                raise InvalidOption(f"position {position}: report 000 plays {game_named(GAME_OF['000']).title} alone")
            evaluation_named(board.game, self.evaluation)
            if self.ordering is not None:
                ordering_named(board.game, self.ordering)
        if min(self.thresholds) < 1 or min(self.nodes) < 1 or self.latency <= 0:
            raise InvalidOption("thresholds, nodes and latency: more than 0 each")

    def unused(self) -> tuple[str, ...]:
        sent = [replication for _, replication in map(program_named, self.programs) if replication is not None]
        if not sent or max(self.nodes) == 1:
            return ("send", "send_entry", "receive", "receive_entry")
        return ()

    @property
    def costs(self) -> Costs:
        """Costs on the simulated machine, before `costs_of` adapts them to a program."""
        return Costs(
            board=self.board,
            spawn=self.spawn,
            latency=self.latency,
            send=self.send,
            send_entry=self.send_entry,
            receive=self.receive,
            receive_entry=self.receive_entry,
        )

    @property
    def search_options(self) -> SearchArguments:
        """Options of all searches: report 000's program, with the parts that the user replaced."""
        ordering: SearchArguments = {} if self.ordering is None else {"ordering": self.ordering}
        return {**REPORT_000, **ordering, "evaluation": self.evaluation, "table_bits": self.table_bits}


class Stealing(Experiment[StealingParameters]):
    """Simulates report 000's cluster: nodes that steal jobs from each other, private tables, and four programs."""

    name = "stealing"
    question = "What would report 000's programs do on its own cluster: which is fastest, with which choices, and why?"
    reports = ("000",)
    parameters = StealingParameters

    def tasks(self, parameters: StealingParameters) -> Sequence[Task]:
        tasks: list[Task] = []
        for position in parameters.positions:
            tasks.append(Task(f"{position} alone", partial(_search_alone, parameters, position), timed=False))
            tasks += [
                Task(
                    f"{position}, {program}, threshold {threshold}, nodes {count}, seed {seed}",
                    partial(_simulate, parameters, position, program, threshold, count, seed),
                    3.0 if count > 1 else 1.0,
                    timed=False,
                )
                for program in parameters.programs
                for threshold in parameters.thresholds
                for count in parameters.nodes
                for seed in range(1, parameters.rounds + 1)
            ]
        return tasks

    def shape(self, parameters: StealingParameters, sample: Sample) -> Shape:
        what = sample.get("what")
        names = SHAPES[what] if isinstance(what, str) and what in SHAPES else {}
        return sample_shape(names, what=Literal[*SHAPES], position=str)

    def conclude(self, parameters: StealingParameters, samples: Sequence[Sample]) -> Conclusion:
        return conclude(samples, board_seconds=parameters.board / 1e6, depth=parameters.depth)


def _search_alone(parameters: StealingParameters, position: str, stop: Stop) -> list[Sample]:
    limits = Limits(depth=parameters.depth)
    result = search(board_named(position), limits, stop=stop, workers=1, **parameters.search_options)
    if stop.called:
        return []
    return [{"what": "alone", "position": position, "value": result.value, "boards": result.nodes}]


def _simulate(
    parameters: StealingParameters, position: str, program: str, threshold: int, count: int, seed: int, stop: Stop
) -> list[Sample]:
    totals = _totals(parameters, position, program, threshold, count, seed, stop)
    if totals is None:
        return []
    return [
        {
            "what": "simulated",
            "position": position,
            "program": program,
            "threshold": threshold,
            "count": count,
            "round": seed,
            "value": totals.value,
            "boards": totals.boards,
            "seconds": totals.seconds,
            "useful": totals.useful_seconds,
            "sending": totals.sending_seconds,
            "receiving": totals.receiving_seconds,
            "idle": totals.idle_seconds,
            "spawns": totals.spawns,
            "tried": totals.steals_tried,
            "won": totals.steals_won,
            "aborted": totals.aborted,
            "updates": totals.updates,
            "entries": totals.entries_sent,
            "foreign_hits": totals.foreign_hits,
            "hit_share": totals.hits / max(1, totals.lookups),
            "bytes": steal_bytes(totals.steals_tried, totals.steals_won, parameters.latency),
        }
    ]


_known: dict[tuple[object, ...], StealingTotals] = {}
"""Totals of simulated searches. They are kept because several sections of a reproduction need the same searches, and
each search takes seconds to minutes."""
_locks: defaultdict[tuple[object, ...], Lock] = defaultdict(Lock)
"""Locks, by the keys of `_known`. A task that needs a search which another task is running waits for the result."""


def _totals(
    parameters: StealingParameters, position: str, program: str, threshold: int, count: int, seed: int, stop: Stop
) -> StealingTotals | None:
    """Return the totals of a simulated search, or None if `stop` is called."""
    name, replication = program_named(program)
    costs, options = costs_of(name, parameters.costs), parameters.search_options
    seed = seed if count > 1 else 1  # a node alone makes no random choice
    choices = (position, parameters.depth, threshold, count, seed, replication, parameters.forward)
    key = (*choices, costs, *options.items())
    with _locks[key]:
        if key not in _known:
            cluster = StealingCluster(
                board_named(position),
                nodes=count,
                threshold=threshold,
                costs=costs,
                replication=replication,
                order="forward" if parameters.forward else "reverse",
                seed=seed,
                **options,
            )
            totals = cluster.search(parameters.depth, stop=stop)
            if totals is None:
                return None
            _known[key] = totals
        return _known[key]
