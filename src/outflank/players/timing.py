"""Time management: the time budget of each move, and the decision whether to begin another iteration.

A budget has two times. No iteration starts after about the *soft* time: somewhat earlier if the best move has long been
stable, a little later if it keeps changing. The search is stopped at the *hard* time. A fixed time per move, from a
time control or a setting, is spent entirely: an iteration starts even if it cannot be finished, because its partial
result counts.

A search returns some time after its deadline, because the system may have given its core to another program. `Lateness`
estimates this delay from a short measurement before the game and from every move. Every budget keeps the delay in
reserve, and minimum budgets do not override the reserve: if the reserve would take all of a move's time, the player
moves without a search.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Protocol

from outflank.boards import Board
from outflank.errors import UnknownName
from outflank.games.description import description_of
from outflank.players.clock import Clock

LEAST_MARGIN, MOST_MARGIN = 0.02, 0.25
"""Smallest time kept in reserve on a clock for the whole game, and largest `safety_margin`, in seconds."""

LEAST_SHARE = 0.03
"""Smallest reserve of a fixed time per move, as a share of that time; it is limited to `LEAST_MARGIN`."""

LEAST_RESERVE = 0.005
"""Smallest reserve of a fixed time per move, in seconds. It exceeds the 4 ms that another program runs at a time if the
kernel has 250 ticks a second. With 3 ms, 1 of 42 games at 0.1 s a move was lost on time; the cause of the delay was
not measured."""

MEASUREMENTS, MEASUREMENTS_BUSY = 8, 30
"""Number of delays measured before a game on a quiet machine (50 ms in all), and on one where other programs turn out
to be running (200 ms or more)."""

LOOKS = 10_000
"""Number of clock readings in one measurement of a delay: 5 ms, if nothing delays them."""

BUSY_DELAY = 0.002
"""Delay of a thread, in seconds, above which other programs must be running."""

SET_UPS = 4
"""Number of searches that are set up before a game to measure how long a set-up takes."""

MEASURED_FOR = 10.0
"""Seconds after which the delays on this machine are measured again."""

REMEMBERED = 60
"""Number of moves and measurements from which a player's lateness is estimated."""

MORE_LATE = 3.0
"""Reserve in multiples of the estimated lateness. A search may lose its core once before it has stopped and once after.
Also, one of the thousands of moves of a match is delayed longer than the last sixty were."""

HASTY = 0.6
"""Least delay that is noted for a move without a search, as a share of the current estimate of delays."""

AT_ONCE = 0.003
"""Generous estimate of the time of a move without a search, in seconds."""

PATIENCE = 4.0
"""Largest hard time of a budget, in multiples of its soft time."""


FIRST_MOVE = 0.15
"""Least time of an iteration's first move, as a share of the previous iteration's time. An iteration that does not
finish its first move has no result."""


FORGETTING = 0.8
"""Factor by which an external program's lateness decays with every answer, since a busy machine may become idle."""


class Lateness:
    """Estimate of the time by which moves miss their deadlines on this machine.

    The estimate is made from the last `REMEMBERED` moves and measurements together.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        """Second longest of the last delays; the longest may be an accident (a machine that slept)."""
        self.mean_seconds = 0.0
        """Moving average of the time by which moves missed their deadlines."""
        self.setup_seconds = 0.0
        """Second longest time to set up and end a search; nothing can stop a search during its set-up."""
        self._delays: deque[float] = deque(maxlen=REMEMBERED)
        self._setups: deque[float] = deque(maxlen=REMEMBERED)
        self._measured_at = -inf

    def measure(self, set_up: Callable[[], object]) -> None:
        """Measure before a game how busy the machine is; `set_up` begins a search and ends it at once."""
        measured_at, delays = measured_delays()
        if measured_at > self._measured_at:
            self._measured_at = measured_at
            self._delays.extend(delays)
        for _ in range(SET_UPS):
            began = time.perf_counter()
            set_up()
            self._setups.append(time.perf_counter() - began)
        self._estimate()

    def note(self, delay_seconds: float, late_seconds: float = 0.0, setup_seconds: float | None = None) -> None:
        """Learn from a move: its longest delay, the time by which it missed its deadline, and its set-up time."""
        if setup_seconds is not None:
            self._setups.append(setup_seconds)
            delay_seconds = max(delay_seconds, setup_seconds - min(self._setups))
        self._delays.append(max(delay_seconds, late_seconds))
        self._estimate()
        self.mean_seconds += 0.1 * (min(max(0.0, late_seconds), LEAST_MARGIN + self.seconds) - self.mean_seconds)

    def note_hasty(self, delay_seconds: float) -> None:
        """Learn from a move without a search.

        Such a move is too short to show that the machine is quiet again. Therefore the estimate falls only after
        `REMEMBERED` such moves, and not below `HASTY` times its last value.
        """
        self.note(max(delay_seconds, HASTY * self.seconds))

    def _estimate(self) -> None:
        self.seconds, self.setup_seconds = second_longest(self._delays), second_longest(self._setups)

    def reserve_seconds(self, least: float) -> float:
        """Return the time to keep in reserve for delays, at least `least`."""
        return max(least, MORE_LATE * self.seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits on the search for one move. An unset limit is infinite."""

    depth: int | None = None
    soft_seconds: float | None = None
    hard_seconds: float | None = None
    saved: bool = True
    """Whether the time that this move does not use is left for later moves."""

    def within(self, seconds: float) -> "Budget":
        """Return this budget, limited to `seconds`. If its times are longer, all of `seconds` is spent on this move."""
        soft = inf if self.soft_seconds is None else self.soft_seconds
        hard = inf if self.hard_seconds is None else self.hard_seconds
        if seconds <= min(soft, hard):
            return replace(self, soft_seconds=seconds, hard_seconds=seconds, saved=False)
        return replace(self, hard_seconds=min(seconds, hard))


class Policy(Protocol):
    """Decides how long to think about a move."""

    lateness: Lateness
    """Estimated lateness of this player's moves, which is greater on a busy machine."""

    def budget(self, board: Board, clock: Clock, last_value: int | None) -> Budget:
        """Return the budget of this move; `last_value` is the value that the player's previous search found."""

    def enough(self, budget: Budget, elapsed: float, last_iteration: float, stable: int) -> bool:
        """Return whether to stop after an iteration of `last_iteration` seconds; the best move has been the same for
        `stable` iterations."""


class Steady:
    """Spends the remaining time evenly on the expected moves, and more if the best move keeps changing."""

    def __init__(self) -> None:
        self.lateness = Lateness()

    def budget(self, board: Board, clock: Clock, last_value: int | None) -> Budget:
        if clock.control.move_seconds is not None:
            whole = clock.control.move_seconds
            least = max(LEAST_RESERVE, min(LEAST_SHARE * whole, LEAST_MARGIN))
            hard = max(0.0, whole - self.lateness.reserve_seconds(least))
            return Budget(soft_seconds=hard, hard_seconds=hard, saved=False)
        left = clock.left_seconds
        if left is None:
            return Budget()
        usable = usable_seconds(board, left, self.lateness)
        moves = description_of(board.game).play.moves_expected(board)
        share = usable / moves + 0.8 * min(clock.control.increment_seconds, usable)
        hard = min(PATIENCE * share, 0.4 * usable)
        return Budget(soft_seconds=min(share, hard), hard_seconds=max(hard, 0.001))

    def enough(self, budget: Budget, elapsed: float, last_iteration: float, stable: int) -> bool:
        """Return whether to end the search; the next iteration takes some three times as long as the last one.

        If unused time is saved, the next iteration begins only if 1.5 times the last iteration's time is left.
        Otherwise it begins if it can finish its first move.
        """
        if budget.soft_seconds is None or budget.hard_seconds is None:
            return False
        if not budget.saved:
            return elapsed + FIRST_MOVE * last_iteration > budget.hard_seconds
        trust = 0.6 if stable >= 4 else 0.8 if stable >= 2 else 1.2
        return elapsed >= trust * budget.soft_seconds or elapsed + 1.5 * last_iteration > budget.hard_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthRule:
    """A search depth and the conditions under which it is used. An unset condition always holds."""

    depth: int
    seconds_below: float | None = None
    """Number of seconds left below which the rule applies, in a game of one minute."""
    seconds_above: float | None = None
    value_below: int | None = None
    """Value of the player's last search below which the rule applies."""

    def applies(self, seconds: float, value: int) -> bool:
        """Return whether all conditions of the rule hold."""
        return (
            (self.seconds_below is None or seconds < self.seconds_below)
            and (self.seconds_above is None or seconds > self.seconds_above)
            and (self.value_below is None or value < self.value_below)
        )


class Adaptive003:
    """Time policy of report 003's program.

    It searches to depth 5, to depth 6 in a bad position, and to depth 3 or 4 when its minute for the game runs out.
    """

    MINUTE = 60.0
    RULES = (
        DepthRule(depth=3, seconds_below=5),
        DepthRule(depth=4, seconds_below=10),
        DepthRule(depth=6, value_below=-600),
        DepthRule(depth=6, value_below=-400, seconds_above=20),
        DepthRule(depth=5),
    )
    """Depth rules in order of precedence: the first that applies is used."""

    def __init__(self) -> None:
        self.lateness = Lateness()

    def budget(self, board: Board, clock: Clock, last_value: int | None) -> Budget:
        """Return a budget with the depth that report 003's rules give for the last value and the time left.

        The time is scaled to a game of one minute.
        """
        left = clock.left_seconds
        whole = clock.control.game_seconds or self.MINUTE
        seconds = self.MINUTE if left is None else left * self.MINUTE / whole
        value = 0 if last_value is None else last_value
        depth = next(rule.depth for rule in self.RULES if rule.applies(seconds, value))
        # The only stop under this policy: a search that would lose on time ends with its result so far.
        hard = None if left is None else max(0.001, usable_seconds(board, left, self.lateness))
        return Budget(depth=depth, hard_seconds=hard)

    def enough(self, budget: Budget, elapsed: float, last_iteration: float, stable: int) -> bool:
        """Return False: there is only one iteration."""
        return False


POLICIES: dict[str, type[Policy]] = {"steady": Steady, "adaptive-003": Adaptive003}


def policy_named(name: str) -> Policy:
    """Return a new time policy of the kind called `name`."""
    if name not in POLICIES:
        raise UnknownName.among("time policy", name, POLICIES)
    return POLICIES[name]()


def lateness(before: float, latest: float) -> float:
    """Return a program's new lateness, given its lateness `before` and the lateness of its `latest` answer."""
    return max(latest, FORGETTING * before)


def usable_seconds(board: Board, left: float, lateness: Lateness) -> float:
    """Return how much of the time `left` may be spent; the rest is reserved for delays, and for playing all remaining
    moves without a search."""
    to_the_end = description_of(board.game).play.moves_at_most(board)
    reserve = 2 * lateness.reserve_seconds(LEAST_MARGIN) + to_the_end * (AT_ONCE + lateness.mean_seconds)
    return max(0.0, left - reserve)


def second_longest(values: Iterable[float]) -> float:
    """Return the second largest of `values`; 0 if there are fewer than two."""
    return sorted((0.0, 0.0, *values))[-2]


def measured_delays() -> tuple[float, list[float]]:
    """Return the time of the last measurement of delays on this machine, and the delays.

    A measurement that is older than ten seconds is repeated. A delay is the time by which a thread wakes too late from
    sleep, or for which it loses its core while working.
    """
    global _measured
    with _measuring:  # threads that measure at the same time would measure each other
        if _measured is None or time.perf_counter() - _measured[0] > MEASURED_FOR:
            delays = measure_delays()
            _measured = time.perf_counter(), delays
        return _measured


_measuring = threading.Lock()
_measured: tuple[float, list[float]] | None = None


def measure_delays() -> list[float]:
    """Return measured delays of a thread, in seconds; more of them if they show that the machine is busy."""
    delays: list[float] = []
    # Both kinds of delay count: with three threads on each of two cores a worker was delayed by 12 ms at a time, while
    # its sleeps mostly ended in time. A few measurements do not suffice: beside eight busy loops the first ones often
    # did not show the longest delay.
    while len(delays) < (MEASUREMENTS_BUSY if max(delays, default=0.0) > BUSY_DELAY else MEASUREMENTS):
        delays.append(max(delay_of_sleep(), delay_of_work()))
    return delays


def delay_of_sleep() -> float:
    """Return how much longer than a millisecond a sleep of a millisecond takes."""
    began = time.perf_counter()
    threading.Event().wait(0.001)
    return time.perf_counter() - began - 0.001


def delay_of_work() -> float:
    """Return the longest time between two readings of the clock in a busy loop."""
    longest, last = 0.0, time.perf_counter()
    for _ in range(LOOKS):
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


@cache
def safety_margin() -> float:
    """Return the seconds that are subtracted from the clock time reported to another program: twice the longest
    measured delay, but at least `LEAST_MARGIN` and at most `MOST_MARGIN`."""
    return min(MOST_MARGIN, max(LEAST_MARGIN, 2 * max(measure_delays())))
