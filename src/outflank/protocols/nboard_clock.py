"""Time in NBoard: `TI[…]` of the game, and after each move the seconds that it took."""

import re

from outflank.formats.brackets import read_properties, read_remarks
from outflank.games.sides import Side
from outflank.players.clock import Clock, Clocks, TimeControl

_time = re.compile(r"(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,6}(?:\.\d+)?)", re.ASCII)


class NBoardClock:
    """Both sides' time in the game on the board.

    >>> clock = NBoardClock()
    >>> clock.of(Side.BLACK).left_seconds
    >>> clock.set("(;TI[05:00/00:03]B[F5//60];)")
    >>> clock.of(Side.BLACK).left_seconds, clock.of(Side.WHITE).left_seconds
    (243.0, 300.0)
    """

    def __init__(self) -> None:
        self._clocks: Clocks | None = None

    def set(self, game: str) -> None:
        """Handle `set game`: its clock, less the time of its moves; no clock, or one without time, means no limit."""
        properties = list(read_properties(game))
        time_text = next((item.values[0] for item in properties if item.name == "TI"), "")
        self._clocks = _clocks(time_text)
        for item in properties:
            if item.name in ("B", "W"):
                self.spend(Side.BLACK if item.name == "B" else Side.WHITE, item.values[0])

    def spend(self, side: Side, move: str) -> None:
        """Subtract the time of a move, which its own text `F5/eval/secs` states."""
        seconds = read_remarks(move)[1]
        if self._clocks is not None and seconds is not None and seconds >= 0:
            self._clocks.spend(side, seconds)

    def of(self, side: Side) -> Clock:
        """Return the clock that the player sees."""
        return Clock() if self._clocks is None else self._clocks.of(side)


def clock_property(clock: Clock) -> str:
    """Return the property for the time left on a clock, in whole seconds as GGF has it; empty if there is no limit.

    >>> clock_property(Clock(control=TimeControl(game_seconds=300, increment_seconds=2.5), left_seconds=299.4))
    'TI[04:59/00:02]'
    """
    if clock.left_seconds is None:
        return ""
    parts = [max(1, int(clock.left_seconds)), int(clock.control.increment_seconds)]
    return f"TI[{'/'.join(f'{part // 60:02d}:{part % 60:02d}' for part in parts if part)}]"


def _clocks(text: str) -> Clocks | None:
    """Return the clocks of `15:00`, `05:00/00:03/02:00` (time, increment, grace), or seconds alone."""
    seconds = []
    for part in text.split("/")[:2]:
        match = _time.fullmatch(part.strip())
        hours, minutes, rest = (float(group or 0) for group in match.groups()) if match else (0.0, 0.0, 0.0)
        seconds.append(3600 * hours + 60 * minutes + rest)
    if not seconds[0]:
        return None
    return Clocks.alike(TimeControl(game_seconds=seconds[0], increment_seconds=sum(seconds[1:])))
