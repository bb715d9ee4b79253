"""A game in memory: its watchers, its clocks, and the computer that thinks about a move."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from msgspec.structs import replace

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.formats.game_record import Notes
from outflank.games.sides import Side
from outflank.players.player import Choice
from outflank.search.request import Stop
from outflank.ui.web.games import move_tree
from outflank.ui.web.games.game_messages import clock_state, game_message, listed_game, result_at
from outflank.ui.web.games.game_store import Row, row_of
from outflank.ui.web.games.move_tree import Boards, SavedGame, Verdict, colour
from outflank.ui.web.games.new_games import new_id
from outflank.ui.web.games.seat_owners import (
    check_change,
    check_move,
    check_resignation,
    node_before_move_of,
    opponent_of,
    owners_for,
    rematch_of,
    with_owner,
)
from outflank.ui.web.games.seats import check_seats, clocks_of, full_clocks, has_clock, is_human, player_words
from outflank.ui.web.lobby.services import Services
from outflank.ui.web.requests import Annotate, Colour, Describe, Seats
from outflank.ui.web.searching.compilation import Compiled
from outflank.ui.web.server_messages import Game, Gone, Node, TurningPoint


def charged(saved: SavedGame, side: Side | None, seconds: float) -> SavedGame:
    """Return the game with `seconds` taken from a side's clock without a move, or unchanged if `side` is None."""
    if side is None:
        return saved
    clocks = clocks_of(saved.seats, saved.left)
    clocks.use(side, seconds)
    return replace(saved, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))


def timed(saved: SavedGame, side: Side, seconds: float) -> SavedGame:
    """Return the game with the time of a move taken from the clock of `side`. The side loses if its clock runs out."""
    if not has_clock(saved.seats):
        return saved
    clocks = clocks_of(saved.seats, saved.left)
    in_time = clocks.spend(side, seconds)
    saved = replace(saved, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))
    return saved if in_time else lost(saved, side, "time")


def lost(saved: SavedGame, side: Side, reason: str) -> SavedGame:
    """Return the game as lost by `side` at the current node. `reason` is `resigned`, `time`, or a player's error."""
    return replace(saved, verdict=Verdict(node=saved.node, loser=colour(side), reason=reason), disposable=False)


class Thinking:
    """A computer's search for its move, and the flag that stops it."""

    def __init__(self, side: Side) -> None:
        self.side, self.stop = side, Stop()
        self.compiling: Compiled | None = None
        """How far the kernels are compiled that the computer waits for, or None."""


def remark_of(choice: Choice, game: Any) -> str:
    """Return a computer's remark about its move: depth and value, or why it chose the move."""
    if choice.why or choice.value is None:
        return choice.why
    return f"{'exact' if choice.exact else f'depth {choice.depth}'}, {choice.value_text(game)}"


Change = Callable[[SavedGame], SavedGame]
OfferKind = Literal["", "takeback", "rematch"]


class Watcher(Protocol):
    """Connection that is notified whenever a game changes."""

    @property
    def who(self) -> str:
        """Digest of the browser's secret name, or empty."""

    def game_changed(self, message: Game) -> None:
        """Receive the game after a change."""

    def game_gone(self, message: Gone) -> None:
        """Receive the notice that the game was deleted."""


def _name(watcher: Watcher | None) -> str:
    return "" if watcher is None else watcher.who


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A game after one change, with its board, its message and its database row, computed together in one thread."""

    saved: SavedGame
    board: Board
    """Board of the current node."""
    over: bool
    message: Game
    """Message for the web page, without clocks and without the side that is thinking."""
    row: Row


class LiveGame:
    """One game in memory. Changes are made one at a time, and are on disk before any watcher is notified."""

    def __init__(self, services: Services, saved: SavedGame) -> None:
        self.services, self.saved = services, saved
        self.boards = Boards()
        self.watchers: set[Watcher] = set()
        self.is_gone = False
        self._lock = asyncio.Lock()
        self._snapshot: Snapshot | None = None
        self._running: tuple[Side, float] | None = None  # side whose clock runs, and start time
        self._timeout: asyncio.TimerHandle | None = None
        self._thinking: Thinking | None = None
        self._offer: tuple[OfferKind, Side] | None = None

    # --- called by connections ---

    async def watch(self, watcher: Watcher) -> Game:
        """Add a watcher, resume clock and computer, and return the current game."""
        async with self._lock:
            self._check_exists()
            if self._snapshot is None:
                self._snapshot = await self.services.work(self._take_snapshot, self.saved)
            self.watchers.add(watcher)
            self._resume(self._snapshot)
            return self._personal(self._message(self._snapshot), watcher)

    async def leave(self, watcher: Watcher) -> None:
        """Remove a watcher. Without watchers, clocks and computers stop."""
        self.watchers.discard(watcher)
        if self.watchers or self.is_gone:
            return
        self._stop_thinking()
        self.services.computers.forget(self.saved.id)
        async with self._lock:
            if not self.watchers and self._running is not None and not self.is_gone:
                await self._commit(self._with_charge(lambda saved: saved), self.saved.live)
                self._stop_clock()

    async def play(self, number: int, move: str, requester: Watcher | None = None) -> Game:
        """Make a user's move at the node `number`."""
        async with self._lock:
            running, elapsed = self._elapsed()

            def change(saved: SavedGame) -> SavedGame:
                check_move(saved, self.boards, number, _name(requester))
                board = self.boards.at(saved, number)
                after = move_tree.with_move(saved, board, number, move)
                if running is board.turn and number == saved.node:
                    return timed(after, running, elapsed)
                return charged(after, running, elapsed)

            return await self._apply(change, True, requester)

    async def show(self, number: int, requester: Watcher | None = None) -> Game:
        """Make the node `number` the current one."""
        async with self._lock:
            change = self._permitted(lambda saved: move_tree.at_node(saved, number), requester)
            return await self._apply(self._with_charge(change), False, requester)

    async def prune(self, number: int, requester: Watcher | None = None) -> Game:
        """Remove the node `number` and its descendants."""
        async with self._lock:
            before, live = self.saved.node, self.saved.live
            change = self._with_charge(self._permitted(lambda saved: move_tree.pruned(saved, number), requester))
            return await self._apply(change, lambda saved: live and saved.node == before, requester)

    async def promote(self, number: int, requester: Watcher | None = None) -> Game:
        """Make the line to the node `number` the main line."""
        async with self._lock:
            change = self._permitted(lambda saved: move_tree.promoted(saved, number), requester)
            return await self._apply(self._with_charge(change), self.saved.live, requester)

    async def sit(self, seats: Seats, requester: Watcher | None = None) -> Game:
        """Change the players and the time control. After a change of the time control both clocks start full."""

        def change(saved: SavedGame) -> SavedGame:
            check_seats(seats, self.boards.at(saved, saved.node).game)
            left = saved.left if seats.clock == saved.seats.clock else full_clocks(seats.clock)
            return replace(saved, seats=seats, left=left)

        async with self._lock:
            return await self._apply(self._with_charge(self._permitted(change, requester)), True, requester)

    async def resign(self, side: Colour, requester: Watcher | None = None) -> Game:

        def change(saved: SavedGame) -> SavedGame:
            check_resignation(saved, self.boards, Side(side), _name(requester))
            if result_at(saved, saved.node, self.boards.at(saved, saved.node)) is not None:
                raise OutflankError("the game is over")
            return lost(saved, Side(side), "resigned")

        async with self._lock:
            return await self._apply(self._with_charge(change), False, requester)

    async def take(self, side: Colour, requester: Watcher, *, leave: bool) -> Game:
        """Let the requester take a seat, or leave it."""
        async with self._lock:
            change = self._with_charge(lambda saved: with_owner(saved, Side(side), requester.who, leave=leave))
            return await self._apply(change, True, requester)

    async def offer(self, what: OfferKind, requester: Watcher, begin: Callable[[SavedGame], Awaitable[object]]) -> Game:
        """Make, accept or decline an offer. `begin` saves the rematch, if both players have agreed on one."""
        async with self._lock:
            self._check_exists()
            own, other = opponent_of(self.saved, requester.who)
            is_over = result_at(self.saved, self.saved.node, self.boards.at(self.saved, self.saved.node)) is not None
            if what and is_over != (what == "rematch"):
                raise OutflankError("a move can be taken back during the game, and a rematch begins after it")
            if what and self._offer == (what, other):
                if what == "rematch":
                    rematch = rematch_of(self.saved, new_id(), full_clocks(self.saved.seats.clock))
                    await begin(rematch)  # before the players receive its id
                    self._offer = None
                    return await self._apply_beside_play(lambda saved: replace(saved, rematch=rematch.id), requester)
                node = node_before_move_of(self.saved, other)
                change = self._with_charge(lambda saved: move_tree.at_node(saved, node))
                return await self._apply(change, True, requester)
            if what == "takeback":
                node_before_move_of(self.saved, own)  # raises an error if there is no move to take back
            self._offer = (what, own) if what else None
            assert self._snapshot is not None
            message = self._message(self._snapshot)
            self._notify(message, requester)
            return self._personal(message, requester)

    async def describe(self, request: Describe, requester: Watcher | None = None) -> Game:
        """Name the game and its players."""
        async with self._lock:
            self._check_exists()
            return await self._apply_beside_play(lambda saved: move_tree.described(saved, request), requester)

    async def annotate(self, request: Annotate, requester: Watcher | None = None) -> Game:
        """Save the notes on a node."""
        notes = Notes(request.comment, request.arrows)
        async with self._lock:
            self._check_exists()
            change = self._permitted(lambda saved: move_tree.annotated(saved, request.node, notes), requester)
            return await self._apply_beside_play(change, requester)

    async def judge(self, judged: Node) -> None:
        """Save a review's judgement of a node, if the node still exists."""
        await self._save_review(lambda saved: move_tree.with_judged(saved, judged))

    async def tell(self, story: tuple[TurningPoint, ...]) -> None:
        """Save the turning points that a review found."""
        await self._save_review(lambda saved: move_tree.with_story(saved, story))

    async def _save_review(self, change: Change) -> None:
        async with self._lock:
            if not self.is_gone and change(self.saved) != self.saved:
                await self._apply_beside_play(change, None)

    async def close(self) -> None:
        """Stop the game and tell its watchers that it is deleted."""
        self._stop_thinking()
        self.services.computers.forget(self.saved.id)
        async with self._lock:
            self.is_gone = True
            self._stop_clock()
            for watcher in self.watchers:
                watcher.game_gone(Gone(id=self.saved.id))
            self.watchers.clear()

    def stop(self) -> None:
        """Stop the game's computer and clock, because the server shuts down."""
        self._stop_thinking()
        self._stop_clock()

    async def board_at(self, number: int) -> Board:
        """Return a copy of the board at the node `number`."""
        async with self._lock:
            self._check_exists()
            return (await self.services.work(self.boards.at, self.saved, number)).copy()

    # --- changes ---

    def _check_exists(self) -> None:
        if self.is_gone:
            raise OutflankError("there is no such game; it may have been deleted")

    async def _apply(self, change: Change, live: bool | Callable[[SavedGame], bool], requester: Watcher | None) -> Game:
        """Save a change on disk, resume clock and computer, notify the watchers, and return the changed game."""
        self._check_exists()
        snapshot = await self._commit(change, live)
        self._offer = None
        self._stop_thinking()
        self._stop_clock()
        self._resume(snapshot)
        message = self._message(snapshot)
        self._notify(message, requester)
        return self._personal(message, requester)

    async def _apply_beside_play(self, change: Change, requester: Watcher | None) -> Game:
        """Save a change that concerns no move, notify the watchers, and return the changed game.

        Clock and computer continue, so that the players are not interrupted.
        """
        message = self._message(await self._commit(change, self.saved.live))
        self._notify(message, requester)
        return self._personal(message, requester)

    async def _commit(self, change: Change, live: bool | Callable[[SavedGame], bool]) -> Snapshot:
        now = self.services.now()

        def save() -> Snapshot:
            saved = change(self.saved)
            is_forfeited = saved.verdict is not None and saved.verdict.node == saved.node
            stays_live = (live if isinstance(live, bool) else live(saved)) and not is_forfeited
            try:
                snapshot = self._take_snapshot(
                    replace(saved, live=stays_live, revision=self.saved.revision + 1, changed=now)
                )
                self.services.store.put(snapshot.row).result()
            except BaseException:
                self.boards = Boards()  # the cache may hold the unsaved node, whose number will be used again
                raise
            return snapshot

        snapshot = await self.services.work(save)
        self.saved, self._snapshot = snapshot.saved, snapshot
        return snapshot

    def _take_snapshot(self, saved: SavedGame) -> Snapshot:
        board = self.boards.at(saved, saved.node)
        message = game_message(saved, self.boards)
        row = row_of(saved, listed_game(saved, self.boards))
        return Snapshot(saved=saved, board=board, over=message.outcome is not None, message=message, row=row)

    def _notify(self, message: Game, requester: Watcher | None) -> None:
        for watcher in self.watchers:
            if watcher is not requester:
                watcher.game_changed(self._personal(message, watcher))

    def _personal(self, message: Game, watcher: Watcher | None) -> Game:
        """Return a message as one connection receives it: it says which seats are its own."""
        what, side = self._offer or ("", None)
        return replace(
            message,
            owners=owners_for(self.saved, _name(watcher)),
            offer=what,
            offered_by=None if side is None else colour(side),
        )

    def _permitted(self, change: Change, requester: Watcher | None) -> Change:
        """Return `change`, which raises an error if the game is being played and the seats are not the requester's."""

        def checked(saved: SavedGame) -> SavedGame:
            check_change(saved, self.boards, _name(requester))
            return change(saved)

        return checked

    def _message(self, snapshot: Snapshot) -> Game:
        running, since = self._running or (None, 0.0)
        elapsed = time.monotonic() - since if running is not None else 0.0
        thinking = None if self._thinking is None else colour(self._thinking.side)
        compiling = None if self._thinking is None else self._thinking.compiling
        if compiling is not None:
            running = None
        clock = clock_state(snapshot.saved, running, elapsed)
        return replace(snapshot.message, clock=clock, thinking=thinking, compiling=compiling)

    def _resume(self, snapshot: Snapshot) -> None:
        """Start the clock and the computer of the side to move."""
        saved, side = snapshot.saved, snapshot.board.turn
        if not saved.live or snapshot.over or not self.watchers:
            self._stop_clock()
            return
        if has_clock(saved.seats) and self._running is None:
            self._start_clock(side)
        if self._thinking is None and not is_human(player_words(saved.seats, side)):
            self._thinking = Thinking(side)
            self.services.begin(self._think(self._thinking, snapshot))

    # --- computers ---

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.stop()
            self._thinking = None

    async def _think(self, thinking: Thinking, snapshot: Snapshot) -> None:
        """Wait for a computer's move, and make it."""
        saved, side, board = snapshot.saved, thinking.side, snapshot.board
        clock = clocks_of(saved.seats, saved.left).of(side)
        clock.started = None  # waiting for a core does not count: the clock starts with the search
        choice: Choice | None = None
        seconds, why = 0.0, ""
        try:
            words = player_words(saved.seats, side)
            choice, seconds = await self.services.computers.choose(
                saved.id, words, board.copy(), clock, thinking.stop, lambda progress: self._report(thinking, progress)
            )
        except Exception as failure:
            why = " ".join(f"{side} could not go on: {failure}".split())[:200]

        def change(saved: SavedGame) -> SavedGame:
            if choice is None:
                return lost(saved, side, why)
            after = timed(move_tree.with_move(saved, board, saved.node, str(choice.move)), side, seconds)
            return replace(after, remark=remark_of(choice, board.game))

        async with self._lock:
            if self._thinking is not thinking or self.is_gone:
                return  # the game has changed meanwhile
            self._thinking = None
            try:
                await self._apply(change, True, None)
            except Exception as error:  # the computer moves again when the game is opened again
                self.services.warn(error)
                self._stop_clock()
                remark = " ".join(f"{side}'s move could not be kept: {error}".split())[:200]
                self._notify(replace(self._message(snapshot), remark=remark), None)

    def _report(self, thinking: Thinking, progress: Compiled | None) -> None:
        """Tell the watchers how far a computer's kernels are compiled. Its clock starts afterwards."""
        if self._thinking is not thinking or self._snapshot is None:
            return  # the game has changed meanwhile
        thinking.compiling = progress
        if self._running is not None:
            self._running = (self._running[0], time.monotonic())
        self._notify(self._message(self._snapshot), None)

    # --- clocks ---

    def _start_clock(self, side: Side) -> None:
        now = time.monotonic()
        self._running = (side, now)
        left = clocks_of(self.saved.seats, self.saved.left).of(side).move_seconds
        if left is not None and is_human(player_words(self.saved.seats, side)):
            loop = asyncio.get_running_loop()
            self._timeout = loop.call_later(left, lambda: self.services.begin(self._time_out(side, now)))

    def _stop_clock(self) -> None:
        self._running = None
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None

    def _elapsed(self) -> tuple[Side | None, float]:
        """Return the side of the human whose clock runs, and the seconds since the clock was started.

        If no human's clock runs, return None and 0. Computers measure their own time.
        """
        if self._running is None or not is_human(player_words(self.saved.seats, self._running[0])):
            return None, 0.0
        return self._running[0], time.monotonic() - self._running[1]

    def _with_charge(self, change: Change) -> Change:
        """Return `change`, extended to take the elapsed time from the running clock."""
        running, elapsed = self._elapsed()
        return lambda saved: charged(change(saved), running, elapsed) if running is not None else change(saved)

    async def _time_out(self, side: Side, since: float) -> None:
        async with self._lock:
            if self._running == (side, since) and not self.is_gone:
                await self._apply(self._with_charge(lambda saved: lost(saved, side, "time")), False, None)
