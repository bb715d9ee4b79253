"""What a GTP program is told of its time.

The protocol has main time and then periods (Canadian byo-yomi), and no increment. Programs made for other games
than Go understand main time and what is left of it, and many take a period for something else; so that is what they are
told, unless the words of the player say that they know better.
"""

import math
from enum import Enum
from typing import Any

from outflank.boards import Board
from outflank.errors import UnknownName
from outflank.games.description import description_of
from outflank.players.clock import Clock, TimeControl

UNLIMITED = "0 1 0"
"""As the protocol says that there is no limit: sent only to take a limit back, since some read it as no time at all."""

LARGER_SHARE = 5
"""How much more than an even share of its time a program may spend on a move, about: those that expect to solve the
ending early divide by few moves. Time for one move is told as that of so many fewer moves."""


class Telling(Enum):
    """How a program is told the time."""

    MAIN = "main"
    """Whole seconds left for the game, before each move."""
    PERIODS = "periods"
    """As the protocol has it: an increment, or the time for a move, is a period of one move."""
    NOTHING = "none"
    """Its own command line says how long it thinks."""
    EXACTLY = "exactly"
    """As it is understood by our own engine: periods, and parts of seconds."""

    @classmethod
    def named(cls, text: str) -> "Telling":
        """The one that words name."""
        names = [each.value for each in (cls.MAIN, cls.PERIODS, cls.NOTHING)]
        if text not in names:
            raise UnknownName.among("clock of a program", text, names)
        return cls(text)


def time_settings(control: TimeControl, board: Board[Any], telling: Telling) -> str:
    """Main time, the period and its moves."""
    exactly = telling is Telling.EXACTLY
    if control.move_seconds is None and control.game_seconds is None:
        return UNLIMITED
    if telling is Telling.MAIN:
        return f"{_whole(_for_the_game(control.move_seconds, control.game_seconds, board))} 0 0"
    if control.move_seconds is not None:
        return f"0 {_written(control.move_seconds, exactly)} 1"
    assert control.game_seconds is not None
    period = f"{_written(control.increment_seconds, exactly)} 1" if control.increment_seconds > 0 else "0 0"
    return f"{_written(control.game_seconds, exactly)} {period}"


def time_left(clock: Clock, board: Board[Any], telling: Telling, margin: float) -> str:
    """Seconds and, within a period, moves; `margin` is what the program's answers take to arrive."""
    exactly = telling is Telling.EXACTLY
    a_move = clock.control.move_seconds
    if telling is Telling.MAIN:
        most = _for_the_game(a_move and a_move - margin, clock.left_seconds and clock.left_seconds - margin, board)
        return f"{_written(most, exactly)} 0"
    assert clock.move_seconds is not None
    return f"{_written(clock.move_seconds - margin, exactly)} {int(a_move is not None)}"


def _for_the_game(a_move: float | None, a_game: float | None, board: Board[Any]) -> float:
    """What is left for the game; where there is time for each move, so much that it will not think longer than that."""
    if a_move is not None:
        return a_move * max(1.0, description_of(board.game).moves_expected(board) / LARGER_SHARE)
    return a_game or 0.0


def _written(seconds: float, exactly: bool) -> str:
    """Whole ones, as GTP has it, unless there are none left: who reads those only moves at once, as it should."""
    if exactly:
        return f"{max(seconds, 0.001):.3f}"
    return _whole(seconds) if seconds >= 1 else f"{max(seconds, 0.01):.2f}"


def _whole(seconds: float) -> str:
    """Never none, which might mean no limit."""
    return str(max(1, math.floor(seconds)))
