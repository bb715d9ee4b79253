"""The share of minimax's time by function, as top-down and bottom-up tables.

A Python profiler cannot see into machine code, and timers inside machine code would cost more than the code that they
time. So the search counts its calls by remaining depth, and each kind of call is timed separately on boards of the same
tree. The rest of the measured time is the search's own loops and recursion.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.evaluation import Evaluation, begin, evaluation_named, value
from outflank.games.rules import MOVE, Game, Moves, Position, fill, most_moves, pack, play, unpack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import Samples, kernel
from outflank.lab.experiment_report import ReportTable, Sample
from outflank.lab.measuring.search_log import without_logging
from outflank.lab.measuring.search_samples import Contender, measure_search, number, warm
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.studies.hashing import walk
from outflank.search.many_endings import Words
from outflank.search.probes import Counts
from outflank.search.request import Stop
from outflank.validation.documents import Count, Duration
from outflank.validation.text import how_many
from outflank.validation.values import Kind

LOOP, FILL, PLAY, VALUE = range(4)
STEPS = ("the loop", "move generation", "making a move", "evaluation")
"""Names of the timed steps of a node. The first is the empty loop; its time is subtracted from the times of all other
steps."""

AT_LEAST_SECONDS = 0.01
"""Least duration of a timing, in seconds. A step is timed three times, and the least time counts."""


@kernel
def run_step(game, evaluation, step, times, firsts, seconds, codes, moves, link):
    """Run `step` on all positions. Each call depends on earlier calls through `link`, which the compiler cannot know to
    be 0."""
    checksum = U64(0)
    for _ in range(times):
        for index in range(firsts.shape[0]):
            position = unpack(game, firsts[index] ^ (checksum & link), seconds[index])
            if step == FILL:
                checksum ^= U64(fill(game, position, moves, 0))
            elif step == PLAY:
                checksum ^= pack(game, play(game, position, codes[index]))[0]
            elif step == VALUE:
                checksum ^= U64(40_000 + value(evaluation, game, position, begin(evaluation, game, position)))
            else:
                checksum ^= pack(game, position)[0]
    return checksum


@run_step.sample
def _run_step_sample(game: Game, position: Position, every: bool) -> Samples:
    first, second = (np.array([word], np.uint64) for word in pack(game, position))
    moves = np.zeros(most_moves(game), MOVE)
    fill(game, position, moves, 0)
    name = description_of(game).lab.minimax_evaluation
    yield game, evaluation_named(game, name), FILL, 1, first, second, moves[:1].copy(), moves, U64(0)


def step_costs(boards: Sequence[Board], evaluation: Evaluation, near: int = 100) -> dict[str, float]:
    """Return the nanoseconds of one call of each step, timed on `near` positions three plies below each board."""
    game = boards[0].game
    firsts, seconds, codes = _positions(boards, near)
    moves = np.zeros(most_moves(game), MOVE)
    costs = []
    for step in range(len(STEPS)):
        run_step(game, evaluation, step, 1, firsts[:1], seconds[:1], codes[:1], moves, U64(0))  # compiles
        costs.append(min(_call_nanoseconds(game, evaluation, step, firsts, seconds, codes, moves) for _ in range(3)))
    return {name: max(0.0, cost - costs[LOOP]) for name, cost in zip(STEPS[1:], costs[1:], strict=True)}


def _call_nanoseconds(
    game: Game, evaluation: Evaluation, step: int, firsts: Words, seconds: Words, codes: Moves, moves: Moves
) -> float:
    times = 1
    while True:
        began = time.thread_time()  # processor time, because other processes may share the core
        run_step(game, evaluation, step, times, firsts, seconds, codes, moves, U64(0))
        elapsed = time.thread_time() - began
        if elapsed >= AT_LEAST_SECONDS:
            return 1e9 * elapsed / times / len(firsts)
        times *= 2


def _positions(boards: Sequence[Board], near: int) -> tuple[Words, Words, Moves]:
    """Return positions near `boards` with a legal move each, as arrays of first words, second words and moves."""
    game = boards[0].game
    moves = np.zeros(8 * most_moves(game), MOVE)
    firsts: list[np.uint64] = []
    seconds: list[np.uint64] = []
    codes: list[np.uint16] = []
    for board in boards:
        first_words, second_words = np.zeros(near, np.uint64), np.zeros(near, np.uint64)
        count = walk(game, board.position, 3, moves, 0, first_words, second_words, 0)
        for first, second in zip(first_words[:count], second_words[:count], strict=True):
            end = fill(game, unpack(game, first, second), moves, 0)
            if end:
                firsts.append(first)
                seconds.append(second)
                codes.append(moves[len(codes) % end])
    return np.array(firsts, np.uint64), np.array(seconds, np.uint64), np.array(codes, MOVE)


ITSELF, OUTSIDE = "minimax itself", "outside the search"

BETWEEN = 10
"""Number of turns between two boards of a game on which steps are timed."""

LEAST_SHARE = 0.00005
"""Least share of the time for which a function has a row in the tables. Smaller shares would be printed as 0.00 %."""

CALLS, COST, SERIAL = "calls", "cost", "serial"
SHAPES: dict[str, dict[str, Kind]] = {
    CALLS: {"left": Count, "nodes": Count, "made": Count, "valued": Count},
    COST: {"step": str, "nanoseconds": Duration},
    SERIAL: {"seconds": Duration, "outside_seconds": Duration},
}
"""Types of the fields of a sample, by the value of its field `what`."""


def function_samples(side: Contender, stop: Stop) -> list[Sample]:
    """Return samples of a search with one worker: calls by remaining depth, cost of each kind of call, total time.

    Time outside the search (setting up boards, making the game's moves, preparing the search) is estimated as the time
    of the same run at depth 1. The list is empty if the evaluation has a state, because its updates would be counted
    twice.
    """
    serial_options = {
        key: value for key, value in side.options.items() if key not in ("parallel", "threshold", "schedule")
    }
    serial = replace(side, options={**serial_options, "workers": 1})
    evaluation = evaluation_named(side.board.game, serial_options.get("evaluation"))
    if begin(evaluation, side.board.game, side.board.position) != ():
        return []  # incremental updates in moves would be counted twice
    counts = Counts()
    try:
        warm(serial)
        with without_logging():
            shallow = [measure_search(replace(serial, depth=1), stop)[1] for _ in range(2)]
            measure_search(serial, stop, instrument=counts)
        _, full = measure_search(serial, stop)
    except BrokenOff:
        return []
    costs = step_costs(_boards(side, str(full.get("moves", ""))), evaluation)
    calls = Calls.of(counts.nodes, counts.moves, counts.movable)
    outside, seconds = min(_processor(sample) for sample in shallow), _processor(full)
    samples: list[Sample] = [
        {"what": CALLS, "left": entry.left, "nodes": entry.nodes, "made": entry.made, "valued": entry.valued}
        for entry in calls
    ]
    samples += [{"what": COST, "step": step, "nanoseconds": cost} for step, cost in costs.items()]
    return [*samples, {"what": SERIAL, "seconds": seconds, "outside_seconds": min(outside, seconds)}]


def _processor(sample: Sample) -> float:
    return number(sample["user_seconds"]) + number(sample["system_seconds"])


def _boards(side: Contender, moves: str) -> list[Board]:
    """Return the boards on which steps are timed: the searched position, or every tenth board of the game."""
    board = side.board.copy()
    boards = [board.copy()]
    for ply, move in enumerate(moves.split(), 1):
        board.push(move)
        if ply % BETWEEN == 0 and not board.is_game_over:
            boards.append(board.copy())
    return boards


@dataclass(frozen=True, slots=True)
class Calls:
    """Numbers of calls of each step in all nodes with `left` plies of remaining depth."""

    left: int
    nodes: int
    made: int
    """Number of moves made in nodes with `left` plies of remaining depth."""
    valued: int
    """Number of positions evaluated: nodes without a move and, if `left` is 1, all children."""

    @classmethod
    def of(cls, nodes: Sequence[int], moves: Sequence[int], movable: Sequence[int]) -> "list[Calls]":
        """Return the calls by remaining depth, deepest first, from counts of nodes, moves, and nodes with a move."""
        return [
            cls(left, nodes[left], moves[left], (moves[left] if left == 1 else 0) + nodes[left] - movable[left])
            for left in range(len(nodes) - 1, 0, -1)
            if nodes[left]
        ]

    def seconds(self, costs: Mapping[str, float]) -> dict[str, float]:
        """Return the seconds that all calls of each step take. `costs` are nanoseconds per call."""
        counts = zip(STEPS[1:], (self.nodes, self.made, self.valued), strict=True)
        return {step: count * costs[step] / 1e9 for step, count in counts}


def own_seconds(calls: Sequence[Calls], costs: Mapping[str, float], measured: float) -> dict[int, dict[str, float]]:
    """Return seconds by remaining depth and function. Time not explained by calls is divided among the nodes."""
    by_left = {entry.left: entry.seconds(costs) for entry in calls}
    explained = sum(sum(steps.values()) for steps in by_left.values())
    entered = {entry.left: entry.nodes + (entry.made if entry.left == 1 else 0) for entry in calls}
    rest = max(0.0, measured - explained) / max(1, sum(entered.values()))
    return {left: {**steps, ITSELF: entered[left] * rest} for left, steps in by_left.items()}


def function_tables(
    samples: Sequence[Sample], kinds: Mapping[str, float], suffix: str
) -> tuple[list[ReportTable], list[str]]:
    """Return the top-down and the bottom-up table, and notes. `kinds` are seconds of all workers, by activity."""
    calls = [
        Calls(*(int(number(sample[name])) for name in ("left", "nodes", "made", "valued")))
        for sample in samples
        if sample["what"] == CALLS
    ]
    costs = {str(sample["step"]): number(sample["nanoseconds"]) for sample in samples if sample["what"] == COST}
    serial = next((sample for sample in samples if sample["what"] == SERIAL), None)
    if not calls or serial is None:
        return [], []
    outside = number(serial["outside_seconds"])
    measured = number(serial["seconds"]) - outside
    by_left = own_seconds(calls, costs, measured)
    seconds = {OUTSIDE: outside, **kinds}
    whole = sum(seconds.values()) or 1.0
    shares = {name: part / whole for name, part in seconds.items()}
    explained = sum(sum(entry.seconds(costs).values()) for entry in calls)
    costs_text = ", ".join(f"{step} {cost:.1f} ns" for step, cost in costs.items())
    notes = [
        f"By function{suffix}: a call costs {costs_text}; counted calls explain {explained:.2f} s of the "
        f"{measured:.2f} s that one worker searches"
        f"{'' if explained <= measured else ': calls overlap, and their shares are of that sum'}. "
        "What they leave is minimax itself."
    ]
    return [top_down(f"top-down{suffix}", shares, by_left), bottom_up(f"bottom-up{suffix}", shares, by_left)], notes


def top_down(title: str, shares: Mapping[str, float], by_left: Mapping[int, Mapping[str, float]]) -> ReportTable:
    """Return the top-down table: the share of each function with its callees, and of the function itself.

    `shares` are shares of the total time, by kind of activity. `by_left` divides the share of `search` further.
    """
    whole = sum(sum(steps.values()) for steps in by_left.values()) or 1.0
    scale = shares["search"] / whole
    lines: list[Sample] = [_row(0, "the program", 1.0, 0.0)]
    lines += [_row(1, name, share, share) for name, share in shares.items() if name != "search"]
    lines.append(_row(1, "search", shares["search"], 0.0))
    for level, (left, steps) in enumerate(by_left.items()):
        below = sum(sum(callee.values()) for plies, callee in by_left.items() if plies <= left)
        lines.append(_row(2 + level, f"minimax, {_plies(left)} left", scale * below, scale * steps[ITSELF]))
        lines += [
            _row(3 + level, step, scale * steps[step], scale * steps[step])
            for step in STEPS[1:]
            if scale * steps[step] >= LEAST_SHARE
        ]
    return ReportTable.of(title, lines)


def bottom_up(title: str, shares: Mapping[str, float], by_left: Mapping[int, Mapping[str, float]]) -> ReportTable:
    """Return the bottom-up table: the share of each function itself, and how its callers divide this share."""
    whole = sum(sum(steps.values()) for steps in by_left.values()) or 1.0
    scale = shares["search"] / whole
    functions: dict[str, dict[str, float]] = {
        name: {"the program": share} for name, share in shares.items() if name != "search"
    }
    for name in (*STEPS[1:], ITSELF):
        functions[name] = {f"minimax, {_plies(left)} left": scale * steps[name] for left, steps in by_left.items()}
    lines: list[Sample] = []
    for name, callers in sorted(functions.items(), key=lambda item: -sum(item[1].values())):
        lines.append({"function, then its callers": name, "share": f"{sum(callers.values()):.2%}"})
        lines += [
            {"function, then its callers": f"· from {caller}", "share": f"{share:.2%}"}
            for caller, share in sorted(callers.items(), key=lambda item: -item[1])
            if share >= LEAST_SHARE and len(callers) > 1
        ]
    return ReportTable.of(title, lines)


def _row(level: int, name: str, whole: float, own: float) -> Sample:
    return {"function": f"{'· ' * level}{name}", "with all it calls": f"{whole:.2%}", "itself": f"{own:.2%}"}


def _plies(left: int) -> str:
    return how_many(left, "ply", "plies")
