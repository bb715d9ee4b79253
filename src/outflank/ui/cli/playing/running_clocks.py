"""Game clocks while one of them runs, as they are shown."""

import time
from dataclasses import dataclass, field

from outflank.games.sides import Side
from outflank.players.clock import Clocks

LOW_SECONDS, LOW_SHARE = 10.0, 0.1
"""Time is low below this number of seconds, or this share of the time for the game."""


@dataclass(slots=True)
class Ticking:
    """The clocks of a game from the moment that a side is to move."""

    clocks: Clocks
    side: Side
    began: float = field(default_factory=time.perf_counter)
    earlier_seconds: float = 0.0
    """Time that the side had used before `began`."""

    @property
    def seconds(self) -> float:
        """Time that the side has used since `began`."""
        return time.perf_counter() - self.began

    def restarted(self) -> "Ticking":
        """Return the same running clocks, for work that begins now."""
        return Ticking(self.clocks, self.side, earlier_seconds=self.earlier_seconds + self.seconds)

    def left(self, side: Side) -> float | None:
        """Return the seconds that a side has left now; None: it has no limit."""
        control = self.clocks.controls[side]
        left = self.clocks.left[side] if control.move_seconds is None else control.move_seconds
        return left if left is None or side is not self.side else max(0.0, left - self.earlier_seconds - self.seconds)

    def is_low(self, side: Side) -> bool:
        """Return whether a side is short of time."""
        left, control = self.left(side), self.clocks.controls[side]
        if left is None:
            return False
        if control.move_seconds is not None:
            return left < control.move_seconds / 4
        return left < max(LOW_SECONDS, LOW_SHARE * (control.game_seconds or 0.0))

    def texts(self) -> list[tuple[str, bool]]:
        """Return each side's time as text, and whether it is low; nothing without a clock."""
        parts = []
        for side in Side:
            left = self.left(side)
            if left is not None:
                low = self.is_low(side)
                parts.append((f"{side} {clock_text(left)}{' low' if low else ''}", low))
        return parts


def clock_text(seconds: float) -> str:
    """Return a time as a clock shows it, with tenths only below `LOW_SECONDS`.

    >>> [clock_text(seconds) for seconds in (300, 59.9, 8.25, 0, 3725)]
    ['5:00', '0:59', '0:08.2', '0:00.0', '1:02:05']
    """
    if seconds < LOW_SECONDS:
        return f"0:{int(seconds * 10) / 10:04.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
