"""How long to think: a budget for each move, and whether another iteration is worth beginning.

Two times make a budget. After the *soft* one no further iteration is begun, and earlier if the best move has been the
same for long; at the *hard* one the search is stopped. Seconds a move that a player is told to take, by a clock or by
none, are used: an iteration is begun even if it will not be finished, for what it has shown by then counts.

A search returns some time after its deadline: the system may have given its core to another program. `Lateness`
estimates that time, from a short measurement before the game and from every move. Every budget keeps it in reserve, and
no floor ignores it: where the reserve would take all of a move's time, a move is made without a search.
"""

import threading
import time
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Any, Protocol

from outflank.boards import Board
from outflank.errors import UnknownName
from outflank.games.description import description_of
from outflank.players.clock import Clock

LEAST_MARGIN, MOST_MARGIN = 0.02, 0.25
"""Smallest reserve of a whole game's clock, and largest reserve that programs are told to keep, in seconds."""

LEAST_SHARE = 0.03
"""Smallest reserve as a part of the time for each move, up to `LEAST_MARGIN`."""

LEAST_RESERVE = 0.008
"""Smallest reserve of a time for each move, in seconds."""

LOOKS = 150_000
"""Looks at the clock by which it is seen whether others hold this process up: 30 ms, if nobody does."""

MORE_LATE = 2.0
"""Reserve in multiples of the worst lateness seen."""

AT_ONCE = 0.003
"""Seconds that a move takes which is not thought about, with room to spare."""

PATIENCE = 4.0
"""How many times the soft budget a search that has begun may take."""


FIRST_MOVE = 0.15
"""The part of the last iteration's time that the first move of the next takes at least: until then it shows nothing."""


FORGETTING = 0.8
"""Decay of a program's lateness with every answer: a machine may have been busy once."""

REMEMBERING = 0.95
"""Decay of a player's lateness with every move: 60 % are left after ten moves, 21 % after thirty, which is a game."""


class Lateness:
    """Estimate of the time by which moves miss their deadlines on this machine.

    `seconds` is the worst seen, decaying with every move; `mean_seconds` is a moving average.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.mean_seconds = 0.0

    def measure(self) -> None:
        """Measure how busy the machine is, before a game. The last game still counts."""
        self.seconds = max(measured_delay(), REMEMBERING**5 * self.seconds)

    def note(self, late_seconds: float, pause_seconds: float = 0.0) -> None:
        """Learn from a move that missed its deadline by `late_seconds`, and the longest pause of its workers."""
        # Bounded, so that one outlier (a machine that slept) does not make the next thirty moves hasty.
        most = 4 * self.seconds + LEAST_MARGIN
        self.seconds = max(min(late_seconds, most), min(pause_seconds, most), REMEMBERING * self.seconds)
        self.mean_seconds += 0.1 * (min(max(0.0, late_seconds), most) - self.mean_seconds)

    def reserve_seconds(self, least: float) -> float:
        """Return the time to keep in reserve, at least `least`."""
        return max(least, MORE_LATE * self.seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one move may take. Unset: no end."""

    depth: int | None = None
    soft_seconds: float | None = None
    hard_seconds: float | None = None
    saved: bool = True
    """Whether what is not used of it is there for later moves."""

    def within(self, seconds: float) -> "Budget":
        """So many seconds for this move, which are all to be used; or what the clock has for it, if that is less."""
        soft = inf if self.soft_seconds is None else self.soft_seconds
        hard = inf if self.hard_seconds is None else self.hard_seconds
        if seconds <= min(soft, hard):
            return replace(self, soft_seconds=seconds, hard_seconds=seconds, saved=False)
        return replace(self, hard_seconds=min(seconds, hard))


class Policy(Protocol):
    """Decides how long to think about a move."""

    lateness: Lateness
    """How late this player's moves have come back: a busy machine shows itself here."""

    def budget(self, board: Board[Any], clock: Clock, last_value: int | None) -> Budget:
        """For this move; `last_value` is what the player thought of its last one."""

    def enough(self, budget: Budget, elapsed: float, last_iteration: float, stable: int) -> bool:
        """Whether to stop after an iteration that took `last_iteration`; the best move was the same for `stable`."""


class Steady:
    """Spends what is left evenly on the moves that are expected, more where the best move keeps changing."""

    def __init__(self) -> None:
        self.lateness = Lateness()

    def budget(self, board: Board[Any], clock: Clock, last_value: int | None) -> Budget:
        """A share of what is left."""
        if clock.control.move_seconds is not None:
            whole = clock.control.move_seconds
            least = max(LEAST_RESERVE, min(LEAST_SHARE * whole, LEAST_MARGIN))
            hard = max(0.0, whole - self.lateness.reserve_seconds(least))
            return Budget(soft_seconds=hard, hard_seconds=hard, saved=False)
        left = clock.left_seconds
        if left is None:
            return Budget()
        usable = usable_seconds(board, left, self.lateness)
        moves = description_of(board.game).moves_expected(board)
        share = usable / moves + 0.8 * min(clock.control.increment_seconds, usable)
        hard = min(PATIENCE * share, 0.4 * usable)
        return Budget(soft_seconds=min(share, hard), hard_seconds=max(hard, 0.001))

    def enough(self, budget: Budget, elapsed: float, last_iteration: float, stable: int) -> bool:
        """An iteration takes some three times the one before: one that cannot end in time is not begun where time can
        be saved, and where it cannot, one that will not even come to the end of its first move."""
        if budget.soft_seconds is None or budget.hard_seconds is None:
            return False
        if not budget.saved:
            return elapsed + FIRST_MOVE * last_iteration > budget.hard_seconds
        trust = 0.6 if stable >= 4 else 0.8 if stable >= 2 else 1.2
        return elapsed >= trust * budget.soft_seconds or elapsed + 1.5 * last_iteration > budget.hard_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthRule:
    """When to search how deep. Unset: it asks nothing."""

    depth: int
    seconds_below: float | None = None
    """Of the minute, that are left."""
    seconds_above: float | None = None
    value_below: int | None = None
    """What the player thought of its last move."""

    def applies(self, seconds: float, value: int) -> bool:
        """Whether all that it asks is so."""
        return (
            (self.seconds_below is None or seconds < self.seconds_below)
            and (self.seconds_above is None or seconds > self.seconds_above)
            and (self.value_below is None or value < self.value_below)
        )


class Adaptive003:
    """Report 003's rules: depth 5, 6 where it stands badly, 3 or 4 when the minute runs out."""

    MINUTE = 60.0
    RULES = (
        DepthRule(depth=3, seconds_below=5),
        DepthRule(depth=4, seconds_below=10),
        DepthRule(depth=6, value_below=-600),
        DepthRule(depth=6, value_below=-400, seconds_above=20),
        DepthRule(depth=5),
    )
    """The first that applies."""

    def __init__(self) -> None:
        self.lateness = Lateness()

    def budget(self, board: Board[Any], clock: Clock, last_value: int | None) -> Budget:
        """By the seconds left and the last value, as it says. Scaled clocks keep its shares of a minute."""
        left = clock.left_seconds
        whole = clock.control.game_seconds or self.MINUTE
        seconds = self.MINUTE if left is None else left * self.MINUTE / whole
        value = 0 if last_value is None else last_value
        depth = next(rule.depth for rule in self.RULES if rule.applies(seconds, value))
        # The report has no stop but this: a search that would lose on time ends with what it has.
        hard = None if left is None else max(0.001, usable_seconds(board, left, self.lateness))
        return Budget(depth=depth, hard_seconds=hard)

    def enough(self, budget: Budget, elapsed: float, last_iteration: float, stable: int) -> bool:
        """There is only one iteration."""
        return False


POLICIES: dict[str, type[Policy]] = {"steady": Steady, "adaptive-003": Adaptive003}


def policy_named(name: str) -> Policy:
    """The policy called `name`."""
    if name not in POLICIES:
        raise UnknownName.among("time policy", name, POLICIES)
    return POLICIES[name]()


def lateness(before: float, latest: float) -> float:
    """Return the lateness of a program after another answer."""
    return max(latest, FORGETTING * before)


def usable_seconds(board: Board[Any], left: float, lateness: Lateness) -> float:
    """What may be thought away: the rest is for coming back in time, and for moving at once to the end of the game."""
    to_the_end = description_of(board.game).moves_at_most(board)
    kept_back = 2 * lateness.reserve_seconds(LEAST_MARGIN) + to_the_end * (AT_ONCE + lateness.mean_seconds)
    return max(0.0, left - kept_back)


def measured_delay() -> float:
    """Return the longest delay of a thread in 50 ms: to wake from sleep, or off its core while working."""
    late = 0.0
    for _ in range(20):
        began = time.perf_counter()
        threading.Event().wait(0.001)
        late = max(late, time.perf_counter() - began - 0.001)
    # With three threads on each of two cores a worker was held up by 12 ms at a time, whose sleep ended in time mostly:
    # a search then came back 6 to 26 ms late.
    held_up, last = 0.0, time.perf_counter()
    for _ in range(LOOKS):
        now = time.perf_counter()
        held_up, last = max(held_up, now - last), now
    return max(late, held_up)


@cache
def safety_margin() -> float:
    """Return the reserve that programs are told to keep: twice the measured delay of a thread."""
    return min(MOST_MARGIN, max(LEAST_MARGIN, 2 * measured_delay()))
