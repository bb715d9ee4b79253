"""Experiment `growth`: simulated clusters of up to 1,024 nodes that steal from each other, on today's networks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.head import Tuning
from outflank.errors import InvalidOption, UnknownName
from outflank.games.evaluation import evaluation_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option, tasks_at_a_time
from outflank.lab.experiment_boards import board_named
from outflank.lab.experiment_report import Sample, sample_shape
from outflank.lab.measuring.search_log import log_result, search
from outflank.lab.simulation.growth_report import conclude
from outflank.lab.simulation.networks import NETWORKS, network_costs
from outflank.lab.simulation.stealing_search import ENTRY_DEPTH, Replication, StealingCluster
from outflank.search.request import Limits, Stop
from outflank.search.table import FEWEST_BITS, check_bits
from outflank.validation.documents import Count, Measured, Several
from outflank.validation.values import Kind, Shape

BATCH = 64
"""Number of table entries in an update."""

SERIAL_MOVES = (1, 2, 0)
"""Moves that a node searches itself before it offers the others: at an open window, where a cut-off is expected, and
where none is expected. From `midgame` to depth 13, at threshold 5, 16 nodes with a distributed table are 9.7 times as
fast as one. With (1, 1, 1) they are 9.5 times as fast and enter more tree nodes. With (2, 2, 1) they are 9.1 times as
fast, because they are idle for 21 % of the time instead of 16 %."""

TABLES = ("private", "distributed")
"""Kinds of tables: each node has a private table, or also a part of a distributed one."""

SHAPES: dict[str, dict[str, Kind]] = {
    "alone": {"boards": Several, "seconds": Measured},
    "simulated": {
        **dict.fromkeys(("network", "tables"), str),
        "replicated": Count,
        "round": Several,
        "boards": Several,
        "seconds": Measured,
        **dict.fromkeys(("count", "threshold"), Several),
        **dict.fromkeys(("useful", "sending", "receiving", "looking up", "idle"), float),
        **dict.fromkeys(("tried", "won", "aborted", "entries"), Count),
    },
    "real": {**dict.fromkeys(("count", "threshold", "round", "boards"), Several), "won": Count},
}
"""Types of the fields of a sample, by the value of its field `what`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthParameters(Parameters):
    """Parameters of the experiment `growth`."""

    positions: tuple[str, ...] = option(("midgame",), "Positions, by name or in any notation.")
    depths: tuple[int, ...] = option((10, 11, 12), "Plies. Three or more depths show what a longer search gains.")
    nodes: tuple[int, ...] = option((2, 16, 64, 256, 1024), "Numbers of simulated nodes.")
    networks: tuple[str, ...] = option(("infiniband",), f"Networks: {', '.join(NETWORKS)}.")
    algorithm: Literal["pvs", "mtdf"] = option("pvs", "pvs or mtdf.")
    thresholds: tuple[int, ...] = option(
        (5,), "Positions with so many plies left, or fewer, are not divided; the best is taken."
    )
    tables: tuple[str, ...] = option(
        ("distributed",),
        "private: each node has a table; distributed: also a part of a common table, for divided positions; "
        "the best is taken.",
    )
    replicated: tuple[int, ...] = option(
        (0,),
        "Least depth of table entries that nodes with private tables send to all others, 0: they send none; the best "
        "is taken.",
    )
    board: float = option(0.25, "Microseconds of a tree node.")
    hours: float = option(1.0, "Duration of the search, by one worker, to which results are extrapolated.")
    rounds: int = option(1, "Times that each cluster is simulated, with other seeds.")
    real: tuple[int, ...] = option((2,), "Numbers of real nodes, threads of this process, to compare with.")
    evaluation: str | None = option(None, "By name.  [the game's]")
    table_bits: int = option(20, "32 · 2^BITS bytes for the table of each node, at most.")
    all_bits: int = option(25, "32 · 2^BITS bytes for the tables of all simulated nodes, at most.")
    one_table_bits: int = option(22, "32 · 2^BITS bytes for the table of one worker.")

    def __post_init__(self) -> None:
        super(GrowthParameters, self).__post_init__()
        for bits in (self.one_table_bits, self.table_bits, self.all_bits):
            # A distributed table has up to twice as many entries as all tables of the nodes.
            check_bits(bits, tables=tasks_at_a_time() * (3 if bits == self.all_bits else 1))
        for network in self.networks:
            network_costs(network, self.board)
        for tables in self.tables:
            if tables not in TABLES:
                raise UnknownName.among("kind of tables", tables, TABLES)
        for position in self.positions:
            board = board_named(position)
            if self.evaluation is not None:
                evaluation_named(board.game, self.evaluation)
        if min((*self.thresholds, *self.nodes)) < 1 or self.board <= 0 or self.hours <= 0:
            raise InvalidOption("thresholds, nodes, board and hours: more than 0 each")

    def unused(self) -> tuple[str, ...]:
        return () if "private" in self.tables else ("replicated",)

    @property
    def search_options(self) -> dict[str, Any]:
        """Options of all searches."""
        return {"algorithm": self.algorithm, "evaluation": self.evaluation}

    def node_bits(self, count: int) -> int:
        """Return the index bits of each node's table. The tables of all `count` nodes share this machine's memory."""
        return max(FEWEST_BITS, min(self.table_bits, self.all_bits - (count - 1).bit_length()))


class Growth(Experiment[GrowthParameters]):
    """Simulates clusters of many nodes, which steal from each other."""

    name = "growth"
    question = "How many nodes does a search keep busy on today's networks, and what limits it?"
    reports = ("000",)
    parameters = GrowthParameters

    def tasks(self, parameters: GrowthParameters) -> Sequence[Task]:
        tasks: list[Task] = []
        for position in parameters.positions:
            for depth in parameters.depths:
                name = f"{position} to depth {depth}"
                cost = 4.0 ** (depth - max(parameters.depths)) if depth > 0 else 1.0
                alone = partial(_search_alone, parameters, position, depth)
                tasks.append(Task(f"{name} alone", alone, cost, timed=False))
                tasks += [
                    Task(
                        f"{name}, {network}, nodes {count}, threshold {threshold}, {tables} tables, from {replicated}, "
                        f"seed {seed}",
                        partial(
                            _simulate, parameters, position, depth, network, count, threshold, tables, replicated, seed
                        ),
                        4 * cost,
                        timed=False,
                    )
                    for network in parameters.networks
                    for count in parameters.nodes
                    for threshold in parameters.thresholds
                    for tables in parameters.tables
                    for replicated in (parameters.replicated if tables == "private" else (0,))
                    for seed in range(1, parameters.rounds + 1)
                ]
                tasks += [
                    Task(
                        f"{name}, {count} real nodes, threshold {threshold}, round {number}",
                        partial(_search_real, parameters, position, depth, count, threshold, number),
                        2 * cost,
                    )
                    for count in parameters.real
                    for threshold in parameters.thresholds
                    for number in range(1, parameters.rounds + 1)
                ]
        return tasks

    def shape(self, parameters: GrowthParameters, sample: Sample) -> Shape:
        what = sample.get("what")
        names = SHAPES[what] if isinstance(what, str) and what in SHAPES else {}
        return sample_shape(names, what=Literal[*SHAPES], position=str, depth=Several, value=int)

    def conclude(self, parameters: GrowthParameters, samples: Sequence[Sample]) -> Conclusion:
        return conclude(samples, board=parameters.board, seconds=3600 * parameters.hours)


def _search_alone(parameters: GrowthParameters, position: str, depth: int, stop: Stop) -> list[Sample]:
    options = {**parameters.search_options, "table_bits": parameters.one_table_bits}
    result = search(board_named(position), Limits(depth=depth), stop=stop, workers=1, **options)
    if stop.called:
        return []
    return [
        {
            "what": "alone",
            "position": position,
            "depth": depth,
            "value": result.value,
            "boards": result.nodes,
            "seconds": result.seconds,
        }
    ]


def _simulate(
    parameters: GrowthParameters,
    position: str,
    depth: int,
    network: str,
    count: int,
    threshold: int,
    tables: str,
    replicated: int,
    seed: int,
    stop: Stop,
) -> list[Sample]:
    cluster = StealingCluster(
        board_named(position),
        nodes=count,
        threshold=threshold,
        costs=network_costs(network, parameters.board),
        replication=Replication(depth=max(replicated, ENTRY_DEPTH), batch=BATCH) if replicated else None,
        distributed_table=tables == "distributed",
        order="in order",
        serial_moves=SERIAL_MOVES,
        seed=seed,
        table_bits=parameters.node_bits(count),
        **parameters.search_options,
    )
    totals = cluster.search(depth, stop=stop)
    if totals is None:
        return []
    return [
        {
            "what": "simulated",
            "position": position,
            "depth": depth,
            "network": network,
            "count": count,
            "threshold": threshold,
            "tables": tables,
            "replicated": replicated,
            "round": seed,
            "value": totals.value,
            "boards": totals.boards,
            "seconds": totals.seconds,
            "useful": totals.useful_seconds,
            "sending": totals.sending_seconds,
            "receiving": totals.receiving_seconds,
            "looking up": totals.lookup_seconds,
            "idle": totals.idle_seconds,
            "tried": totals.steals_tried,
            "won": totals.steals_won,
            "aborted": totals.aborted,
            "entries": totals.entries_sent,
        }
    ]


def _search_real(
    parameters: GrowthParameters, position: str, depth: int, count: int, threshold: int, number: int, stop: Stop
) -> list[Sample]:
    board = board_named(position)
    options = {
        **parameters.search_options,
        "table_bits": parameters.node_bits(count),
        "threshold": threshold,
        "workers": 1,
    }
    with Cluster(InsideFabric(count), tuning=Tuning(alone_seconds=0.0)) as cluster:
        result = cluster.search(
            board, Limits(depth=depth), stop=stop, parallel="stealing", replication="none", **options
        )
    if stop.called:
        return []
    log_result(board, result, options)
    return [
        {
            "what": "real",
            "position": position,
            "depth": depth,
            "count": count,
            "threshold": threshold,
            "round": number,
            "value": result.value,
            "boards": result.nodes,
            "won": sum(worker.steals_won for worker in result.workers),
        }
    ]
