"""Computers that play at tables: their searches, within what the server has."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

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

MOST_WORDS = 1000
"""Of computers, of which it is known that their kernels are there."""

Key = tuple[str, str, str]
T = TypeVar("T")


class Computers:
    """All of a server's. Each is at its move in a thread of its own, with cores that it has leased."""

    def __init__(self, settings: Settings, turns: Turns) -> None:
        self.settings, self._turns = settings, turns
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Player] = OrderedDict()
        self._compiling = asyncio.Lock()
        self._ready: OrderedDict[tuple[str, str], None] = OrderedDict()

    async def choose(self, id: str, words: str, board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        """The move of the computer of these words in a game, and the seconds that it took.

        Once `stop` is called the move is not wanted any more, and there may be none.
        """
        began, key = time.monotonic(), (id, words, str(board.turn))
        with self._lock:
            player = self._kept.pop(key, None)
        if player is None:
            player = await self._made(words, board, stop)
        choice, seconds = await _in_thread(lambda: self._chosen(key, player, board, clock, stop))
        await asyncio.sleep(max(0.0, self.settings.pace_seconds - (time.monotonic() - began)))
        return choice, seconds

    async def _made(self, words: str, board: Board[Any], stop: Stop) -> Player:
        """A new one, which has compiled what it needs: that is not on its clock. Kernels that may not be there yet are
        compiled for one computer at a time, and not for those that are not wanted any more."""

        def made() -> Player:
            player = seated(words, board.game, drawn_seed())
            player.new_game(board)
            return player

        kernels = (repr(board.game), words)
        if kernels in self._ready:
            return await _in_thread(made)
        async with self._compiling:
            _check_wanted(stop)
            player = await _in_thread(made)
            self._ready[kernels] = None
            while len(self._ready) > MOST_WORDS:
                self._ready.popitem(last=False)
            return player

    def _chosen(self, key: Key, player: Player, board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        with self._turns.lease(stop) as workers:
            _check_wanted(stop)
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


def _check_wanted(stop: Stop) -> None:
    if stop.called:
        raise OutflankError("this move is not wanted any more")


async def _in_thread(job: Callable[[], T]) -> T:
    """What this finds, in a thread of its own: it may take long."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def tell(set_answer: Callable[[Any], None], found: object) -> None:
        if not answer.done():
            set_answer(found)

    def work() -> None:
        try:
            said = (answer.set_result, job())
        except Exception as error:
            said = (answer.set_exception, error)  # type: ignore[assignment]
        with suppress(RuntimeError):  # the server may have ended meanwhile
            loop.call_soon_threadsafe(tell, *said)

    threading.Thread(target=work, name="outflank-computer", daemon=True).start()
    return await answer


def _by(player: Player, workers: int) -> Player:
    """The player with so many threads, where it searches by any."""
    if isinstance(player, Computer):
        player.options["workers"] = workers
    return player
