"""The activity of a connection: one analysis, comparison, review or judgement. The next one ends the previous one."""

import asyncio
import threading
from collections.abc import Callable

from outflank.errors import OutflankError
from outflank.search.request import Stop
from outflank.ui.web.lobby.lobby import Lobby
from outflank.ui.web.lobby.puzzling import AttemptTask
from outflank.ui.web.lobby.reviewing import RetryTask, ReviewTask
from outflank.ui.web.requests import Analyse, Attempt, Compare, Retry, Review, SearchOptions
from outflank.ui.web.searching.analysing import AnalysisTask
from outflank.ui.web.searching.searches import ComparisonTask
from outflank.ui.web.server_messages import Compared, Message, Refused, Reviewed
from outflank.ui.web.visits.message_queue import Outbox

STREAM = "search"


class Activity:
    """The analysis, comparison, review or judgement of one connection, if any. To be used on the event loop."""

    def __init__(self, lobby: Lobby, outbox: Outbox) -> None:
        self.lobby, self.services, self.outbox = lobby, lobby.services, outbox
        self._end: Callable[[], None] = _nothing
        self._is_closed = False

    def halt(self) -> None:
        """End the current activity."""
        end, self._end = self._end, _nothing
        end()

    def close(self) -> None:
        """End the current activity and start no other, because the connection is closed."""
        self._is_closed = True
        self.halt()

    def _check_open(self) -> None:
        if self._is_closed:
            raise OutflankError("the connection is gone")

    # --- analysis ---

    async def analyse(self, request: Analyse) -> None:
        """Start an analysis of a node."""
        live_game = await self.lobby.live_game(request.id)
        board = await live_game.board_at(request.node)
        self.halt()
        searches, loop = self.services.searches, asyncio.get_running_loop()
        is_scheduled = threading.Event()  # whether a progress message is scheduled already

        def tell(search: AnalysisTask) -> None:
            if not is_scheduled.is_set():
                is_scheduled.set()
                _call_soon(loop, lambda: send(search))

        def send(search: AnalysisTask) -> None:
            is_scheduled.clear()
            if self._end is not end:
                return
            message = search.message(request.ask, request.id, request.node)
            if search.done:
                self.halt()
                if search.failed:
                    self.outbox.tell(Refused(re=request.ask, why=search.failed[:400]))
            else:
                self.outbox.stream(STREAM, message)

        def end() -> None:
            self.outbox.forget(STREAM)
            search.waiting, search.done = False, True
            self.outbox.tell(search.message(request.ask, request.id, request.node))
            searches.end(search)  # frees its tables

        options = request.options or SearchOptions()
        place = await searches.take_place()
        try:
            search = await self.services.work(
                lambda: AnalysisTask(
                    board,
                    moves=request.moves,
                    options=options,
                    bits=place.bits,
                    tell=tell,
                    tree=request.tree,
                    cluster=searches.cluster,
                )
            )
            self._check_open()
        except BaseException:
            searches.give_back(place)
            raise
        self._end = end
        searches.begin(search, place, tell)

    # --- comparisons, reviews and judgements, each in a separate thread ---

    async def compare(self, request: Compare) -> None:
        """Start a comparison: search a node with several workers, and then with one worker."""
        self.services.laboratory.check_idle()
        live_game = await self.lobby.live_game(request.id)
        board = await live_game.board_at(request.node)
        comparison = await self.services.work(lambda: ComparisonTask(board, request, self.services.settings.workers))
        self.halt()
        turns = self.services.searches.turns

        def work(stop: Stop, tell: Callable[[Message], None], bits: int) -> None:
            with turns.hold(stop):
                comparison.run(stop, tell, bits)

        await self._begin(work, request.ask, "outflank-compare")

    async def review(self, request: Review) -> None:
        """Start a review of the main line."""
        live_game = await self.lobby.live_game(request.id)
        self.halt()
        review = ReviewTask(live_game, request, self.services.searches.turns, asyncio.get_running_loop())
        await review.prepare()
        await self._begin(review.run, request.ask, "outflank-review")

    async def retry(self, request: Retry) -> None:
        """Judge another move in place of a reviewed one."""
        live_game = await self.lobby.live_game(request.id)
        self.halt()
        retry = RetryTask(live_game, request, self.services.searches.turns)
        await retry.prepare()
        await self._begin(retry.run, request.ask, "outflank-retry")

    async def attempt(self, request: Attempt) -> None:
        """Play moves of a puzzle, and judge the last one."""
        puzzles = await self.services.work(lambda: self.services.puzzles)
        self.halt()
        attempt = AttemptTask(puzzles, request, self.services.searches.turns)
        await self._begin(attempt.run, request.ask, "outflank-puzzle")

    async def _begin(self, work: Callable[[Stop, Callable[[Message], None], int], object], ask: int, name: str) -> None:
        self._check_open()
        stop, loop = Stop(), asyncio.get_running_loop()
        searches = self.services.searches
        bits = await searches.enter(stop)
        if self._is_closed:
            searches.leave(stop)
        self._check_open()

        def send(message: Message) -> None:
            """Send a message. A progress message replaces a progress message that still waits in the queue.

            The last message is always sent.
            """
            if isinstance(message, Compared | Reviewed) and not message.done:
                if self._end is stop_work:
                    self.outbox.stream(STREAM, message)
                return
            self.outbox.forget(STREAM)
            self.outbox.tell(message)

        def run() -> None:
            try:
                work(stop, lambda message: _call_soon(loop, lambda: send(message)), bits)
            except OutflankError as error:
                why = " ".join(str(error).split())[:400]
                _call_soon(loop, lambda: send(Refused(re=ask, why=why)))
            except Exception as error:
                self.services.warn(error)
                why = f"this failed: {type(error).__name__}"
                _call_soon(loop, lambda: send(Refused(re=ask, why=why)))
            finally:
                _call_soon(loop, lambda: searches.leave(stop))

        def stop_work() -> None:
            stop()

        self._end = stop_work
        threading.Thread(target=run, name=name, daemon=True).start()


def _nothing() -> None:
    """Do nothing, because there is no activity."""


def _call_soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        return  # the server has shut down meanwhile
