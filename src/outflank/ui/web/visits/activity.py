"""What a connection has under way: one analysis, comparison or review; the next one ends it."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from outflank.errors import OutflankError
from outflank.search.contract import Stop
from outflank.ui.web.hall.hall import Hall
from outflank.ui.web.hall.reviewing import Reviewing
from outflank.ui.web.messages import Compared, Message, Refused, Reviewed
from outflank.ui.web.requests import Analyse, Compare, Review, SearchOptions
from outflank.ui.web.searching.analysing import Analysing
from outflank.ui.web.searching.comparing import Comparing
from outflank.ui.web.visits.outbox import Outbox

STREAM = "search"


class Activity:
    """Of one connection; used on the event loop."""

    def __init__(self, hall: Hall, outbox: Outbox) -> None:
        self.hall, self.house, self.outbox = hall, hall.house, outbox
        self._end: Callable[[], None] = _nothing
        self._is_closed = False

    def halt(self) -> None:
        """End what is under way."""
        end, self._end = self._end, _nothing
        end()

    def close(self) -> None:
        """End what is under way, and begin nothing more: the connection is gone."""
        self._is_closed = True
        self.halt()

    def _check_open(self) -> None:
        if self._is_closed:
            raise OutflankError("the connection is gone")

    # --- analysis ---

    async def analyse(self, asked: Analyse) -> None:
        """Search a node."""
        table = await self.hall.table(asked.id)
        board = await table.board_at(asked.node)
        self.halt()
        searches, loop = self.house.searches, asyncio.get_running_loop()
        told = threading.Event()  # whether what is new will be sent anyway

        def tell(search: Analysing) -> None:
            if not told.is_set():
                told.set()
                _soon(loop, lambda: send(search))

        def send(search: Analysing) -> None:
            told.clear()
            if self._end is not end:
                return
            message = search.message(asked.ask, asked.id, asked.node)
            if search.done:
                self.halt()
                if search.failed:
                    self.outbox.tell(Refused(re=asked.ask, why=search.failed[:400]))
            else:
                self.outbox.stream(STREAM, message)

        def end() -> None:
            self.outbox.forget(STREAM)
            search.waiting, search.done = False, True
            self.outbox.tell(search.message(asked.ask, asked.id, asked.node))
            searches.end(search)  # which frees its tables

        options = asked.options or SearchOptions()
        place = await searches.take_place()
        try:
            search = await self.house.work(
                lambda: Analysing(board, moves=asked.moves, asked=options, bits=place.bits, tell=tell)
            )
            self._check_open()
        except BaseException:
            searches.give_back(place)
            raise
        self._end = end
        searches.begin(search, place, tell)

    # --- comparisons and reviews: in a thread of their own ---

    async def compare(self, asked: Compare) -> None:
        """Search a node by some workers, and by one."""
        self.house.laboratory.check_idle()
        table = await self.hall.table(asked.id)
        board = await table.board_at(asked.node)
        comparing = await self.house.work(lambda: Comparing(board, asked, self.house.settings.workers))
        self.halt()
        turns = self.house.searches.turns

        def work(stop: Stop, tell: Callable[[Message], None], bits: int) -> None:
            with turns.hold(stop):
                comparing.run(stop, tell, bits)

        await self._begin(work, asked.ask, "outflank-compare")

    async def review(self, asked: Review) -> None:
        """Judge the main line."""
        table = await self.hall.table(asked.id)
        self.halt()
        reviewing = Reviewing(table, asked, self.house.searches.turns, asyncio.get_running_loop())
        await reviewing.prepare()
        await self._begin(reviewing.run, asked.ask, "outflank-review")

    async def _begin(self, work: Callable[[Stop, Callable[[Message], None], int], Any], ask: int, name: str) -> None:
        self._check_open()
        stop, loop = Stop(), asyncio.get_running_loop()
        searches = self.house.searches
        bits = await searches.enter(stop)
        if self._is_closed:
            searches.leave(stop)
        self._check_open()

        def send(message: Message) -> None:
            """Of what goes on, the newest; the last one always."""
            if isinstance(message, Compared | Reviewed) and not message.done:
                if self._end is stop_it:
                    self.outbox.stream(STREAM, message)
                return
            self.outbox.forget(STREAM)
            self.outbox.tell(message)

        def thread() -> None:
            try:
                work(stop, lambda message: _soon(loop, lambda: send(message)), bits)
            except OutflankError as error:
                why = " ".join(str(error).split())[:400]
                _soon(loop, lambda: send(Refused(re=ask, why=why)))
            except Exception as error:
                self.house.complain(error)
                why = f"this failed: {type(error).__name__}"
                _soon(loop, lambda: send(Refused(re=ask, why=why)))
            finally:
                _soon(loop, lambda: searches.leave(stop))

        def stop_it() -> None:
            stop()

        self._end = stop_it
        threading.Thread(target=thread, name=name, daemon=True).start()


def _nothing() -> None:
    """There is nothing under way."""


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        return  # the server has ended meanwhile
