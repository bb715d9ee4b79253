"""Time controls, and clocks with the time that the players of a game have left."""

import re
import time
from dataclasses import dataclass, field

from outflank.errors import FormatError
from outflank.formats.clock_text import ClockTimes, read_clock, write_clock, write_time
from outflank.games.sides import Side
from outflank.search.request import LONGEST_SECONDS
from outflank.validation.values import check_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """Time that a player gets. An unset limit is infinite, an unset increment is zero.

    >>> TimeControl.parse("5+3")
    TimeControl(game_seconds=300.0, increment_seconds=3.0, move_seconds=None)
    >>> print(TimeControl.parse("5+3"), TimeControl.parse("5+3").in_words, sep=": ")
    5m+3s: 5 minutes for the game, 3 seconds more after each move
    """

    game_seconds: float | None = None
    """Time for the whole game."""
    increment_seconds: float = 0.0
    """Increment after each move."""
    move_seconds: float | None = None
    """Time for each move."""

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Parse `5+3` (five minutes, three seconds more after each move), `30s`, `5m`, `5:00+2s`, `2s/move`, `none`."""
        words = text.strip().lower()
        if words in ("", "none", "inf", "-"):
            return cls()
        if re.fullmatch(_BARE, words) and float(words):
            # Some users would mean seconds, others minutes, and would notice the mistake only when their time is up.
            raise FormatError(
                f"{text!r} is no clock without a unit: {words}s are seconds, {words}m or {words}+0 minutes"
            )
        times = read_clock(_with_units(words))
        if times is None:
            raise FormatError(f"{text!r} is no clock: 5+3 (minutes and seconds), 5m, 5:00, 30s+1s, 2s/move or none")
        if max(times.game or 0.0, times.increment, times.move or 0.0) > LONGEST_SECONDS:
            raise FormatError(f"{text!r} is a clock of more than {LONGEST_SECONDS:g} seconds")
        return cls(game_seconds=times.game, increment_seconds=times.increment, move_seconds=times.move)

    def __str__(self) -> str:
        return write_clock(ClockTimes(self.game_seconds, self.increment_seconds, self.move_seconds))

    @property
    def in_words(self) -> str:
        """The time control in words, so that users can check how it was understood."""
        if self.move_seconds is not None:
            return f"{_spelt(self.move_seconds)} for each move"
        if self.game_seconds is None:
            return "no clock"
        more = f", {_spelt(self.increment_seconds)} more after each move" if self.increment_seconds else ""
        return f"{_spelt(self.game_seconds)} for the game{more}"


_BARE = r"[0-9]+(?:\.[0-9]+)?"


def _with_units(words: str) -> str:
    """Add missing units: minutes for the game, seconds for an increment or a move."""
    words = re.sub(rf"^({_BARE})\+", r"\1m+", words)
    words = re.sub(rf"\+({_BARE})$", r"+\1s", words)
    return re.sub(rf"^({_BARE})/move$", r"\1s/move", words)


def _spelt(seconds: float) -> str:
    if seconds < 60 or seconds != int(seconds):
        return "1 second" if seconds == 1 else f"{write_time(seconds)[:-1]} seconds"
    minutes, rest = divmod(int(seconds), 60)
    text = "1 minute" if minutes == 1 else f"{minutes} minutes"
    return f"{text} {_spelt(rest)}" if rest else text


@dataclass(slots=True, kw_only=True)
class Clock:
    """Clock of the side to move, as its player sees it."""

    control: TimeControl = field(default_factory=TimeControl)
    left_seconds: float | None = None
    """Time left for the game; None if it has no limit."""
    opponent_seconds: float | None = None
    started: float | None = None
    """Value of `time.perf_counter` when the clock started for this move; None if it starts when `choose` is called."""

    @property
    def move_seconds(self) -> float | None:
        """Limit on the time of this move; None if there is no limit."""
        if self.control.move_seconds is not None:
            return self.control.move_seconds
        return self.left_seconds


@dataclass(slots=True)
class Clocks:
    """Clocks of both players of a game."""

    controls: dict[Side, TimeControl]
    left: dict[Side, float | None] = field(init=False)

    def __post_init__(self) -> None:
        self.left = {side: control.game_seconds for side, control in self.controls.items()}

    @classmethod
    def alike(cls, control: TimeControl) -> "Clocks":
        """Return clocks with the same time control for both sides."""
        return cls({Side.BLACK: control, Side.WHITE: control})

    @property
    def are_limited(self) -> bool:
        """Whether either side has a time limit."""
        return any(control != TimeControl() for control in self.controls.values())

    def of(self, side: Side) -> Clock:
        """Return the clock that a player sees when it is to move; the clock starts running now."""
        return Clock(
            control=self.controls[side],
            left_seconds=self.left[side],
            opponent_seconds=self.left[side.other],
            started=time.perf_counter(),
        )

    def spend(self, side: Side, seconds: float) -> bool:
        """Subtract the time of a move and add the increment; return whether there was enough time."""
        control, left = self.controls[side], self.left[side]
        if control.move_seconds is not None:
            return seconds <= control.move_seconds
        if not self.use(side, seconds):
            return False
        if left is not None:
            self.left[side] = left - seconds + control.increment_seconds
        return True

    def use(self, side: Side, seconds: float) -> bool:
        """Subtract time that was used without a move, and add no increment; return whether there was enough time."""
        left = self.left[side]
        if left is None or self.controls[side].move_seconds is not None:
            return True
        self.left[side] = max(0.0, left - seconds)
        return seconds <= left
