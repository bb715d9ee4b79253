"""Computers that play at tables: their searches, within what the server has."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.players.player import Choice, Player
from outflank.players.variety import drawn_seed
from outflank.search.contract import Stop
from outflank.ui.web.games.seats import MOST_SECONDS, TABLE_BITS, seated
from outflank.ui.web.searching.turns import Turns
from outflank.ui.web.settings import Settings

MOST_PLAYERS = 16
"""Maximum number of players in memory; they keep their tables from move to move."""

TABLES_OF_A_PLAYER = 2
"""Tables of a player: one for estimates, one for exact endings."""

MOST_WORDS = 1000
"""Of computers, of which it is known that their kernels are there."""

Key = tuple[str, str, str]
"""Key of a player: its game, its words and its side."""
Kernels = tuple[str, str]
"""The kernels that a player needs, by the rules of its game and its words."""
T = TypeVar("T")


class Computers:
    """All players of a server. Each thinks in a thread of its own, on cores that it has leased.

    There are never more than `MOST_PLAYERS` in memory, at work or idle: who needs another one drops the idle player
    that has waited longest, or waits until one is idle.
    """

    def __init__(self, settings: Settings, turns: Turns) -> None:
        self.settings, self._turns = settings, turns
        self._changed = threading.Condition()
        self._idle: OrderedDict[Key, Player] = OrderedDict()
        self._working: set[_Request] = set()  # whose players are being made, or are thinking
        self._asking: list[_Request] = []  # waiting for a player, in this order
        self._closed = False
        self._is_compiling = False
        self._ready: OrderedDict[Kernels, None] = OrderedDict()

    @staticmethod
    def most_bytes() -> int:
        """Return the limit on the bytes of all tables of players."""
        return MOST_PLAYERS * TABLES_OF_A_PLAYER * (32 << TABLE_BITS)

    def in_memory(self) -> int:
        """Return the number of players in memory."""
        with self._changed:
            return len(self._idle) + len(self._working)

    async def choose(self, id: str, words: str, board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        """The move of the computer of these words in a game, and the seconds that it took.

        Once `stop` is called the move is not wanted any more, and there may be none.
        """
        began = time.monotonic()
        request = _Request(key=(id, words, str(board.turn)), kernels=(repr(board.game), words))
        choice, seconds = await _in_thread(lambda: self._move(request, board, clock, stop))
        await asyncio.sleep(max(0.0, self.settings.pace_seconds - (time.monotonic() - began)))
        return choice, seconds

    def _move(self, request: "_Request", board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
        player = self._take(request, stop)
        try:
            if player is None:
                player = self._made(request, board)
            chosen = self._chosen(player, board, clock, stop)
        except _NotWanted:
            self._put_back(request, player)
            raise
        except BaseException:
            if player is not None:
                player.close()
            self._put_back(request, None)
            raise
        self._put_back(request, player)
        return chosen

    def _take(self, request: "_Request", stop: Stop) -> Player | None:
        """Wait for the idle player of this key and return it; None: there is room to make a new one."""
        stop.add_listener(self._wake)
        try:
            with self._changed:
                self._asking.append(request)
                while not self._closed and not stop.called and not self._is_next(request):
                    self._changed.wait()
                self._asking.remove(request)
                self._changed.notify_all()
                _check_wanted(stop)
                player = self._idle.pop(request.key, None)
                request.compiles = player is None and request.kernels not in self._ready
                self._is_compiling |= request.compiles
                self._working.add(request)
                gone = self._oldest_beyond_room()
        finally:
            stop.remove_listener(self._wake)
        _close(gone)  # before a new one is made
        return player

    def _is_next(self, request: "_Request") -> bool:
        """Whether a request is the first in the queue that can be served now."""
        return next((each for each in self._asking if self._can_serve(each)), None) is request

    def _can_serve(self, request: "_Request") -> bool:
        """Whether there is room for its player, which compiles only while no other does."""
        is_there = request.key in self._idle or request.kernels in self._ready
        return len(self._working) < MOST_PLAYERS and (is_there or not self._is_compiling)

    def _put_back(self, request: "_Request", player: Player | None) -> None:
        """Return a player to the idle ones; None: it was closed."""
        gone: list[Player] = []
        with self._changed:
            if player is not None and (self._closed or request.is_forgotten):
                gone = [player]
            elif player is not None:
                # There may be one of a later move, where this one was stopped.
                gone = [self._idle.pop(request.key)] if request.key in self._idle else []
                self._idle[request.key] = player
        _close(gone)
        with self._changed:  # not before: there is no room while it has tables
            self._working.discard(request)
            self._changed.notify_all()

    def _oldest_beyond_room(self) -> list[Player]:
        beyond = len(self._idle) + len(self._working) - MOST_PLAYERS
        return [self._idle.popitem(last=False)[1] for _ in range(min(beyond, len(self._idle)))]

    def forget(self, id: str) -> None:
        """Close the players of a game that nobody watches; one that is thinking is closed when it returns."""
        with self._changed:
            gone = [self._idle.pop(key) for key in list(self._idle) if key[0] == id]
            for request in self._working:
                request.is_forgotten |= request.key[0] == id
        _close(gone)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _made(self, request: "_Request", board: Board[Any]) -> Player:
        """Return a new player with its kernels compiled, which must not happen on its clock."""
        try:
            player = seated(request.key[1], board.game, drawn_seed())
            player.new_game(board)
            with self._changed:
                self._ready[request.kernels] = None
                while len(self._ready) > MOST_WORDS:
                    self._ready.popitem(last=False)
        finally:
            if request.compiles:
                with self._changed:
                    self._is_compiling = False
                    self._changed.notify_all()
        return player

    def _chosen(self, player: Player, board: Board[Any], clock: Clock, stop: Stop) -> tuple[Choice, float]:
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
            return choice, time.monotonic() - began

    def close(self) -> None:
        """Close all players; those that are thinking, when they return."""
        with self._changed:
            self._closed = True
            gone = list(self._idle.values())
            self._idle.clear()
            self._changed.notify_all()
        _close(gone)


@dataclass(eq=False, slots=True, kw_only=True)
class _Request:
    """A request for a move."""

    key: Key
    kernels: Kernels
    """The kernels that its player needs."""
    compiles: bool = False
    """Whether they may have to be compiled."""
    is_forgotten: bool = False
    """Whether its player is closed after the move."""


class _NotWanted(OutflankError):
    """The move is not wanted any more."""


def _check_wanted(stop: Stop) -> None:
    if stop.called:
        raise _NotWanted("this move is not wanted any more")


def _close(players: list[Player]) -> None:
    for player in players:
        player.close()


async def _in_thread(job: Callable[[], T]) -> T:
    """Run a job in a new thread and return its result.

    An exception comes without its traceback, and nothing here refers to it afterwards: the frames of a search hold its
    tables, and in a cycle these would stay until the garbage collector comes to them, which may be never.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    results: list[T] = []
    failures: list[Exception] = []

    def end() -> None:
        if not ended.done():
            ended.set_result(None)

    def work() -> None:
        try:
            results.append(job())
        except Exception as error:
            error.__traceback__ = error.__cause__ = error.__context__ = None
            failures.append(error)
        with suppress(RuntimeError):  # the server may have ended meanwhile
            loop.call_soon_threadsafe(end)

    threading.Thread(target=work, name="outflank-computer", daemon=True).start()
    await ended
    if failures:
        raise failures.pop()
    return results.pop()


def _by(player: Player, workers: int) -> Player:
    """The player with so many threads, where it searches by any."""
    if isinstance(player, Computer):
        player.options["workers"] = workers
    return player
