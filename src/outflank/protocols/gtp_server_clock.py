"""Time in GTP: main time, then a number of seconds for a number of moves (Canadian byo-yomi)."""

from dataclasses import dataclass, field

from outflank.games.sides import Side
from outflank.players.clock import Clock, TimeControl


@dataclass(slots=True)
class GtpClock:
    """Both sides' time. The controller sends what is left; if it does not, the time of each move is subtracted.

    Our clocks have no byo-yomi. While main time lasts, a move's share of it counts as an increment; then every move
    gets its share of the period. Neither ever spends more than there is.

    >>> clock = GtpClock()
    >>> clock.set(60, 30, 10)
    >>> clock.of(Side.BLACK).control, clock.of(Side.BLACK).left_seconds
    (TimeControl(game_seconds=60, increment_seconds=3.0, move_seconds=None), 60)
    >>> clock.tell(Side.BLACK, 20, 4)
    >>> clock.of(Side.BLACK).move_seconds
    5.0
    """

    main: float | None = None
    """Main time in seconds; None: no limit."""
    period: float = 0.0
    stones: int = 0
    _left: dict[Side, tuple[float, int]] = field(default_factory=dict)

    def set(self, main: float, period: float, stones: int) -> None:
        """Handle `time_settings`. A period for no moves means no limit, and so do three zeros."""
        unlimited = stones == 0 if period > 0 else main == 0
        self.main = None if unlimited else main
        self.period, self.stones = (period, stones) if period > 0 else (0.0, 0)
        self.restart()

    def restart(self) -> None:
        """Reset both sides' time for a new game."""
        self._left = {} if self.main is None else dict.fromkeys(Side, self._period_after(self.main))

    def tell(self, side: Side, seconds: float, stones: int) -> None:
        """Handle `time_left`: with stones, what is left of the period; without, of the main time."""
        self._left[side] = (seconds, stones) if stones else self._period_after(seconds)

    def spend(self, side: Side, seconds: float) -> None:
        """Subtract the time of a move."""
        if side not in self._left:
            return
        left, stones = self._left[side]
        left -= seconds
        if stones == 0:
            self._left[side] = self._period_after(left)
        else:
            self._left[side] = (left, stones - 1) if stones > 1 else (self.period or left, self.stones)

    def of(self, side: Side) -> Clock:
        """Return the clock that the player sees."""
        if side not in self._left:
            return Clock()
        left, stones = self._left[side]
        if stones:
            return Clock(control=TimeControl(move_seconds=left / stones))
        share = self.period / self.stones if self.stones else 0.0
        opponent = self._left.get(side.other)
        return Clock(
            control=TimeControl(game_seconds=self.main or left, increment_seconds=share),
            left_seconds=left,
            opponent_seconds=opponent[0] if opponent else None,
        )

    def _period_after(self, main: float) -> tuple[float, int]:
        """Return the main time; if it is used up and there are periods, the first period."""
        if main <= 0 and self.stones:
            return self.period, self.stones
        return max(main, 0.0), 0
