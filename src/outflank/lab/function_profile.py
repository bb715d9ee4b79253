"""Which functions of ours the time of minimax goes into: from the root down, and from the leaves up.

Machine code has no frames that a profiler of Python could see, and marks inside it would cost more than what they
mark. So calls are counted in the search itself, by the plies left, and each kind of call is timed by itself on boards
of the same tree. What is left of the measured time is the search's own: its loops and its recursion.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from outflank.boards import Board
from outflank.games.evaluation import begin, evaluation_named
from outflank.kinds import Count, Duration, Kind
from outflank.lab.classroom import BrokenOff
from outflank.lab.measuring import Contender, number, searched, warm
from outflank.lab.report import ReportTable, Sample
from outflank.lab.search_log import unnoted
from outflank.lab.step_costs import STEPS, step_costs
from outflank.search.contract import Stop
from outflank.search.probes import Counts
from outflank.words import how_many

ITSELF, OUTSIDE = "minimax itself", "outside the search"

BETWEEN = 10
"""Turns of a game from one board that steps are timed on to the next."""

LEAST_SHARE = 0.00005
"""What would be shown as 0.00 % is left out."""

CALLS, COST, SERIAL = "calls", "cost", "serial"
SHAPES: dict[str, dict[str, Kind]] = {
    CALLS: {"left": Count, "nodes": Count, "made": Count, "valued": Count},
    COST: {"step": str, "nanoseconds": Duration},
    SERIAL: {"seconds": Duration, "outside_seconds": Duration},
}
"""What samples hold, by what they are."""


def function_samples(side: Contender, stop: Stop) -> list[Sample]:
    """One worker's calls by the plies left, what a call costs, and what all took.

    What is outside the search (boards, the game's turns, getting ready) is what the same takes to a depth of 1.
    """
    alone = {key: value for key, value in side.options.items() if key not in ("parallel", "threshold", "schedule")}
    serial = replace(side, options={**alone, "workers": 1})
    evaluation = evaluation_named(side.board.game, alone.get("evaluation"))
    if begin(evaluation, side.board.game, side.board.position) != ():
        return []  # what a state costs belongs to the moves, and would be counted twice
    counts = Counts()
    try:
        warm(serial)
        with unnoted():
            shallow = [searched(replace(serial, depth=1), stop)[1] for _ in range(2)]
            searched(serial, stop, instrument=counts)
        _, whole = searched(serial, stop)
    except BrokenOff:
        return []
    costs = step_costs(_boards(side, str(whole.get("moves", ""))), evaluation)
    calls = Calls.of(counts.nodes, counts.moves, counts.movable)
    outside, seconds = min(_processor(each) for each in shallow), _processor(whole)
    found: list[Sample] = [
        {"what": CALLS, "left": each.left, "nodes": each.nodes, "made": each.made, "valued": each.valued}
        for each in calls
    ]
    found += [{"what": COST, "step": step, "nanoseconds": cost} for step, cost in costs.items()]
    return [*found, {"what": SERIAL, "seconds": seconds, "outside_seconds": min(outside, seconds)}]


def _processor(sample: Sample) -> float:
    return number(sample["user_seconds"]) + number(sample["system_seconds"])


def _boards(side: Contender, moves: str) -> list[Board[Any]]:
    """Where the steps are timed: the position, or boards all through the game."""
    board = side.board.copy()
    found = [board.copy()]
    for number_, move in enumerate(moves.split(), 1):
        board.push(move)
        if number_ % BETWEEN == 0 and not board.is_game_over():
            found.append(board.copy())
    return found


@dataclass(frozen=True, slots=True)
class Calls:
    """How often each step was called, in all nodes with so many plies left."""

    left: int
    nodes: int
    made: int
    """Moves that were made there."""
    valued: int
    """Positions that were evaluated from there: the children of the last ply, and nodes without a move."""

    @classmethod
    def of(cls, nodes: Sequence[int], moves: Sequence[int], movable: Sequence[int]) -> "list[Calls]":
        """From counts by the plies left, deepest first."""
        return [
            cls(left, nodes[left], moves[left], (moves[left] if left == 1 else 0) + nodes[left] - movable[left])
            for left in range(len(nodes) - 1, 0, -1)
            if nodes[left]
        ]

    def seconds(self, costs: Mapping[str, float]) -> dict[str, float]:
        """What they take, by step."""
        each = zip(STEPS[1:], (self.nodes, self.made, self.valued), strict=True)
        return {step: count * costs[step] / 1e9 for step, count in each}


def own_seconds(calls: Sequence[Calls], costs: Mapping[str, float], measured: float) -> dict[int, dict[str, float]]:
    """Seconds by plies left and function; what the steps leave of the measured time goes to the nodes themselves."""
    found = {each.left: each.seconds(costs) for each in calls}
    explained = sum(sum(steps.values()) for steps in found.values())
    entered = {each.left: each.nodes + (each.made if each.left == 1 else 0) for each in calls}
    rest = max(0.0, measured - explained) / max(1, sum(entered.values()))
    return {left: {**steps, ITSELF: entered[left] * rest} for left, steps in found.items()}


def views(samples: Sequence[Sample], kinds: Mapping[str, float], of: str) -> tuple[list[ReportTable], list[str]]:
    """Both tables, and what is to be said of them; `kinds` are the seconds of all workers, by what they did."""
    calls = [
        Calls(*(int(number(each[name])) for name in ("left", "nodes", "made", "valued")))
        for each in samples
        if each["what"] == CALLS
    ]
    costs = {str(each["step"]): number(each["nanoseconds"]) for each in samples if each["what"] == COST}
    serial = next((each for each in samples if each["what"] == SERIAL), None)
    if not calls or serial is None:
        return [], []
    outside = number(serial["outside_seconds"])
    measured = number(serial["seconds"]) - outside
    by_left = own_seconds(calls, costs, measured)
    seconds = {OUTSIDE: outside, **kinds}
    whole = sum(seconds.values()) or 1.0
    shares = {name: each / whole for name, each in seconds.items()}
    explained = sum(sum(each.seconds(costs).values()) for each in calls)
    told = ", ".join(f"{step} {cost:.1f} ns" for step, cost in costs.items())
    notes = [
        f"By function{of}: a call costs {told}; counted calls explain {explained:.2f} s of the {measured:.2f} s that "
        f"one worker searches{'' if explained <= measured else ': calls overlap, and their shares are of that sum'}. "
        "What they leave is minimax itself."
    ]
    return [top_down(f"top-down{of}", shares, by_left), bottom_up(f"bottom-up{of}", shares, by_left)], notes


def top_down(title: str, shares: Mapping[str, float], by_left: Mapping[int, Mapping[str, float]]) -> ReportTable:
    """From the root down: what a function and all it calls take, and what it takes itself.

    `shares` are parts of the whole outside minimax and `search`, which is divided by `by_left`.
    """
    whole = sum(sum(each.values()) for each in by_left.values()) or 1.0
    scale = shares["search"] / whole
    lines: list[Sample] = [_row(0, "the program", 1.0, 0.0)]
    lines += [_row(1, name, share, share) for name, share in shares.items() if name != "search"]
    lines.append(_row(1, "search", shares["search"], 0.0))
    for level, (left, steps) in enumerate(by_left.items()):
        below = sum(sum(each.values()) for other, each in by_left.items() if other <= left)
        lines.append(_row(2 + level, f"minimax, {_plies(left)} left", scale * below, scale * steps[ITSELF]))
        lines += [
            _row(3 + level, step, scale * steps[step], scale * steps[step])
            for step in STEPS[1:]
            if scale * steps[step] >= LEAST_SHARE
        ]
    return ReportTable.of(title, lines)


def bottom_up(title: str, shares: Mapping[str, float], by_left: Mapping[int, Mapping[str, float]]) -> ReportTable:
    """From the leaves up: what each function takes itself, and from where it is called."""
    whole = sum(sum(each.values()) for each in by_left.values()) or 1.0
    scale = shares["search"] / whole
    found: dict[str, dict[str, float]] = {
        name: {"the program": share} for name, share in shares.items() if name != "search"
    }
    for name in (*STEPS[1:], ITSELF):
        found[name] = {f"minimax, {_plies(left)} left": scale * steps[name] for left, steps in by_left.items()}
    lines: list[Sample] = []
    for name, callers in sorted(found.items(), key=lambda each: -sum(each[1].values())):
        lines.append({"function, then its callers": name, "share": f"{sum(callers.values()):.2%}"})
        lines += [
            {"function, then its callers": f"· from {caller}", "share": f"{share:.2%}"}
            for caller, share in sorted(callers.items(), key=lambda each: -each[1])
            if share >= LEAST_SHARE and len(callers) > 1
        ]
    return ReportTable.of(title, lines)


def _row(level: int, name: str, whole: float, own: float) -> Sample:
    return {"function": f"{'· ' * level}{name}", "with all it calls": f"{whole:.2%}", "itself": f"{own:.2%}"}


def _plies(left: int) -> str:
    return how_many(left, "ply", "plies")
