"""A game that somebody has open: who watches it, whose clock runs, and which computer is at its move."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from msgspec.structs import replace

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.sides import Side
from outflank.players.player import Choice
from outflank.ui.web.games import tree
from outflank.ui.web.games.clocks import charged, lost, timed
from outflank.ui.web.games.positions import Boards
from outflank.ui.web.games.seats import check_seats, clocks_of, full_clocks, has_clock, is_human, words_of
from outflank.ui.web.games.store import Row, row_of
from outflank.ui.web.games.telling import clock_state, ended, game_message, listed_game
from outflank.ui.web.games.tree import KeptGame, colour
from outflank.ui.web.hall.house import House
from outflank.ui.web.messages import Game, Gone, Node
from outflank.ui.web.requests import Colour, Seats
from outflank.ui.web.searching.thinking import Thinking, remark_of

Change = Callable[[KeptGame], KeptGame]


class Watcher(Protocol):
    """Who is told whenever a game changes."""

    def game_changed(self, message: Game) -> None:
        """It is so now."""

    def game_gone(self, message: Gone) -> None:
        """It is no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A game as it is, with all that is to be told of it: made in a thread, in one go."""

    kept: KeptGame
    board: Board[Any]
    """Of the node that is shown."""
    over: bool
    message: Game
    """But for the clock, and who thinks."""
    row: Row


class Table:
    """One game. Changes come one after the other, and are on disk before anybody is told."""

    def __init__(self, house: House, kept: KeptGame) -> None:
        self.house, self.kept = house, kept
        self.boards = Boards()
        self.watchers: set[Watcher] = set()
        self.is_gone = False
        self._lock = asyncio.Lock()
        self._standing: Standing | None = None
        self._running: tuple[Side, float] | None = None  # whose clock, and since when
        self._flag: asyncio.TimerHandle | None = None
        self._thinking: Thinking | None = None

    # --- asked by connections ---

    async def watch(self, watcher: Watcher) -> Game:
        """Be told of changes from now on; how it is now. What stood still goes on."""
        async with self._lock:
            self._check_there()
            if self._standing is None:
                self._standing = await self.house.work(self._stand, self.kept)
            self.watchers.add(watcher)
            self._go_on(self._standing)
            return self._message(self._standing)

    async def leave(self, watcher: Watcher) -> None:
        """Be told no more; where nobody watches, clocks and computers stand still."""
        self.watchers.discard(watcher)
        if self.watchers or self.is_gone:
            return
        self._stop_thinking()
        self.house.computers.forget(self.kept.id)
        async with self._lock:
            if not self.watchers and self._running is not None and not self.is_gone:
                await self._commit(self._charging(lambda kept: kept), self.kept.live)
                self._hold_clock()

    async def play(self, number: int, move: str, asker: Watcher | None = None) -> Game:
        """A move of a person."""
        async with self._lock:
            running, elapsed = self._elapsed()

            def change(kept: KeptGame) -> KeptGame:
                board = self.boards.at(kept, number)
                after = tree.with_move(kept, board, number, move)
                if running is board.turn and number == kept.node:
                    return timed(after, running, elapsed)
                return charged(after, running, elapsed)

            return await self._changed(change, True, asker)

    async def show(self, number: int, asker: Watcher | None = None) -> Game:
        """Another node."""
        async with self._lock:
            return await self._changed(self._charging(lambda kept: tree.at_node(kept, number)), False, asker)

    async def prune(self, number: int, asker: Watcher | None = None) -> Game:
        """Take a node away."""
        async with self._lock:
            before, live = self.kept.node, self.kept.live
            change = self._charging(lambda kept: tree.pruned(kept, number))
            return await self._changed(change, lambda kept: live and kept.node == before, asker)

    async def promote(self, number: int, asker: Watcher | None = None) -> Game:
        """Another main line."""
        async with self._lock:
            return await self._changed(self._charging(lambda kept: tree.promoted(kept, number)), self.kept.live, asker)

    async def sit(self, seats: Seats, asker: Watcher | None = None) -> Game:
        """Other players from now on; another clock is wound up."""

        def change(kept: KeptGame) -> KeptGame:
            check_seats(seats, self.boards.at(kept, kept.node).game)
            left = kept.left if seats.clock == kept.seats.clock else full_clocks(seats.clock)
            return replace(kept, seats=seats, left=left)

        async with self._lock:
            return await self._changed(self._charging(change), True, asker)

    async def resign(self, side: Colour, asker: Watcher | None = None) -> Game:
        """A side gives up."""

        def change(kept: KeptGame) -> KeptGame:
            if ended(kept, kept.node, self.boards.at(kept, kept.node)) is not None:
                raise OutflankError("the game is over")
            return lost(kept, Side(side), "resigned")

        async with self._lock:
            return await self._changed(self._charging(change), False, asker)

    async def judge(self, judged: Node) -> None:
        """Write down what a review found of a node, if it is still there."""
        async with self._lock:
            if not self.is_gone and any(each.id == judged.id for each in self.kept.nodes):
                # Who plays meanwhile is not held up: neither clock nor computer hears of it.
                standing = await self._commit(lambda kept: tree.with_judged(kept, judged), self.kept.live)
                self._tell(self._message(standing), None)

    async def close(self) -> None:
        """It is deleted."""
        self._stop_thinking()
        self.house.computers.forget(self.kept.id)
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
            self._check_there()
            return (await self.house.work(self.boards.at, self.kept, number)).copy()

    # --- how changes are made ---

    def _check_there(self) -> None:
        if self.is_gone:
            raise OutflankError("there is no such game; it may have been deleted")

    async def _changed(self, change: Change, live: bool | Callable[[KeptGame], bool], asker: Watcher | None) -> Game:
        """Make this the game, on disk first; go on from there, and tell who watches."""
        self._check_there()
        standing = await self._commit(change, live)
        self._stop_thinking()
        self._hold_clock()
        self._go_on(standing)
        message = self._message(standing)
        self._tell(message, asker)
        return message

    async def _commit(self, change: Change, live: bool | Callable[[KeptGame], bool]) -> Standing:
        now = self.house.now()

        def made() -> Standing:
            kept = change(self.kept)
            here = kept.verdict is not None and kept.verdict.node == kept.node
            goes_on = (live if isinstance(live, bool) else live(kept)) and not here
            try:
                standing = self._stand(replace(kept, live=goes_on, revision=self.kept.revision + 1, changed=now))
                self.house.store.put(standing.row).result()
            except BaseException:
                self.boards = Boards()  # it may know a node that is none, whose number the next one will have
                raise
            return standing

        standing = await self.house.work(made)
        self.kept, self._standing = standing.kept, standing
        return standing

    def _stand(self, kept: KeptGame) -> Standing:
        board = self.boards.at(kept, kept.node)
        message = game_message(kept, self.boards)
        row = row_of(kept, listed_game(kept, self.boards))
        return Standing(kept=kept, board=board, over=message.outcome is not None, message=message, row=row)

    def _tell(self, message: Game, asker: Watcher | None) -> None:
        for watcher in self.watchers:
            if watcher is not asker:
                watcher.game_changed(message)

    def _message(self, standing: Standing) -> Game:
        running, since = self._running or (None, 0.0)
        elapsed = time.monotonic() - since if running is not None else 0.0
        thinking = None if self._thinking is None else colour(self._thinking.side)
        return replace(standing.message, clock=clock_state(standing.kept, running, elapsed), thinking=thinking)

    def _go_on(self, standing: Standing) -> None:
        """Let the clock run, and the computer move, whose turn it is."""
        kept, side = standing.kept, standing.board.turn
        if not kept.live or standing.over or not self.watchers:
            self._hold_clock()
            return
        if has_clock(kept.seats) and self._running is None:
            self._wind_clock(side)
        if self._thinking is None and not is_human(words_of(kept.seats, side)):
            self._thinking = Thinking(side)
            self.house.begin(self._think(self._thinking, standing))

    # --- computers ---

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()
            self._thinking = None

    async def _think(self, thinking: Thinking, standing: Standing) -> None:
        """Let a computer find a move, and make it."""
        kept, side, board = standing.kept, thinking.side, standing.board
        clock = clocks_of(kept.seats, kept.left).of(side)
        clock.started = None  # the wait for a core is not on its clock: that starts when the computer is asked
        choice: Choice | None = None
        seconds, why = 0.0, ""
        try:
            words = words_of(kept.seats, side)
            choice, seconds = await self.house.computers.choose(kept.id, words, board.copy(), clock, thinking.stop)
        except Exception as failure:
            why = " ".join(f"{side} could not go on: {failure}".split())[:200]

        def change(kept: KeptGame) -> KeptGame:
            if choice is None:
                return lost(kept, side, why)
            after = timed(tree.with_move(kept, board, kept.node, str(choice.move)), side, seconds)
            return replace(after, remark=remark_of(choice, board.game))

        async with self._lock:
            if self._thinking is not thinking or self.is_gone:
                return  # somebody has gone elsewhere meanwhile
            self._thinking = None
            try:
                await self._changed(change, True, None)
            except Exception as error:  # it has not moved then, and does when somebody opens the game again
                self.house.complain(error)
                self._hold_clock()
                said = " ".join(f"{side}'s move could not be kept: {error}".split())[:200]
                self._tell(replace(self._message(standing), remark=said), None)

    # --- clocks ---

    def _wind_clock(self, side: Side) -> None:
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

    def _elapsed(self) -> tuple[Side | None, float]:
        """Whose clock runs, and for how long; a computer's is counted by itself."""
        if self._running is None or not is_human(words_of(self.kept.seats, self._running[0])):
            return None, 0.0
        return self._running[0], time.monotonic() - self._running[1]

    def _charging(self, change: Change) -> Change:
        """A change, with what was thought so far taken from the clock that runs."""
        running, elapsed = self._elapsed()
        return lambda kept: charged(change(kept), running, elapsed) if running is not None else change(kept)

    async def _flag_falls(self, side: Side, since: float) -> None:
        async with self._lock:
            if self._running == (side, since) and not self.is_gone:
                await self._changed(self._charging(lambda kept: lost(kept, side, "time")), False, None)
