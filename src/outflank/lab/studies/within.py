"""What is to be had inside a node: report 002 proposes to divide move generation, flipping and evaluation further."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from outflank.games.rules import MOVE, most_moves
from outflank.kernels.atomics import store
from outflank.kernels.bits import U64
from outflank.kernels.workers import run_workers
from outflank.kinds import Between, Duration, Measured, Several, Shape
from outflank.lab.boards import POSITIONS, Chosen, chosen_boards
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.measuring import alternating, grouped, number
from outflank.lab.node_work import (
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
from outflank.lab.report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.search_log import note
from outflank.lab.studies.hashing import walk
from outflank.machine import usable_cores
from outflank.othello.rules import legal
from outflank.search.contract import Stop

TWO = "two workers"
AFTER, BESIDE = "one after the other", "side by side"
"""Whether a call needs what the one before has found."""

AT_LEAST_SECONDS = 0.02
"""How long a way is measured in a round: less is the clock's luck."""

TOGETHER_SECONDS = 0.1
"""How long two workers have for a call that nobody disturbs."""

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinParameters(Parameters):
    """What is measured."""

    positions: tuple[str, ...] = option(("start", "midgame"), POSITIONS)
    boards: Annotated[int, Between(TIMED, 1 << 20)] = option(200, "Boards near each position for the calls.")
    rounds: int = option(5, "Times that each way is measured.")

    def __post_init__(self) -> None:
        super(WithinParameters, self).__post_init__()
        chosen_boards("othello", self.positions)


class Within(Experiment[WithinParameters]):
    """Lanes and workers inside a node."""

    name = "within"
    question = "What do lanes, or two workers, gain inside a node: in move generation, flipping, evaluation?"
    reports = ("002",)
    parameters = WithinParameters

    def tasks(self, chosen: WithinParameters) -> Sequence[Task]:
        return [
            Task(f"{place.name}, round {round_}", partial(_measured, place, chosen.boards, round_))
            for round_, place in alternating(chosen_boards("othello", chosen.positions), chosen.rounds)
        ]

    def shape(self, chosen: WithinParameters, sample: Sample) -> Shape:
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

    def conclude(self, chosen: WithinParameters, samples: Sequence[Sample]) -> Conclusion:
        notes: list[str] = []
        costs, at_once = _costs(samples, AFTER), _costs(samples, BESIDE)
        lines = [
            _line(operation, way, costs, at_once)
            for operation in OPERATIONS[1:]
            for way in (*WAYS, TWO)
            if (operation, way) in costs
        ]
        # Every call that is shared is handed over: the quickest of all tells what that costs at most.
        hand_over = min((cost for (_, way), cost in costs.items() if way == TWO), default=None)
        for operation in OPERATIONS[1:]:
            plain, lanes = costs.get((operation, _plain(operation))), costs.get((operation, WAYS[IN_LANES]))
            together = costs.get((operation, TWO))
            if plain and lanes and hand_over and together:
                answer = "that is a gain" if together < lanes else "nothing is gained there"
                notes.append(
                    f"{operation.capitalize()}: lanes are {plain / lanes:.2f} times as fast as {_plain(operation)}. "
                    f"To hand half a call to a second worker and wait for it costs {hand_over:,.0f} ns, "
                    f"{hand_over / lanes:,.1f} times the whole call in lanes; two workers take "
                    f"{together:,.0f} ns for what one does in {lanes:,.1f}: {answer}."
                )
        if usable_cores() < 2:
            notes.append("There is one core: two workers took turns, and their times say nothing.")
        differing = _differing(samples)
        if differing:
            notes.append(f"Not all ways find the same: {', '.join(differing)}.")
        each = [
            Series(
                name=way,
                points=tuple(
                    (str(operation), cost) for (operation, of), cost in costs.items() if of == way and cost > 0
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
            series=tuple(each),
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
"""Nanoseconds of a call, by operation and way."""


def _costs(samples: Sequence[Sample], calls: str) -> Costs:
    """The least in each position, for a call takes no less than it does; then the mean."""
    found = {}
    for key, each in grouped([one for one in samples if one["order"] == calls], "operation", "way").items():
        places = grouped(each, "position").values()
        least = [min(number(one["nanoseconds"]) for one in here) for here in places]
        found[key] = min(least) if key[1] == TWO else statistics.mean(least)  # a hand-over is the same everywhere
    return found


def _plain(operation: str) -> str:
    """What lanes are held against: one direction after the other, or one square where there are no directions."""
    return WAYS[BY_SQUARES] if operation == OPERATIONS[VALUE] else WAYS[BY_DIRECTIONS]


def _line(operation: str, way: str, costs: Costs, at_once: Costs) -> Sample:
    cost, free = costs[operation, way], at_once.get((operation, way))
    squares, lanes = costs.get((operation, WAYS[BY_SQUARES])), costs.get((operation, WAYS[IN_LANES]))
    return {
        "operation": operation,
        "way": way,
        "a call after another (ns)": cost,
        "a call beside others (ns)": free,
        "times as fast as square by square": squares / cost if squares and cost else None,
        "times as fast as lanes": lanes / cost if lanes and cost else None,
    }


def _by_position(samples: Sequence[Sample]) -> ReportTable:
    rows: list[Sample] = []
    chained = [sample for sample in samples if sample["order"] == AFTER]
    for (position, operation), found in grouped(chained, "position", "operation").items():
        row: Sample = {"position": position, "operation": operation}
        for (way,), each in grouped(found, "way").items():
            row[f"{way} (ns)"] = min(number(sample["nanoseconds"]) for sample in each)
        rows.append(row)
    return ReportTable.of("inside a node, by position", rows)


def _differing(samples: Sequence[Sample]) -> list[str]:
    return [
        f"{operation} near {position}"
        for (position, operation), found in grouped(samples, "position", "operation").items()
        if len({sample["found"] for sample in found}) > 1
    ]


def _ways(operation: int) -> tuple[int, ...]:
    """The ways in which one worker does it."""
    if operation == NOTHING:
        return (IN_LANES,)
    return (BY_SQUARES, IN_LANES) if operation == VALUE else (BY_SQUARES, BY_DIRECTIONS, IN_LANES)


def boards_near(place: Chosen, wanted: int) -> tuple[Words, Words, Words]:
    """Both colours of so many boards as near to a position as there are, and on each a square that can be played."""
    board = place.board
    game, depth = board.game, 0
    moves = np.zeros(64 * most_moves(game), MOVE)
    owns, opps = np.zeros(wanted, np.uint64), np.zeros(wanted, np.uint64)
    count = 0
    while count < wanted and depth < 12:
        depth += 1
        count = max(count, walk(game, board.position, depth, moves, 0, owns, opps, 0))
    note(board, depth, algorithm="walk")
    owns, opps = owns[:count], opps[:count]
    squares = [int(legal(own, opp)) & int(game.mask) for own, opp in zip(owns, opps, strict=True)]
    movable = np.array([bool(each) for each in squares])
    discs = np.array([each & -each for each in squares if each], np.uint64)
    return owns[movable].copy(), opps[movable].copy(), discs


def _measured(place: Chosen, boards: int, round_: int, stop: Stop) -> list[Sample]:
    words = boards_near(place, boards)
    timed: dict[tuple[int, str, str], tuple[int, float, int]] = {}
    for operation in range(len(OPERATIONS)):
        for way in _ways(operation):
            timed[operation, WAYS[way], AFTER] = _repeated(partial(_chained, operation, way), words)
            timed[operation, WAYS[way], BESIDE] = _repeated(partial(side_by_side, operation, way), words)
        timed[operation, TWO, AFTER] = _together(operation, *words, stop)
    samples: list[Sample] = []
    for (operation, way_, order), (calls, seconds, found) in timed.items():
        loop_calls, loop_seconds, _ = timed[NOTHING, WAYS[IN_LANES], order]
        taken_off = loop_seconds / loop_calls if operation != NOTHING else 0.0
        samples.append(
            {
                "position": place.name,
                "operation": OPERATIONS[operation],
                "way": way_,
                "order": order,
                "round": round_,
                "calls": calls,
                "seconds": seconds,
                "nanoseconds": max(0.0, 1e9 * (seconds / calls - taken_off)),
                "found": f"{found:016x}",
            }
        )
    return samples


def _chained(operation: int, way: int, times: int, owns: Words, opps: Words, discs: Words) -> int:
    return int(one_by_one(operation, way, times, owns, opps, discs, U64(0)))


def _repeated(calls: Callable[..., int], words: tuple[Words, Words, Words]) -> tuple[int, float, int]:
    """How many calls took how many seconds of the processor, and what they found."""
    calls(1, *(each[:1] for each in words))  # compiles
    times = 1
    while True:
        began = time.thread_time()
        found = int(calls(times, *words))
        spent = time.thread_time() - began
        if spent >= AT_LEAST_SECONDS:
            return times * len(words[0]), spent, found
        times *= 2


def _together(operation: int, owns: Words, opps: Words, discs: Words, stop: Stop) -> tuple[int, float, int]:
    """The quickest calls that two workers shared."""
    desk = new_desk()

    def halt() -> None:
        store(desk, "over", 1)

    stop.add_listener(halt)
    try:
        run_workers(
            _either,
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


def _either(kernel: Callable[..., int], *arguments: Any) -> int:
    return int(kernel(*arguments))
