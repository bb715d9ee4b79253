"""Computers that are thinking about their moves."""

from typing import Any

from outflank.games.sides import Side
from outflank.players.player import Choice
from outflank.search.contract import Stop


class Thinking:
    """A computer's search for its move, with the means to stop it."""

    def __init__(self, side: Side) -> None:
        self.side, self.stop = side, Stop()


def remark_of(choice: Choice, game: Any) -> str:
    """Return a computer's remark about its move."""
    if choice.why or choice.value is None:
        return choice.why
    return f"{'exact' if choice.exact else f'depth {choice.depth}'}, {choice.value_text(game)}"
