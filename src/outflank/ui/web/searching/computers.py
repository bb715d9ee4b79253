"""The computer players of a server, and their searches for moves."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.players.habits import random_seed
from outflank.players.player import Choice, Player
from outflank.search.request import Stop
from outflank.ui.web.games.seats import TABLE_BITS, web_player
from outflank.ui.web.searching.compilation import REPORT_SECONDS, Compilation, Compiled
from outflank.ui.web.searching.core_sharing import Turns
from outflank.ui.web.server_limits import MOST_MOVE_SECONDS, Settings

MOST_PLAYERS = 16
"""Maximum number of computer players in memory. They keep their transposition tables from move to move."""

TABLES_OF_A_PLAYER = 2
"""Number of transposition tables of a player: one for estimates, one for exact endgames."""

MOST_READY = 1000
"""Maximum number of kernel sets that are remembered as compiled. A set has the kernels of one player's searches."""

Key = tuple[str, str, str]
"""Key of a player: id of its game, its description, and its side."""
Kernels = tuple[str, str]
"""Key of the kernels that a player needs: the rules of its game, and its description."""
T = TypeVar("T")


class Computers:
    """All computer players of a server. Each thinks in its own thread, on cores that it has leased.

    At most `MOST_PLAYERS` players are in memory, thinking or idle. A request for another player closes the player that
    has been idle longest, or waits until a player is idle.
    """

    def __init__(self, settings: Settings, turns: Turns) -> None:
        self.settings, self._turns = settings, turns
        self._changed = threading.Condition()
        self._idle: OrderedDict[Key, Player] = OrderedDict()
        self._working: set[_Request] = set()  # requests with players that are being created or are thinking
        self._queue: list[_Request] = []  # requests that wait for a player, in this order
        self._closed = False
        self._compilation: Compilation | None = None
        self._ready: OrderedDict[Kernels, None] = OrderedDict()

    @staticmethod
    def most_bytes() -> int:
        """Return the maximum size in bytes of all players' transposition tables together."""
        return MOST_PLAYERS * TABLES_OF_A_PLAYER * (32 << TABLE_BITS)

    def in_memory(self) -> int:
        """Return the number of players in memory."""
        with self._changed:
            return len(self._idle) + len(self._working)

    async def choose(
        self,
        id: str,
        words: str,
        board: Board,
        clock: Clock,
        stop: Stop,
        report: Callable[[Compiled | None], None] = lambda progress: None,
    ) -> tuple[Choice, float]:
        """Return the move of the computer player `words` in the game `id`, and the seconds that the player took.

        While the player waits for kernels, the progress of their compilation is reported, and None at its end. After a
        call of `stop` the move is no longer needed, and an error may be raised instead.
        """
        began = time.monotonic()
        request = _Request(key=(id, words, str(board.turn)), kernels=(repr(board.game), words))
        reports = asyncio.create_task(self._report(request, report))
        try:
            choice, seconds = await _in_thread(lambda: self._move(request, board, clock, stop))
        finally:
            reports.cancel()
        await asyncio.sleep(max(0.0, self.settings.pace_seconds - (time.monotonic() - began)))
        return choice, seconds

    async def _report(self, request: "_Request", report: Callable[[Compiled | None], None]) -> None:
        """Report the progress of the compilation for which the request waits, until this task is cancelled."""
        reported: Compiled | None = None
        while True:
            await asyncio.sleep(REPORT_SECONDS)
            with self._changed:
                compilation = self._compilation if request.compiles or request in self._queue else None
            progress = None if compilation is None else compilation.progress()
            if progress != reported:
                report(progress)
                reported = progress

    def _move(self, request: "_Request", board: Board, clock: Clock, stop: Stop) -> tuple[Choice, float]:
        player = self._acquire(request, stop)
        try:
            if player is None:
                player = self._new_player(request, board)
            choice_and_seconds = self._choose(player, board, clock, stop)
        except _NotWanted:
            self._release(request, player)
            raise
        except BaseException:
            if player is not None:
                player.close()
            self._release(request, None)
            raise
        self._release(request, player)
        return choice_and_seconds

    def _acquire(self, request: "_Request", stop: Stop) -> Player | None:
        """Wait until the request can be served. Return the idle player for it, or None if a player must be created."""
        stop.add_listener(self._wake)
        try:
            with self._changed:
                self._queue.append(request)
                while not self._closed and not stop.called and not self._is_next(request):
                    self._changed.wait()
                self._queue.remove(request)
                self._changed.notify_all()
                _check_wanted(stop)
                player = self._idle.pop(request.key, None)
                request.compiles = player is None and request.kernels not in self._ready
                if request.compiles:
                    self._compilation = Compilation()
                self._working.add(request)
                closing = self._oldest_beyond_room()
        finally:
            stop.remove_listener(self._wake)
        _close(closing)  # before a new player is created
        return player

    def _is_next(self, request: "_Request") -> bool:
        """Return whether a request is the first in the queue that can be served now."""
        return next((waiting for waiting in self._queue if self._can_serve(waiting)), None) is request

    def _can_serve(self, request: "_Request") -> bool:
        """Return whether memory has room for the request's player now. Only one player at a time compiles kernels."""
        needs_no_compilation = request.key in self._idle or request.kernels in self._ready
        return len(self._working) < MOST_PLAYERS and (needs_no_compilation or self._compilation is None)

    def _release(self, request: "_Request", player: Player | None) -> None:
        """Make a player idle, or close it if it is no longer needed. `player` is None if it is closed already."""
        closing: list[Player] = []
        with self._changed:
            if player is not None and (self._closed or request.is_forgotten):
                closing = [player]
            elif player is not None:
                # If this player was stopped, a later move may have created another player with the same key.
                closing = [self._idle.pop(request.key)] if request.key in self._idle else []
                self._idle[request.key] = player
        _close(closing)
        with self._changed:  # only now, because its tables used memory until here
            self._working.discard(request)
            self._changed.notify_all()

    def _oldest_beyond_room(self) -> list[Player]:
        beyond = len(self._idle) + len(self._working) - MOST_PLAYERS
        return [self._idle.popitem(last=False)[1] for _ in range(min(beyond, len(self._idle)))]

    def forget(self, id: str) -> None:
        """Close the players of a game without watchers. A player that is thinking is closed after its move."""
        with self._changed:
            closing = [self._idle.pop(key) for key in list(self._idle) if key[0] == id]
            for request in self._working:
                request.is_forgotten |= request.key[0] == id
        _close(closing)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _new_player(self, request: "_Request", board: Board) -> Player:
        """Return a new player with compiled kernels, because the player's clock must not run during compilation."""
        try:
            player = web_player(request.key[1], board.game, random_seed())
            if self._compilation is not None and request.compiles:
                self._compilation.exact = isinstance(player, Computer) and player.may_solve(board)
            player.new_game(board)
            with self._changed:
                self._ready[request.kernels] = None
                while len(self._ready) > MOST_READY:
                    self._ready.popitem(last=False)
        finally:
            if request.compiles:
                with self._changed:
                    self._compilation, request.compiles = None, False
                    self._changed.notify_all()
        return player

    def _choose(self, player: Player, board: Board, clock: Clock, stop: Stop) -> tuple[Choice, float]:
        with self._turns.lease(stop) as workers:
            _check_wanted(stop)
            began = time.monotonic()
            timer = threading.Timer(MOST_MOVE_SECONDS, stop)
            timer.daemon = True
            timer.start()
            try:
                choice = _with_workers(player, workers).choose(board, clock, stop=stop)
            finally:
                timer.cancel()
            return choice, time.monotonic() - began

    def close(self) -> None:
        """Close all players. A player that is thinking is closed after its move."""
        with self._changed:
            self._closed = True
            closing = list(self._idle.values())
            self._idle.clear()
            self._changed.notify_all()
        _close(closing)


@dataclass(eq=False, slots=True, kw_only=True)
class _Request:
    """A request for a move."""

    key: Key
    kernels: Kernels
    """Key of the kernels that the player needs."""
    compiles: bool = False
    """Whether the kernels may have to be compiled."""
    is_forgotten: bool = False
    """Whether the player is to be closed after the move."""


class _NotWanted(OutflankError):
    """Raised if the requested move is no longer needed."""


def _check_wanted(stop: Stop) -> None:
    if stop.called:
        raise _NotWanted("this move is not wanted any more")


def _close(players: list[Player]) -> None:
    for player in players:
        player.close()


async def _in_thread(job: Callable[[], T]) -> T:
    """Run a job in a new thread and return its result.

    An exception loses its traceback, and this function keeps no reference to the exception. The reason is that the
    frames in a traceback refer to the tables of the search. A reference cycle would keep the tables in memory until the
    garbage collector runs, which may be never.
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
        with suppress(RuntimeError):  # the server may have shut down meanwhile
            loop.call_soon_threadsafe(end)

    threading.Thread(target=work, name="outflank-computer", daemon=True).start()
    await ended
    if failures:
        raise failures.pop()
    return results.pop()


def _with_workers(player: Player, workers: int) -> Player:
    """Set the number of workers of a player that searches, and return the player."""
    if isinstance(player, Computer):
        player.options["workers"] = workers
    return player
