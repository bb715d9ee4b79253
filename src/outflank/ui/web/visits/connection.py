"""A connection of a user: its requests, which are handled in order, and the messages that are sent to the user."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar, cast

from msgspec import Struct
from msgspec.structs import replace
from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank import __version__
from outflank.errors import OutflankError
from outflank.games.defaults import Level
from outflank.games.description import GAMES, GameDescription, GameOption
from outflank.logs import logger
from outflank.search.algorithms import ALGORITHMS
from outflank.search.division import SCHEMES
from outflank.search.request_checks import MONTE_CARLO
from outflank.ui.web import requests, server_messages
from outflank.ui.web.games.exporting import exported, exported_search, forms_of
from outflank.ui.web.games.new_games import (
    found_games,
    game_from_pieces,
    game_from_records,
    games_from_records,
    new_game,
)
from outflank.ui.web.games.seat_owners import digest_of
from outflank.ui.web.lobby.live_games import LiveGame
from outflank.ui.web.lobby.lobby import Lobby
from outflank.ui.web.lobby.puzzling import puzzle_set
from outflank.ui.web.requests import Request
from outflank.ui.web.server_messages import (
    VERSION,
    Game,
    GameChoice,
    GameKind,
    Gone,
    Message,
    Refused,
    SchemeKind,
    StartChoice,
    Welcome,
)
from outflank.ui.web.visits.activity import Activity
from outflank.ui.web.visits.message_queue import Bucket, Outbox
from outflank.validation.documents import decoded
from outflank.validation.values import Misfit

log = logger(__name__)


@cache
def welcome(cores: int) -> Welcome:
    """Return the first message that the server sends on a connection."""
    return Welcome(
        version=VERSION,
        package=__version__,
        games=tuple(_game_kind(description) for description in GAMES.parts().values()),
        algorithms=(*ALGORITHMS, *MONTE_CARLO),
        schemes=tuple(
            SchemeKind(
                name=scheme.name,
                algorithms=scheme.algorithms,
                promises=scheme.promises_text,
                overhead=scheme.overhead,
            )
            for scheme in SCHEMES.parts().values()
        ),
        cores=cores,
    )


def _game_kind(description: GameDescription) -> GameKind:
    return GameKind(
        name=description.name,
        title=description.title,
        options=tuple(_game_choice(option) for option in description.variants.options),
        levels=len(description.play.levels),
        level_texts=tuple(_level_text(level) for level in description.play.levels),
        default_level=min(description.play.default_level, len(description.play.levels)),
        starts=tuple(StartChoice(name=name, text=text) for name, text in description.play.starts().items()),
        unit=description.scores.unit,
        forms=forms_of(description),
    )


def _level_text(level: Level) -> str:
    parts = (level.name, "" if level.elo is None else f"{level.elo:+d} Elo")
    return ", ".join(part for part in parts if part)


def _game_choice(option: GameOption) -> GameChoice:
    choice_text = option.value_text or str
    return GameChoice(
        name=option.name,
        help=option.help,
        choices=option.choices,
        labels=tuple(choice_text(choice) for choice in option.choices),
        default=option.default,
    )


TOO_FAST, TOO_SLOW = "too many messages", "messages are not read"
POLICY = 1008
"""WebSocket close code for a connection that exceeds a limit."""

SILENT_SECONDS = 20.0
"""Age in seconds at which a connection without any request may be closed to make room for a new connection."""

CLOSE_SECONDS = 1.0
"""Time limit in seconds for sending the close frame, and seconds between two cancellations of a task."""

MOST_WHY = 400
"""Maximum number of characters in the reason of a refusal."""


class Session:
    """One connection of a user's web page to the server."""

    def __init__(self, lobby: Lobby, socket: WebSocket) -> None:
        self.lobby, self.services, self.socket = lobby, lobby.services, socket
        self.outbox = Outbox()
        self.open: LiveGame | None = None
        self.who = ""
        """Digest of the browser's secret name, or empty before `enter`."""
        self.activity = Activity(lobby, self.outbox)
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._has_sent_request = self._is_closing = False
        self._lab_request = 0
        """Number of the last `lab` or `run` request of this connection, or 0 before the first."""
        self._running_handlers: list[asyncio.Task[None]] = []
        self._bucket = Bucket(lobby.services.settings.messages_a_second, lobby.services.settings.messages_at_once)

    @property
    def is_silent(self) -> bool:
        """Whether the connection is `SILENT_SECONDS` old without any request, so that a new one may replace it."""
        waits = not self._has_sent_request and not self._is_closing
        return waits and self._loop.time() - self._started >= SILENT_SECONDS

    async def run(self) -> None:
        """Serve the connection until the client or the server ends it."""
        await self.outbox.answer(await self.services.work(welcome, self.services.settings.workers))
        sending = asyncio.create_task(self._send())
        receiving = asyncio.create_task(self._receive())
        try:
            await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.activity.close()
            self.outbox.close()
            await _cancel_all(sending, receiving)
            # Complete the current request, because otherwise a game on disk could differ from the game in memory.
            for result in await asyncio.gather(sending, receiving, *self._running_handlers, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                    self.services.warn(result)
            self.services.laboratory.forget(self._run_progressed)
            await self._leave()

    # --- messages ---

    async def _send(self) -> None:
        while True:
            text = await self.outbox.next()
            try:
                async with asyncio.timeout(self.services.settings.slow_seconds):
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
            self._has_sent_request = True
            text = frame.get("text")
            if text is None:
                await self.outbox.answer(Refused(re=None, why="a message is text: one JSON object"))
            else:
                self._running_handlers = [asyncio.create_task(self._answer(text))]
                await asyncio.shield(self._running_handlers[0])

    async def close(self, code: int, why: str) -> None:
        """Close the connection, which ends the session."""
        log.info("closed a connection: %s", why)
        self._is_closing = True
        with suppress(TimeoutError, RuntimeError, OSError, WebSocketDisconnect):  # it may be closed already
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.socket.close(code, why)

    async def _answer(self, text: str) -> None:
        """Handle a message, valid or not, and send the answer."""
        try:
            request = decoded(cast(type[Request], Request), text.encode("utf-8", "replace"))
        except Misfit as error:
            await self.outbox.answer(Refused(re=_request_number(text), why=_one_line(error)))
            return
        try:
            answer = await self._handlers[type(request)](self, request)
        except OutflankError as error:
            log.debug("refused a request: %s", error)
            answer = Refused(re=request.ask, why=_one_line(error))
        except Exception as error:  # an internal error: this connection and all others go on
            self.services.warn(error)
            answer = Refused(re=request.ask, why=f"this failed: {type(error).__name__}")
        if answer is not None:
            await self.outbox.answer(answer)

    # --- the interface of a watcher ---

    def game_changed(self, message: Game) -> None:
        """Send the open game after a change."""
        self.outbox.stream("game", message)

    def game_gone(self, message: Gone) -> None:
        """Send the notice that the open game was deleted."""
        self.open = None
        self.outbox.forget("game")
        self.outbox.tell(message)

    async def _leave(self) -> None:
        live_game, self.open = self.open, None
        if live_game is not None:
            self.outbox.forget("game")
            await self.lobby.leave(live_game, self)

    async def _watch(self, live_game: LiveGame, ask: int) -> Game:
        if self.open is not live_game:
            await self._leave()
        game = await live_game.watch(self)
        self.open = live_game
        return replace(game, re=ask)

    # --- requests about games ---

    async def _keep(self, request: requests.Keep) -> Message:
        _check_source(request)
        games = await self.services.reading.read(games_from_records, request)
        await self.lobby.keep(games)
        return server_messages.Saved(re=request.ask, games=len(games))

    async def _read(self, request: requests.Read) -> Message:
        _check_source(request)
        return await self.services.reading.read(found_games, request)

    async def _new(self, request: requests.New) -> Message:
        _check_files(request)
        if request.text is not None or request.files:
            saved = await self.services.reading.read(game_from_records, request)
        elif request.game is not None:
            saved = await self.services.work(new_game, request.game, request.options, request.seats)
        else:
            raise OutflankError("a new game needs the name of a game, or a text")
        return await self._watch(await self.lobby.begin_game(saved), request.ask)

    async def _place(self, request: requests.Place) -> Message:
        saved = await self.services.work(game_from_pieces, request.game, request.options, request.pieces, request.turn)
        return await self._watch(await self.lobby.begin_game(saved), request.ask)

    async def _open(self, request: requests.Open) -> Message:
        return await self._watch(await self.lobby.live_game(request.id), request.ask)

    async def _leave_game(self, request: requests.Leave) -> Message:
        await self._leave()
        return server_messages.Left(re=request.ask)

    async def _enter(self, request: requests.Enter) -> Message:
        self.who = digest_of(request.secret)
        return server_messages.Entered(re=request.ask)

    async def _take(self, request: requests.Take) -> Message:
        return await self._change(request, lambda live_game: live_game.take(request.side, self, leave=request.leave))

    async def _offer(self, request: requests.Offer) -> Message:
        return await self._change(request, lambda live_game: live_game.offer(request.what, self, self.lobby.begin_game))

    async def _sit(self, request: requests.Sit) -> Message:
        return await self._change(request, lambda live_game: live_game.sit(request.seats, self))

    async def _play(self, request: requests.Play) -> Message:
        return await self._change(request, lambda live_game: live_game.play(request.node, request.move, self))

    async def _go(self, request: requests.Go) -> Message:
        return await self._change(request, lambda live_game: live_game.show(request.node, self))

    async def _prune(self, request: requests.Prune) -> Message:
        return await self._change(request, lambda live_game: live_game.prune(request.node, self))

    async def _promote(self, request: requests.Promote) -> Message:
        return await self._change(request, lambda live_game: live_game.promote(request.node, self))

    async def _resign(self, request: requests.Resign) -> Message:
        return await self._change(request, lambda live_game: live_game.resign(request.side, self))

    async def _change(self, request: Any, change: Callable[[LiveGame], Awaitable[Game]]) -> Message:
        """Change a game, make it the open game of this connection, and return it."""
        live_game = await self.lobby.live_game(request.id)
        if self.open is not live_game:
            await self._watch(live_game, request.ask)
        answer = await change(live_game)
        self.outbox.forget("game")  # a waiting message about the game is older than the answer
        return replace(answer, re=request.ask)

    async def _games(self, request: requests.Games) -> Message:
        return await self.lobby.page(request)

    async def _describe(self, request: requests.Describe) -> Message:
        live_game = await self.lobby.live_game(request.id)
        return replace(await live_game.describe(request, self), re=request.ask)

    async def _annotate(self, request: requests.Annotate) -> Message:
        live_game = await self.lobby.live_game(request.id)
        return replace(await live_game.annotate(request, self), re=request.ask)

    async def _delete(self, request: requests.Delete) -> Message:
        self.lobby.check_deletion(request.id, self.who)
        if self.open is not None and self.open.saved.id == request.id:
            await self.open.leave(self)  # the answer reports the deletion
            self.open = None
            self.outbox.forget("game")
        await self.lobby.delete(request.id)
        return Gone(re=request.ask, id=request.id)

    async def _export(self, request: requests.Export) -> Message:
        live_game = await self.lobby.live_game(request.id)
        number = live_game.saved.node if request.node is None else request.node
        board = await live_game.board_at(number)
        return await self.services.work(exported, live_game.saved, number, board, request.form, request.ask)

    # --- requests for searches ---

    async def _analyse(self, request: requests.Analyse) -> None:
        await self.activity.analyse(request)

    async def _compare(self, request: requests.Compare) -> None:
        await self.activity.compare(request)

    async def _review(self, request: requests.Review) -> None:
        await self.activity.review(request)

    async def _retry(self, request: requests.Retry) -> None:
        await self.activity.retry(request)

    async def _explore(self, request: requests.Explore) -> Message:
        live_game = await self.lobby.live_game(request.id)
        board = await live_game.board_at(request.node)
        return await self.services.work(self.services.explorer.explore, request, board)

    async def _steps(self, request: requests.Steps) -> Message:
        live_game = await self.lobby.live_game(request.id)
        board = await live_game.board_at(request.node)
        return await self.services.work(exported_search, board, request)

    async def _halt(self, request: requests.Halt) -> Message:
        self.activity.halt()
        return server_messages.Halted(re=request.ask)

    # --- requests about puzzles ---

    async def _puzzles(self, request: requests.Puzzles) -> Message:
        return await self.services.work(lambda: puzzle_set(self.services.puzzles, request))

    async def _attempt(self, request: requests.Attempt) -> None:
        await self.activity.attempt(request)

    # --- requests to the laboratory ---

    async def _lab(self, request: requests.Lab) -> Message:
        self._listen_to_runs(request.ask)
        return await self.services.work(self.services.laboratory.listing, request.ask)

    async def _run(self, request: requests.Run) -> None:
        before = self._lab_request
        self._listen_to_runs(request.ask)
        try:
            await self.services.work(self.services.laboratory.begin, request)
        except OutflankError:
            self._lab_request = before  # the current run is still reported under the last number
            raise

    def _listen_to_runs(self, number: int) -> None:
        self._lab_request = number
        self.services.laboratory.listen(self._run_progressed)

    def _run_progressed(self, message: server_messages.Running) -> None:
        with suppress(RuntimeError):  # the server may have shut down
            self._loop.call_soon_threadsafe(self._send_run, message)

    def _send_run(self, message: server_messages.Running) -> None:
        if not self._lab_request:
            return  # the first run that this connection requested was refused
        numbered = replace(message, of=self._lab_request)
        if message.done:
            self.outbox.forget("lab")
            self.outbox.tell(numbered)
        else:
            self.outbox.stream("lab", numbered)

    async def _cancel(self, request: requests.Cancel) -> Message:
        await self.services.work(self.services.laboratory.cancel)
        return server_messages.Halted(re=request.ask)

    _handlers: ClassVar[dict[type, Callable[[Any, Any], Awaitable[Message | None]]]] = {
        requests.Read: _read,
        requests.Keep: _keep,
        requests.New: _new,
        requests.Place: _place,
        requests.Open: _open,
        requests.Leave: _leave_game,
        requests.Enter: _enter,
        requests.Take: _take,
        requests.Offer: _offer,
        requests.Sit: _sit,
        requests.Play: _play,
        requests.Go: _go,
        requests.Prune: _prune,
        requests.Promote: _promote,
        requests.Resign: _resign,
        requests.Games: _games,
        requests.Describe: _describe,
        requests.Annotate: _annotate,
        requests.Delete: _delete,
        requests.Export: _export,
        requests.Analyse: _analyse,
        requests.Compare: _compare,
        requests.Steps: _steps,
        requests.Review: _review,
        requests.Retry: _retry,
        requests.Puzzles: _puzzles,
        requests.Attempt: _attempt,
        requests.Explore: _explore,
        requests.Halt: _halt,
        requests.Lab: _lab,
        requests.Run: _run,
        requests.Cancel: _cancel,
    }


def _check_source(request: requests.Read | requests.Keep) -> None:
    if request.text is None and not request.files:
        raise OutflankError("a text or files are needed")
    _check_files(request)


def _check_files(request: requests.Read | requests.Keep | requests.New) -> None:
    if sum(len(file.data) for file in request.files) > requests.MOST_FILE_BYTES:
        raise OutflankError(f"files have at most {requests.MOST_FILE_BYTES:,} bytes together")


async def _cancel_all(*tasks: "asyncio.Task[None]") -> None:
    """Cancel tasks until they end, because code that they call may swallow a cancellation."""
    pending = {task for task in tasks if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CLOSE_SECONDS)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:MOST_WHY]


class _NumberedRequest(Struct):
    ask: requests.Ask


def _request_number(text: str) -> int | None:
    """Return the request number of an otherwise invalid message, or None."""
    try:
        return decoded(_NumberedRequest, text.encode("utf-8", "replace")).ask
    except Misfit:
        return None
