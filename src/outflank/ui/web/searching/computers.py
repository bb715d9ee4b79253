"""Computers that play at tables: their searches, within what the server has."""

import asyncio
import threading
import time
from collections import OrderedDict
from typing import Any

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.players.player import Choice, Player
from outflank.players.variety import drawn_seed
from outflank.search.contract import Stop
from outflank.ui.web.games.seats import MOST_SECONDS, seated
from outflank.ui.web.searching.turns import Turns
from outflank.ui.web.settings import Settings

MOST_PLAYERS = 16
"""That keep their tables from move to move; others begin anew."""

Key = tuple[str, str, str]


class Computers:
    """All of a server's. Each is at its move in a thread of its own, with cores that it has leased."""

    def __init__(self, settings: Settings, turns: Turns) -> None:
        self.settings, self._turns = settings, turns
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Player] = OrderedDict()

    async def choose(self, id: str, words: str, board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        """The move of the computer of these words in a game, and the seconds that it took.

        Once `stop` is called the move is not wanted any more, and there may be none.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[Choice, float]] = loop.create_future()
        began = time.monotonic()

        def tell(found: tuple[Choice, float] | BaseException) -> None:
            if not answer.done():
                (answer.set_exception if isinstance(found, BaseException) else answer.set_result)(found)  # type: ignore[arg-type]

        def work() -> None:
            found: tuple[Choice, float] | BaseException
            try:
                found = self._chosen((id, words, str(board.turn)), board, clock, stop)
            except Exception as error:
                found = error
            try:
                loop.call_soon_threadsafe(tell, found)
            except RuntimeError:
                return  # the server has ended meanwhile

        threading.Thread(target=work, name="outflank-computer", daemon=True).start()
        choice, seconds = await answer
        await asyncio.sleep(max(0.0, self.settings.pace_seconds - (time.monotonic() - began)))
        return choice, seconds

    def _chosen(self, key: Key, board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        with self._lock:
            player = self._kept.pop(key, None)
        if player is None:
            player = seated(key[1], board.game, drawn_seed())
            player.new_game(board)  # compiles what it needs: that is not on its clock
        with self._turns.lease(stop) as workers:
            if stop.called:
                raise OutflankError("this move is not wanted any more")
            began = time.monotonic()
            timer = threading.Timer(MOST_SECONDS, stop)
            timer.daemon = True
            timer.start()
            try:
                choice = _by(player, workers).choose(board, clock, stop=stop)
            finally:
                timer.cancel()
            seconds = time.monotonic() - began
        with self._lock:
            self._kept[key] = player
            gone = [self._kept.popitem(last=False)[1] for _ in range(len(self._kept) - MOST_PLAYERS)]
        for each in gone:
            each.close()
        return choice, seconds

    def close(self) -> None:
        """Let all of them go."""
        with self._lock:
            for each in self._kept.values():
                each.close()
            self._kept.clear()


def _by(player: Player, workers: int) -> Player:
    """The player with so many threads, where it searches by any."""
    if isinstance(player, Computer):
        player.options["workers"] = workers
    return player
