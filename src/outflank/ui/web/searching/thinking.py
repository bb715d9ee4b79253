"""Computers at their moves."""

from typing import Any

from outflank.games.sides import Side
from outflank.players.player import Choice
from outflank.search.contract import Stop


class Thinking:
    """A computer that is at its move, until it is stopped."""

    def __init__(self, side: Side) -> None:
        self.side, self.stop = side, Stop()


def remark_of(choice: Choice, game: Any) -> str:
    """What a computer says of its move."""
    if choice.why or choice.value is None:
        return choice.why
    return f"{'exact' if choice.exact else f'depth {choice.depth}'}, {choice.value_text(game)}"
