"""A game that somebody has open: who watches it, whose clock runs, and which computer is at its move."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Protocol

from msgspec.structs import replace

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.sides import Side
from outflank.ui.web import tree
from outflank.ui.web.house import House
from outflank.ui.web.messages import Colour, Game, Gone, Node, Seats
from outflank.ui.web.positions import Boards
from outflank.ui.web.seats import check_seats, clocks_of, full_clocks, has_clock, is_human, words_of
from outflank.ui.web.telling import ended, game_message, listed_game
from outflank.ui.web.thinking import Thinking, remark_of
from outflank.ui.web.tree import KeptGame, Verdict, colour


class Watcher(Protocol):
    """Who is told whenever a game changes."""

    def game_changed(self, message: Game) -> None:
        """It is so now."""

    def game_gone(self, message: Gone) -> None:
        """It is no more."""


class Table:
    """One game. Changes come one after the other, and are on disk before anybody is told."""

    def __init__(self, house: House, kept: KeptGame) -> None:
        self.house, self.kept = house, kept
        self.boards = Boards()
        self.watchers: set[Watcher] = set()
        self.is_gone = False
        self._lock = asyncio.Lock()
        self._running: tuple[Side, float] | None = None  # whose clock, and since when
        self._flag: asyncio.TimerHandle | None = None
        self._thinking: Thinking | None = None

    # --- asked by connections ---

    async def watch(self, watcher: Watcher) -> Game:
        """Be told of changes from now on; how it is now. What stood still goes on."""
        async with self._lock:
            self._check_there()
            self.watchers.add(watcher)
            await self._go_on()
            return await self._message()

    async def leave(self, watcher: Watcher) -> None:
        """Be told no more; where nobody watches, clocks and computers stand still."""
        self.watchers.discard(watcher)
        if self.watchers or self.is_gone:
            return
        self._stop_thinking()
        async with self._lock:
            if not self.watchers and self._running is not None and not self.is_gone:
                await self._commit(self._charged(self.kept))
                self._hold_clock()

    async def play(self, number: int, move: str, asker: Watcher | None = None) -> Game:
        """A move of a person."""
        async with self._lock:
            board = await self._board(number)
            kept = await self.house.work(tree.with_move, self.kept, board, number, move)
            timed = self._running is not None and self._running[0] is board.turn and number == self.kept.node
            return await self._changed(self._timed(kept, board.turn) if timed else self._charged(kept), True, asker)

    async def show(self, number: int, asker: Watcher | None = None) -> Game:
        """Another node."""
        async with self._lock:
            kept = tree.at_node(self.kept, number)
            return await self._changed(self._charged(kept), False, asker)

    async def prune(self, number: int, asker: Watcher | None = None) -> Game:
        """Take a node away."""
        async with self._lock:
            kept = tree.pruned(self.kept, number)
            live = self.kept.live and kept.node == self.kept.node
            return await self._changed(self._charged(kept), live, asker)

    async def promote(self, number: int, asker: Watcher | None = None) -> Game:
        """Another main line."""
        async with self._lock:
            kept = tree.promoted(self.kept, number)
            return await self._changed(self._charged(kept), self.kept.live, asker)

    async def sit(self, seats: Seats, asker: Watcher | None = None) -> Game:
        """Other players from now on; another clock is wound up."""
        async with self._lock:
            board = await self._board(self.kept.node)
            await self.house.work(check_seats, seats, board.game)
            kept = self._charged(self.kept)
            left = kept.left if seats.clock == kept.seats.clock else full_clocks(seats.clock)
            return await self._changed(replace(kept, seats=seats, left=left), True, asker)

    async def resign(self, side: Colour, asker: Watcher | None = None) -> Game:
        """A side gives up."""
        async with self._lock:
            if ended(self.kept, self.kept.node, await self._board(self.kept.node)) is not None:
                raise OutflankError("the game is over")
            verdict = Verdict(node=self.kept.node, loser=side, reason="resigned")
            return await self._changed(replace(self._charged(self.kept), verdict=verdict), False, asker)

    async def judge(self, judged: Node) -> None:
        """Write down what a review found of a node, if it is still there."""
        async with self._lock:
            if any(each.id == judged.id for each in self.kept.nodes):
                # Who plays meanwhile is not held up: neither clock nor computer hears of it.
                await self._commit(tree.with_judged(self.kept, judged))
                self._tell(await self._message(), None)

    async def close(self) -> None:
        """It is deleted."""
        self._stop_thinking()
        async with self._lock:
            self.is_gone = True
            self._hold_clock()
            for watcher in self.watchers:
                watcher.game_gone(Gone(id=self.kept.id))
            self.watchers.clear()

    def stop(self) -> None:
        """Let computers and clocks stand still: the server ends."""
        self._stop_thinking()
        self._hold_clock()

    async def board_at(self, number: int) -> Board[Any]:
        """A board of one's own of a node."""
        async with self._lock:
            return (await self._board(number)).copy()

    # --- how changes are made ---

    def _check_there(self) -> None:
        if self.is_gone:
            raise OutflankError("there is no such game; it may have been deleted")

    async def _board(self, number: int) -> Board[Any]:
        self._check_there()
        return await self.house.work(self.boards.at, self.kept, number)

    async def _changed(self, kept: KeptGame, live: bool, asker: Watcher | None) -> Game:
        """Make this the game, on disk first; go on from there, and tell who watches."""
        self._check_there()
        await self._commit(replace(kept, live=live and not _ended_here(kept)))
        self._stop_thinking()
        await self._go_on()
        message = await self._message()
        self._tell(message, asker)
        return message

    async def _commit(self, kept: KeptGame) -> None:
        kept = replace(kept, revision=self.kept.revision + 1, changed=self.house.now())
        listed = await self.house.work(listed_game, kept, self.boards)
        await asyncio.wrap_future(self.house.store.put(kept, listed))
        self.kept = kept

    def _tell(self, message: Game, asker: Watcher | None) -> None:
        for watcher in self.watchers:
            if watcher is not asker:
                watcher.game_changed(message)

    async def _message(self) -> Game:
        running, since = self._running or (None, 0.0)
        elapsed = time.monotonic() - since if running is not None else 0.0
        thinking = None if self._thinking is None else self._thinking.side
        return await self.house.work(
            lambda: game_message(self.kept, self.boards, running=running, elapsed=elapsed, thinking=thinking)
        )

    async def _go_on(self) -> None:
        """Let the clock run, and the computer move, whose turn it is."""
        board = await self._board(self.kept.node)
        over = ended(self.kept, self.kept.node, board) is not None
        if not self.kept.live or over or not self.watchers:
            self._hold_clock()
            return
        side = board.turn
        if has_clock(self.kept.seats) and (self._running is None or self._running[0] is not side):
            self._wind_clock(side)
        if self._thinking is None and not is_human(words_of(self.kept.seats, side)):
            self._thinking = Thinking(side, asyncio.create_task(self._think(side, board)))

    # --- computers ---

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.end()
            self._thinking = None

    async def _think(self, side: Side, board: Board[Any]) -> None:
        """Let a computer find a move, and make it."""
        thinking = self._thinking
        assert thinking is not None
        clock = clocks_of(self.kept.seats, self.kept.left).of(side)
        words = words_of(self.kept.seats, side)
        moved: Callable[[], KeptGame]
        try:
            choice, seconds = await self.house.computers.choose(self.kept.id, words, board.copy(), clock, thinking.stop)
        except Exception as failure:
            reason = f"{side} could not go on: {failure}"
            verdict = Verdict(node=self.kept.node, loser=colour(side), reason=" ".join(reason.split())[:200])

            def moved() -> KeptGame:
                return replace(self._charged(self.kept), verdict=verdict)
        else:

            def moved() -> KeptGame:
                kept = tree.with_move(self.kept, board, self.kept.node, str(choice.move))
                return replace(self._timed(kept, side, seconds), remark=remark_of(choice, board.game))

        async with self._lock:
            if self._thinking is not thinking or self.is_gone:
                return  # somebody has gone elsewhere meanwhile
            self._thinking = None
            try:
                await self._changed(moved(), True, None)
            except OutflankError as error:
                self.house.complain(error)

    # --- clocks ---

    def _wind_clock(self, side: Side) -> None:
        self._hold_clock()
        now = time.monotonic()
        self._running = (side, now)
        left = clocks_of(self.kept.seats, self.kept.left).of(side).move_seconds
        if left is not None and is_human(words_of(self.kept.seats, side)):
            loop = asyncio.get_running_loop()
            self._flag = loop.call_later(left, lambda: self.house.begin(self._flag_falls(side, now)))

    def _hold_clock(self) -> None:
        self._running = None
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None

    def _elapsed(self) -> float:
        return 0.0 if self._running is None else time.monotonic() - self._running[1]

    def _charged(self, kept: KeptGame) -> KeptGame:
        """With what was thought so far taken from the clock that runs; a computer's is its own."""
        if self._running is None or not is_human(words_of(self.kept.seats, self._running[0])):
            self._hold_clock()
            return kept
        clocks = clocks_of(kept.seats, kept.left)
        clocks.use(self._running[0], self._elapsed())
        self._hold_clock()
        return replace(kept, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))

    def _timed(self, kept: KeptGame, side: Side, seconds: float | None = None) -> KeptGame:
        """With what a move took taken from its side's clock; lost, where that was too much."""
        if not has_clock(kept.seats):
            return kept
        clocks = clocks_of(kept.seats, kept.left)
        in_time = clocks.spend(side, self._elapsed() if seconds is None else seconds)
        self._hold_clock()
        kept = replace(kept, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))
        if in_time:
            return kept
        return replace(kept, verdict=Verdict(node=kept.node, loser=colour(side), reason="time"))

    async def _flag_falls(self, side: Side, since: float) -> None:
        async with self._lock:
            if self._running != (side, since) or self.is_gone:
                return
            verdict = Verdict(node=self.kept.node, loser=colour(side), reason="time")
            await self._changed(replace(self._charged(self.kept), verdict=verdict), False, None)


def _ended_here(kept: KeptGame) -> bool:
    return kept.verdict is not None and kept.verdict.node == kept.node
