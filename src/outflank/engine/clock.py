"""Clocks: how much time the players of a game have, and have left."""

import re
from dataclasses import dataclass, field

from outflank.errors import FormatError
from outflank.games.sides import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """How much time a player gets. Every unset part is infinite or none.

    >>> TimeControl.parse("5+3")
    TimeControl(game_seconds=5.0, increment_seconds=3.0, move_seconds=None)
    """

    game_seconds: float | None = None
    """For the whole game."""
    increment_seconds: float = 0.0
    """Added after each move."""
    move_seconds: float | None = None
    """For each move."""

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """`60` (a minute for the game), `5+3` (three seconds more after each move), `2/move`, or `none`."""
        words = text.strip().lower()
        if words in ("", "none", "inf", "-"):
            return cls()
        per_move = re.fullmatch(r"(\d+(?:\.\d+)?)/move", words)
        if per_move and float(per_move[1]) > 0:
            return cls(move_seconds=float(per_move[1]))
        whole = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", words)
        if whole and float(whole[1]) > 0:
            return cls(game_seconds=float(whole[1]), increment_seconds=float(whole[2] or 0))
        raise FormatError(f"{text!r} is no clock: 60, 5+3, 2/move or none")

    def __str__(self) -> str:
        if self.move_seconds is not None:
            return f"{self.move_seconds:g}/move"
        if self.game_seconds is None:
            return "none"
        return f"{self.game_seconds:g}" + (f"+{self.increment_seconds:g}" if self.increment_seconds else "")


@dataclass(slots=True, kw_only=True)
class Clock:
    """The clock of the side to move, as its player sees it."""

    control: TimeControl = field(default_factory=TimeControl)
    left_seconds: float | None = None
    """Time left for the game; None: there is no end of it."""
    opponent_seconds: float | None = None

    @property
    def move_seconds(self) -> float | None:
        """The most that this move may take; None: as long as it likes."""
        if self.control.move_seconds is not None:
            return self.control.move_seconds
        return self.left_seconds


@dataclass(slots=True)
class Clocks:
    """Both players' clocks of one game."""

    controls: dict[Side, TimeControl]
    left: dict[Side, float | None] = field(init=False)

    def __post_init__(self) -> None:
        self.left = {side: control.game_seconds for side, control in self.controls.items()}

    @classmethod
    def alike(cls, control: TimeControl) -> "Clocks":
        """The same time for both."""
        return cls({Side.BLACK: control, Side.WHITE: control})

    def of(self, side: Side) -> Clock:
        """What a player is shown when it is to move."""
        return Clock(control=self.controls[side], left_seconds=self.left[side], opponent_seconds=self.left[side.other])

    def spend(self, side: Side, seconds: float) -> bool:
        """Take what a move took, and add the increment; whether the time sufficed."""
        control, left = self.controls[side], self.left[side]
        if control.move_seconds is not None:
            return seconds <= control.move_seconds
        if left is None:
            return True
        if seconds > left:
            self.left[side] = 0.0
            return False
        self.left[side] = left - seconds + control.increment_seconds
        return True
