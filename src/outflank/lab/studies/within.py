"""Experiment `within`: parallel move generation, flipping and evaluation inside a node, as report 002 proposes."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import numpy as np

from outflank.games.rules import MOVE, most_moves
from outflank.kernels.atomics import store
from outflank.kernels.bits import U64
from outflank.kernels.workers import run_workers
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_boards import POSITIONS, StudyPosition, study_positions
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.node_work import (
    BY_DIRECTIONS,
    BY_SQUARES,
    IN_LANES,
    NOTHING,
    OPERATIONS,
    TIMED,
    VALUE,
    WAYS,
    help_out,
    lead,
    new_desk,
    one_by_one,
    side_by_side,
)
from outflank.lab.measuring.search_log import log_search
from outflank.lab.measuring.search_samples import alternating, grouped, number
from outflank.lab.studies.hashing import walk
from outflank.machine import usable_cores
from outflank.othello.rules import legal
from outflank.search.many_endings import Words
from outflank.search.request import Stop
from outflank.validation.documents import Duration, Measured, Several
from outflank.validation.values import Between, Shape

TWO = "two workers"
AFTER, BESIDE = "one after the other", "side by side"
"""Order of timed calls: each call waits for the result of the previous one, or all calls are independent."""

AT_LEAST_SECONDS = 0.02
"""Least duration of a measurement in seconds. Shorter ones are too noisy."""

TOGETHER_SECONDS = 0.1
"""Duration in seconds of a measurement with two workers. Only its quickest calls count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinParameters(Parameters):
    """Parameters of the experiment `within`."""

    positions: tuple[str, ...] = option(("start", "midgame"), POSITIONS)
    boards: Annotated[int, Between(TIMED, 1 << 20)] = option(200, "Boards near each position for the calls.")
    rounds: int = option(5, "Times that each way is measured.")

    def __post_init__(self) -> None:
        super(WithinParameters, self).__post_init__()
        study_positions("othello", self.positions)


class Within(Experiment[WithinParameters]):
    """Measures the gain from vector lanes, and from two workers, inside a node."""

    name = "within"
    question = "What do lanes, or two workers, gain inside a node: in move generation, flipping, evaluation?"
    reports = ("002",)
    parameters = WithinParameters

    def tasks(self, parameters: WithinParameters) -> Sequence[Task]:
        return [
            Task(f"{place.name}, round {round_}", partial(_measure_position, place, parameters.boards, round_))
            for round_, place in alternating(study_positions("othello", parameters.positions), parameters.rounds)
        ]

    def shape(self, parameters: WithinParameters, sample: Sample) -> Shape:
        return sample_shape(
            position=str,
            operation=Literal[*OPERATIONS],
            way=Literal[*WAYS, TWO],
            order=Literal[AFTER, BESIDE],
            round=Several,
            calls=Several,
            seconds=Measured,
            nanoseconds=Duration,
            found=str,
        )

    def conclude(self, parameters: WithinParameters, samples: Sequence[Sample]) -> Conclusion:
        notes: list[str] = []
        costs, independent_costs = call_costs(samples, AFTER), call_costs(samples, BESIDE)
        lines = [
            _line(operation, way, costs, independent_costs)
            for operation in OPERATIONS[1:]
            for way in (*WAYS, TWO)
            if (operation, way) in costs
        ]
        # Every call of two workers includes a hand-over: the fastest call bounds the cost of a hand-over from above.
        hand_over = min((cost for (_, way), cost in costs.items() if way == TWO), default=None)
        for operation in OPERATIONS[1:]:
            plain, lanes = costs.get((operation, _baseline_way(operation))), costs.get((operation, WAYS[IN_LANES]))
            two_workers = costs.get((operation, TWO))
            if plain and lanes and hand_over and two_workers:
                answer = "that is a gain" if two_workers < lanes else "nothing is gained there"
                notes.append(
                    f"{operation.capitalize()}: lanes are {plain / lanes:.2f} times as fast as "
                    f"{_baseline_way(operation)}. To hand half a call to a second worker and wait for it costs "
                    f"{hand_over:,.0f} ns, {hand_over / lanes:,.1f} times the whole call in lanes; two workers take "
                    f"{two_workers:,.0f} ns for what one does in {lanes:,.1f}: {answer}."
                )
        if usable_cores() < 2:
            notes.append("There is one core: two workers took turns, and their times say nothing.")
        differing = _differing(samples)
        if differing:
            notes.append(f"Not all ways find the same: {', '.join(differing)}.")
        series = [
            Series(
                name=way,
                points=tuple(
                    (str(operation), cost)
                    for (operation, call_way), cost in costs.items()
                    if call_way == way and cost > 0
                ),
            )
            for way in (*WAYS, TWO)
        ]
        plot = Plot(
            title="inside a node: what a call takes",
            x="operation",
            y="time of a call (ns)",
            kind="bars",
            log_y=True,
            series=tuple(series),
            caption="Nothing is the loop itself; for two workers, the hand-over alone.",
        )
        return Conclusion(
            tables=(
                ReportTable.of(
                    "inside a node",
                    lines,
                    notes=(
                        "Processor time of one worker, clock time of two; the least of all rounds in each position, "
                        "then the mean over the positions (of two workers, the least of all). The loop around a "
                        "call is taken off. A search is between the two: a call waits for the one before, or not.",
                        "Lanes are all directions side by side in vectors; for an evaluation, whole boards at once.",
                    ),
                ),
                _by_position(samples),
            ),
            figures=(plot,),
            notes=tuple(notes),
            passed=not differing,
        )


Costs = dict[tuple[Cell, ...], float]
"""Nanoseconds of a call, by operation and by implementation."""


def call_costs(samples: Sequence[Sample], order: str) -> Costs:
    """Return the cost of a call by operation and implementation.

    It is the mean over positions of the least cost in each position, because noise only adds time. With two workers, it
    is the least cost in any position.
    """
    costs = {}
    for key, group in grouped([row for row in samples if row["order"] == order], "operation", "way").items():
        places = grouped(group, "position").values()
        least = [min(number(row["nanoseconds"]) for row in rows) for rows in places]
        costs[key] = min(least) if key[1] == TWO else statistics.mean(least)  # a hand-over costs the same everywhere
    return costs


def _baseline_way(operation: str) -> str:
    """Return the name of the implementation with which `lanes` is compared.

    It is `direction by direction`, or `square by square` for evaluation, which has no directions.
    """
    return WAYS[BY_SQUARES] if operation == OPERATIONS[VALUE] else WAYS[BY_DIRECTIONS]


def _line(operation: str, way: str, costs: Costs, independent_costs: Costs) -> Sample:
    cost, independent_cost = costs[operation, way], independent_costs.get((operation, way))
    squares, lanes = costs.get((operation, WAYS[BY_SQUARES])), costs.get((operation, WAYS[IN_LANES]))
    return {
        "operation": operation,
        "way": way,
        "a call after another (ns)": cost,
        "a call beside others (ns)": independent_cost,
        "times as fast as square by square": squares / cost if squares and cost else None,
        "times as fast as lanes": lanes / cost if lanes and cost else None,
    }


def _by_position(samples: Sequence[Sample]) -> ReportTable:
    rows: list[Sample] = []
    chained = [sample for sample in samples if sample["order"] == AFTER]
    for (position, operation), group in grouped(chained, "position", "operation").items():
        row: Sample = {"position": position, "operation": operation}
        for (way,), way_samples in grouped(group, "way").items():
            row[f"{way} (ns)"] = min(number(sample["nanoseconds"]) for sample in way_samples)
        rows.append(row)
    return ReportTable.of("inside a node, by position", rows)


def _differing(samples: Sequence[Sample]) -> list[str]:
    return [
        f"{operation} near {position}"
        for (position, operation), group in grouped(samples, "position", "operation").items()
        if len({sample["found"] for sample in group}) > 1
    ]


def _ways(operation: int) -> tuple[int, ...]:
    """Return the implementations of an operation that one worker can run."""
    if operation == NOTHING:
        return (IN_LANES,)
    return (BY_SQUARES, IN_LANES) if operation == VALUE else (BY_SQUARES, BY_DIRECTIONS, IN_LANES)


def boards_near(place: StudyPosition, limit: int) -> tuple[Words, Words, Words]:
    """Return own discs, opponent's discs and a legal square of up to `limit` boards, as few plies below as possible."""
    board = place.board
    game, depth = board.game, 0
    moves = np.zeros(64 * most_moves(game), MOVE)
    owns, opps = np.zeros(limit, np.uint64), np.zeros(limit, np.uint64)
    count = 0
    while count < limit and depth < 12:
        depth += 1
        count = max(count, walk(game, board.position, depth, moves, 0, owns, opps, 0))
    log_search(board, depth, algorithm="walk")
    owns, opps = owns[:count], opps[:count]
    legal_squares = [int(legal(own, opp)) & int(game.mask) for own, opp in zip(owns, opps, strict=True)]
    movable = np.array([bool(square_set) for square_set in legal_squares])
    first_squares = np.array([square_set & -square_set for square_set in legal_squares if square_set], np.uint64)
    return owns[movable].copy(), opps[movable].copy(), first_squares


def _measure_position(place: StudyPosition, boards: int, round_: int, stop: Stop) -> list[Sample]:
    words = boards_near(place, boards)
    timed: dict[tuple[int, str, str], tuple[int, float, int]] = {}
    for operation in range(len(OPERATIONS)):
        for way in _ways(operation):
            timed[operation, WAYS[way], AFTER] = _time_calls(partial(_call_chained, operation, way), words)
            timed[operation, WAYS[way], BESIDE] = _time_calls(partial(side_by_side, operation, way), words)
        timed[operation, TWO, AFTER] = _time_two_workers(operation, *words, stop)
    samples: list[Sample] = []
    for (operation, way_name, order), (calls, seconds, checksum) in timed.items():
        loop_calls, loop_seconds, _ = timed[NOTHING, WAYS[IN_LANES], order]
        loop_cost = loop_seconds / loop_calls if operation != NOTHING else 0.0
        samples.append(
            {
                "position": place.name,
                "operation": OPERATIONS[operation],
                "way": way_name,
                "order": order,
                "round": round_,
                "calls": calls,
                "seconds": seconds,
                "nanoseconds": max(0.0, 1e9 * (seconds / calls - loop_cost)),
                "found": f"{checksum:016x}",
            }
        )
    return samples


def _call_chained(operation: int, way: int, times: int, owns: Words, opps: Words, discs: Words) -> int:
    return int(one_by_one(operation, way, times, owns, opps, discs, U64(0)))


def _time_calls(calls: Callable[..., int], words: tuple[Words, Words, Words]) -> tuple[int, float, int]:
    """Return the number of calls, their processor seconds, and a checksum of their results."""
    calls(1, *(array[:1] for array in words))  # compiles
    repeats = 1
    while True:
        began = time.thread_time()
        checksum = int(calls(repeats, *words))
        seconds = time.thread_time() - began
        if seconds >= AT_LEAST_SECONDS:
            return repeats * len(words[0]), seconds, checksum
        repeats *= 2


def _time_two_workers(operation: int, owns: Words, opps: Words, discs: Words, stop: Stop) -> tuple[int, float, int]:
    """Return the number of calls, the seconds and the checksum of the fastest calls that two workers shared."""
    desk = new_desk()

    def halt() -> None:
        store(desk, "over", 1)

    stop.add_listener(halt)
    try:
        run_workers(
            _call,
            [
                (lead, operation, desk, owns, opps, discs, U64(0), int(1e9 * TOGETHER_SECONDS)),
                (help_out, operation, desk),
            ],
            stop=halt,
            every_seconds=0.002,
        )
    finally:
        stop.remove_listener(halt)
    return TIMED, float(desk.spent) / 1e9, int(desk.found)


def _call(kernel: Callable[..., int], *arguments: object) -> int:
    return int(kernel(*arguments))
