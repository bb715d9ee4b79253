"""Experiment `growth`: simulated clusters of up to 1,024 nodes that steal from each other, on today's networks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.head import Tuning
from outflank.errors import InvalidOption
from outflank.games.evaluation import evaluation_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option, tasks_at_a_time
from outflank.lab.experiment_boards import board_named
from outflank.lab.experiment_report import Sample, sample_shape
from outflank.lab.measuring.search_log import log_result, search
from outflank.lab.simulation.growth_report import conclude
from outflank.lab.simulation.networks import NETWORKS, network_costs
from outflank.lab.simulation.stealing_search import ENTRY_DEPTH, Replication, StealingCluster
from outflank.search.request import Limits, Stop
from outflank.search.table import check_bits
from outflank.validation.documents import Count, Measured, Several
from outflank.validation.values import Kind, Shape

BATCH = 64
"""Number of table entries in an update."""

SHAPES: dict[str, dict[str, Kind]] = {
    "alone": {"boards": Several, "seconds": Measured},
    "simulated": {
        "network": str,
        "replicated": Count,
        "round": Several,
        "boards": Several,
        "seconds": Measured,
        **dict.fromkeys(("count", "threshold"), Several),
        **dict.fromkeys(("useful", "sending", "receiving", "idle"), float),
        **dict.fromkeys(("tried", "won", "aborted", "entries"), Count),
    },
    "real": {**dict.fromkeys(("count", "threshold", "round", "boards"), Several), "won": Count},
}
"""Types of the fields of a sample, by the value of its field `what`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthParameters(Parameters):
    """Parameters of the experiment `growth`."""

    positions: tuple[str, ...] = option(("midgame",), "Positions, by name or in any notation.")
    depths: tuple[int, ...] = option((9, 11, 13), "Plies. Three or more depths show what a longer search gains.")
    nodes: tuple[int, ...] = option((2, 16, 64, 256, 1024), "Numbers of simulated nodes.")
    networks: tuple[str, ...] = option(("ethernet",), f"Networks: {', '.join(NETWORKS)}.")
    thresholds: tuple[int, ...] = option((4,), "Plies left from which on a part is not divided; the best is taken.")
    replicated: tuple[int, ...] = option(
        (0,), "Least depth of table entries that nodes send to all others, 0: they send none; the best is taken."
    )
    board: float = option(0.25, "Microseconds of a tree node.")
    hours: float = option(1.0, "Duration of the search, by one worker, to which results are extrapolated.")
    rounds: int = option(1, "Times that each cluster is simulated, with other seeds.")
    real: tuple[int, ...] = option((2,), "Numbers of real nodes, threads of this process, to compare with.")
    evaluation: str | None = option(None, "By name.  [the game's]")
    table_bits: int = option(16, "32 · 2^BITS bytes for the table of each node.")

    def __post_init__(self) -> None:
        super(GrowthParameters, self).__post_init__()
        check_bits(self.table_bits, tables=tasks_at_a_time() * max(self.nodes, default=1))
        for network in self.networks:
            network_costs(network, self.board)
        for position in self.positions:
            board = board_named(position)
            if self.evaluation is not None:
                evaluation_named(board.game, self.evaluation)
        if min((*self.thresholds, *self.nodes)) < 1 or self.board <= 0 or self.hours <= 0:
            raise InvalidOption("thresholds, nodes, board and hours: more than 0 each")

    @property
    def search_options(self) -> dict[str, Any]:
        """Options of all searches."""
        return {"algorithm": "mtdf", "evaluation": self.evaluation, "table_bits": self.table_bits}


class Growth(Experiment[GrowthParameters]):
    """Simulates clusters of many nodes, which steal from each other and have private tables."""

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
                tasks.append(Task(f"{name} alone", partial(_search_alone, parameters, position, depth), cost))
                tasks += [
                    Task(
                        f"{name}, {network}, nodes {count}, threshold {threshold}, from {replicated}, seed {seed}",
                        partial(_simulate, parameters, position, depth, network, count, threshold, replicated, seed),
                        4 * cost,
                        timed=False,
                    )
                    for network in parameters.networks
                    for count in parameters.nodes
                    for threshold in parameters.thresholds
                    for replicated in parameters.replicated
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
    result = search(board_named(position), Limits(depth=depth), stop=stop, workers=1, **parameters.search_options)
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
        forward=True,
        seed=seed,
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
            "replicated": replicated,
            "round": seed,
            "value": totals.value,
            "boards": totals.boards,
            "seconds": totals.seconds,
            "useful": totals.useful_seconds,
            "sending": totals.sending_seconds,
            "receiving": totals.receiving_seconds,
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
    board, options = board_named(position), {**parameters.search_options, "threshold": threshold, "workers": 1}
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
