"""Computers that play at tables: their searches, within what the server has."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

from outflank.boards import Board
from outflank.players.clock import Clock
from outflank.players.player import Choice, Player
from outflank.players.variety import drawn_seed
from outflank.search.contract import Stop
from outflank.ui.web.seats import seated
from outflank.ui.web.settings import Settings

MOST_PLAYERS = 16
"""That keep their tables from move to move; others begin anew."""


class Computers:
    """All of a server's."""

    def __init__(self, settings: Settings, work: Callable[..., Coroutine[Any, Any, Any]]) -> None:
        self.settings, self._work = settings, work
        self._kept: OrderedDict[tuple[str, str, str], Player] = OrderedDict()

    async def choose(self, id: str, words: str, board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        """The move of the computer of these words in a game, and the seconds that it took."""
        began = time.monotonic()
        choice, seconds = await self._work(self._chosen, (id, words, str(board.turn)), board, clock, stop)
        await asyncio.sleep(max(0.0, self.settings.pace_seconds - (time.monotonic() - began)))
        return choice, seconds

    def _chosen(self, key: tuple[str, str, str], board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        player = self._kept.pop(key, None)
        if player is None:
            player = seated(key[1], board.game, drawn_seed())
            player.new_game(board)
        began = time.monotonic()
        choice = player.choose(board, clock, stop=stop)
        seconds = time.monotonic() - began
        self._kept[key] = player
        while len(self._kept) > MOST_PLAYERS:
            self._kept.popitem(last=False)[1].close()
        return choice, seconds

    def close(self) -> None:
        """Let all of them go."""
