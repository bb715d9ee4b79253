"""A connection: what it asks, in order, and what it is told."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ClassVar, cast

from msgspec import Struct
from msgspec.structs import replace
from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank.documents import decoded
from outflank.errors import OutflankError
from outflank.kinds import Misfit
from outflank.ui.web import messages, requests
from outflank.ui.web.games.exporting import exported
from outflank.ui.web.games.making import placed, read, started
from outflank.ui.web.hall.hall import Hall
from outflank.ui.web.hall.tables import Table
from outflank.ui.web.messages import Game, Gone, Message, Refused
from outflank.ui.web.requests import Request
from outflank.ui.web.visits.activity import Activity
from outflank.ui.web.visits.limits import Bucket
from outflank.ui.web.visits.outbox import Outbox
from outflank.ui.web.visits.welcome import welcome

TOO_FAST, TOO_SLOW = "too many messages", "messages are not read"
POLICY = 1008
"""The code with which a connection is closed that does not keep to the rules."""

SILENT_SECONDS = 20.0
"""Age at which a connection without any request may be closed in favour of a new one."""

CLOSE_SECONDS = 1.0
"""Timeout for sending the close frame, and interval between two cancellations of a task."""

MOST_WHY = 400
"""Letters of a refusal."""


class Session:
    """One connection."""

    def __init__(self, hall: Hall, socket: WebSocket) -> None:
        self.hall, self.house, self.socket = hall, hall.house, socket
        self.outbox = Outbox()
        self.open: Table | None = None
        self.activity = Activity(hall, self.outbox)
        self._loop = asyncio.get_running_loop()
        self._begun = self._loop.time()
        self._has_asked = self._is_closing = False
        self._lab_number = 0
        """Of the last request by which this connection is told of runs."""
        self._handling: list[asyncio.Task[None]] = []
        self._bucket = Bucket(hall.house.settings.messages_a_second, hall.house.settings.messages_at_once)

    @property
    def is_silent(self) -> bool:
        """Whether it has sent no request for `SILENT_SECONDS`, and may be closed in favour of a new connection."""
        waits = not self._has_asked and not self._is_closing
        return waits and self._loop.time() - self._begun >= SILENT_SECONDS

    async def run(self) -> None:
        """Until one of the two ends it."""
        await self.outbox.answer(await self.house.work(welcome, self.house.settings.workers))
        sending = asyncio.create_task(self._send())
        receiving = asyncio.create_task(self._receive())
        try:
            await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.activity.close()
            self.outbox.close()
            await _cancel_all(sending, receiving)
            # What is being done is done to its end, or a game would be another on disk than in memory.
            for ended in await asyncio.gather(sending, receiving, *self._handling, return_exceptions=True):
                if isinstance(ended, Exception) and not isinstance(ended, WebSocketDisconnect):
                    self.house.complain(ended)
            self.house.laboratory.forget(self._lab_tell)
            await self._leave()

    # --- messages ---

    async def _send(self) -> None:
        while True:
            text = await self.outbox.next()
            try:
                async with asyncio.timeout(self.house.settings.slow_seconds):
                    await self.socket.send_text(text)
            except TimeoutError:
                await self.close(POLICY, TOO_SLOW)
                return
            except (WebSocketDisconnect, RuntimeError, OSError):
                return

    async def _receive(self) -> None:
        while True:
            frame = await self.socket.receive()
            if frame["type"] != "websocket.receive":
                return
            if not self._bucket.take():
                await self.close(POLICY, TOO_FAST)
                return
            await self.outbox.room()
            self._has_asked = True
            text = frame.get("text")
            if text is None:
                await self.outbox.answer(Refused(re=None, why="a message is text: one JSON object"))
            else:
                self._handling = [asyncio.create_task(self._heard(text))]
                await asyncio.shield(self._handling[0])

    async def close(self, code: int, why: str) -> None:
        """Close the connection, which ends the session."""
        self._is_closing = True
        with suppress(TimeoutError, RuntimeError, OSError, WebSocketDisconnect):  # it may be gone already
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.socket.close(code, why)

    async def _heard(self, text: str) -> None:
        """Answer a message, whatever it is."""
        try:
            request = decoded(cast(type[Request], Request), text.encode("utf-8", "replace"))
        except Misfit as error:
            await self.outbox.answer(Refused(re=_number(text), why=_line(error)))
            return
        try:
            answer = await self._handlers[type(request)](self, request)
        except OutflankError as error:
            answer = Refused(re=request.ask, why=_line(error))
        except Exception as error:  # ours: the connection goes on, and so do all others
            self.house.complain(error)
            answer = Refused(re=request.ask, why=f"this failed: {type(error).__name__}")
        if answer is not None:
            await self.outbox.answer(answer)

    # --- as one who watches a game ---

    def game_changed(self, message: Game) -> None:
        """The game that is open is another now."""
        self.outbox.stream("game", message)

    def game_gone(self, message: Gone) -> None:
        """The game that was open is no more."""
        self.open = None
        self.outbox.forget("game")
        self.outbox.tell(message)

    async def _leave(self) -> None:
        table, self.open = self.open, None
        if table is not None:
            self.outbox.forget("game")
            await self.hall.leave(table, self)

    async def _watch(self, table: Table, ask: int) -> Game:
        if self.open is not table:
            await self._leave()
        game = await table.watch(self)
        self.open = table
        return replace(game, re=ask)

    # --- what is asked of games ---

    async def _new(self, asked: requests.New) -> Message:
        if asked.text is not None:
            kept = await self.house.reading.read(read, asked.text, asked.game, asked.options, asked.seats)
        elif asked.game is not None:
            kept = await self.house.work(started, asked.game, asked.options, asked.seats)
        else:
            raise OutflankError("a new game needs the name of a game, or a text")
        return await self._watch(await self.hall.begin_game(kept), asked.ask)

    async def _place(self, asked: requests.Place) -> Message:
        kept = await self.house.work(placed, asked.game, asked.options, asked.pieces, asked.turn)
        return await self._watch(await self.hall.begin_game(kept), asked.ask)

    async def _open(self, asked: requests.Open) -> Message:
        return await self._watch(await self.hall.table(asked.id), asked.ask)

    async def _let_go(self, asked: requests.Leave) -> Message:
        await self._leave()
        return messages.Left(re=asked.ask)

    async def _sit(self, asked: requests.Sit) -> Message:
        return await self._told(asked, lambda table: table.sit(asked.seats, self))

    async def _play(self, asked: requests.Play) -> Message:
        return await self._told(asked, lambda table: table.play(asked.node, asked.move, self))

    async def _go(self, asked: requests.Go) -> Message:
        return await self._told(asked, lambda table: table.show(asked.node, self))

    async def _prune(self, asked: requests.Prune) -> Message:
        return await self._told(asked, lambda table: table.prune(asked.node, self))

    async def _promote(self, asked: requests.Promote) -> Message:
        return await self._told(asked, lambda table: table.promote(asked.node, self))

    async def _resign(self, asked: requests.Resign) -> Message:
        return await self._told(asked, lambda table: table.resign(asked.side, self))

    async def _told(self, asked: Any, change: Callable[[Table], Awaitable[Game]]) -> Message:
        """The game after a change, which is the one that is open from then on."""
        table = await self.hall.table(asked.id)
        if self.open is not table:
            await self._watch(table, asked.ask)
        answer = await change(table)
        self.outbox.forget("game")  # what waits is older
        return replace(answer, re=asked.ask)

    async def _games(self, asked: requests.Games) -> Message:
        return await self.hall.page(asked.before, asked.ask)

    async def _delete(self, asked: requests.Delete) -> Message:
        if self.open is not None and self.open.kept.id == asked.id:
            await self.open.leave(self)  # the answer tells of it
            self.open = None
            self.outbox.forget("game")
        await self.hall.delete(asked.id)
        return Gone(re=asked.ask, id=asked.id)

    async def _export(self, asked: requests.Export) -> Message:
        table = await self.hall.table(asked.id)
        number = table.kept.node if asked.node is None else asked.node
        board = await table.board_at(number)
        return await self.house.work(exported, table.kept, number, board, asked.form, asked.ask)

    # --- what is asked of searches ---

    async def _analyse(self, asked: requests.Analyse) -> None:
        await self.activity.analyse(asked)

    async def _compare(self, asked: requests.Compare) -> None:
        await self.activity.compare(asked)

    async def _review(self, asked: requests.Review) -> None:
        await self.activity.review(asked)

    async def _halt(self, asked: requests.Halt) -> Message:
        self.activity.halt()
        return messages.Halted(re=asked.ask)

    # --- what is asked of the laboratory ---

    async def _lab(self, asked: requests.Lab) -> Message:
        self._listen_to_runs(asked.ask)
        return await self.house.work(self.house.laboratory.listing, asked.ask)

    async def _run(self, asked: requests.Run) -> None:
        before = self._lab_number
        self._listen_to_runs(asked.ask)
        try:
            await self.house.work(self.house.laboratory.begin, asked)
        except OutflankError:
            self._lab_number = before  # what is under way is still told of under the number that was heard last
            raise

    def _listen_to_runs(self, number: int) -> None:
        self._lab_number = number
        self.house.laboratory.listen(self._lab_tell)

    def _lab_tell(self, message: messages.Running) -> None:
        with suppress(RuntimeError):  # the server may have ended
            self._loop.call_soon_threadsafe(self._lab_send, message)

    def _lab_send(self, message: messages.Running) -> None:
        if not self._lab_number:
            return  # its own run was refused
        told = replace(message, of=self._lab_number)
        if message.done:
            self.outbox.forget("lab")
            self.outbox.tell(told)
        else:
            self.outbox.stream("lab", told)

    async def _cancel(self, asked: requests.Cancel) -> Message:
        await self.house.work(self.house.laboratory.cancel)
        return messages.Halted(re=asked.ask)

    _handlers: ClassVar[dict[type, Callable[[Any, Any], Awaitable[Message | None]]]] = {
        requests.New: _new,
        requests.Place: _place,
        requests.Open: _open,
        requests.Leave: _let_go,
        requests.Sit: _sit,
        requests.Play: _play,
        requests.Go: _go,
        requests.Prune: _prune,
        requests.Promote: _promote,
        requests.Resign: _resign,
        requests.Games: _games,
        requests.Delete: _delete,
        requests.Export: _export,
        requests.Analyse: _analyse,
        requests.Compare: _compare,
        requests.Review: _review,
        requests.Halt: _halt,
        requests.Lab: _lab,
        requests.Run: _run,
        requests.Cancel: _cancel,
    }


async def _cancel_all(*tasks: "asyncio.Task[None]") -> None:
    """Cancel tasks until they end: code that they call may swallow a cancellation."""
    pending = {task for task in tasks if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CLOSE_SECONDS)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:MOST_WHY]


class _Numbered(Struct):
    ask: requests.Ask


def _number(text: str) -> int | None:
    """The number of a message that is otherwise none."""
    try:
        return decoded(_Numbered, text.encode("utf-8", "replace")).ask
    except Misfit:
        return None
