"""The time settings that a GTP program is sent.

The protocol has main time and then periods (Canadian byo-yomi), and no increment. Programs made for other games than Go
understand main time and what is left of it, and many misread a period; so main time is sent, unless the words of the
player say otherwise.
"""

import math
from enum import Enum
from typing import Any

from outflank.boards import Board
from outflank.errors import UnknownName
from outflank.games.description import description_of
from outflank.players.clock import Clock, TimeControl

UNLIMITED = "0 1 0"
"""The protocol's form of no limit: sent only to cancel a limit, since some programs read it as no time at all."""

LARGER_SHARE = 5
"""Approximate ratio by which a program may exceed an even share of its time on a move: programs that expect to solve
the ending early divide by few moves. A time for one move is sent as the time for that many times fewer moves."""


class ClockStyle(Enum):
    """The form in which a program is sent the time."""

    MAIN = "main"
    """Whole seconds left for the game, before each move."""
    PERIODS = "periods"
    """The protocol's form: an increment, or the time for a move, is a period of one move."""
    NOTHING = "none"
    """No time is sent: the program's own command line says how long it thinks."""
    EXACTLY = "exactly"
    """The form that our own engine understands: periods, and parts of seconds."""

    @classmethod
    def named(cls, text: str) -> "ClockStyle":
        """Return the style with this name."""
        names = [style.value for style in (cls.MAIN, cls.PERIODS, cls.NOTHING)]
        if text not in names:
            raise UnknownName.among("clock of a program", text, names)
        return cls(text)


def time_settings(control: TimeControl, board: Board[Any], style: ClockStyle) -> str:
    """Return the main time, the period and its moves."""
    exactly = style is ClockStyle.EXACTLY
    if control.move_seconds is None and control.game_seconds is None:
        return UNLIMITED
    if style is ClockStyle.MAIN:
        return f"{_whole_seconds(_for_the_game(control.move_seconds, control.game_seconds, board))} 0 0"
    if control.move_seconds is not None:
        return f"0 {_seconds_text(control.move_seconds, exactly)} 1"
    assert control.game_seconds is not None
    period = f"{_seconds_text(control.increment_seconds, exactly)} 1" if control.increment_seconds > 0 else "0 0"
    return f"{_seconds_text(control.game_seconds, exactly)} {period}"


def time_left(clock: Clock, board: Board[Any], style: ClockStyle, margin: float) -> str:
    """Return the seconds and, within a period, the moves; `margin` is the time that the program's answers take."""
    exactly = style is ClockStyle.EXACTLY
    move_seconds = clock.control.move_seconds
    if style is ClockStyle.MAIN:
        game_seconds = _for_the_game(
            move_seconds and move_seconds - margin, clock.left_seconds and clock.left_seconds - margin, board
        )
        return f"{_seconds_text(game_seconds, exactly)} 0"
    assert clock.move_seconds is not None
    return f"{_seconds_text(clock.move_seconds - margin, exactly)} {int(move_seconds is not None)}"


def _for_the_game(move_seconds: float | None, game_seconds: float | None, board: Board[Any]) -> float:
    """Return the time left for the game; if each move has a time, an amount that keeps the program within that time."""
    if move_seconds is not None:
        return move_seconds * max(1.0, description_of(board.game).moves_expected(board) / LARGER_SHARE)
    return game_seconds or 0.0


def _seconds_text(seconds: float, exactly: bool) -> str:
    """Return whole seconds as GTP has it, or a fraction below 1: a program that reads it as 0 moves at once."""
    if exactly:
        return f"{max(seconds, 0.001):.3f}"
    return _whole_seconds(seconds) if seconds >= 1 else f"{max(seconds, 0.01):.2f}"


def _whole_seconds(seconds: float) -> str:
    """Return whole seconds, at least 1, since 0 might mean no limit."""
    return str(max(1, math.floor(seconds)))
