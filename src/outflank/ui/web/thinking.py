"""Computers at their moves."""

import asyncio
from typing import Any

from outflank.games.sides import Side
from outflank.players.player import Choice
from outflank.search.contract import Stop


class Thinking:
    """A computer that is at its move."""

    def __init__(self, side: Side, task: "asyncio.Task[None]") -> None:
        self.side, self.task, self.stop = side, task, Stop()

    def end(self) -> None:
        """Its move is not wanted any more."""
        self.stop()


def remark_of(choice: Choice, game: Any) -> str:
    """What a computer says of its move."""
    if choice.why or choice.value is None:
        return choice.why
    return f"{'exact' if choice.exact else f'depth {choice.depth}'}, {choice.said(game)}"
