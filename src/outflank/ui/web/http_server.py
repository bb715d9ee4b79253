"""The HTTP server: uvicorn with limits on connections and frames, and with errors as single lines."""

import asyncio
import logging
import socket
from contextlib import suppress
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from outflank.errors import reason_of
from outflank.logs import logger
from outflank.ui.web.requests import MOST_BYTES
from outflank.ui.web.sockets import SWEEP_SECONDS, SocketLimits, Sockets, socket_limits
from outflank.ui.web.visits.message_queue import Bucket
from outflank.ui.web.warning_log import WarningLog

# The classes `HttpProtocol` and `WebSocketProtocol` extend uvicorn's protocols. They report whether a socket's request
# is complete, and limit the frames of a WebSocket. uvicorn has no time limit for requests: its timer for idle
# connections starts after the first answer, and stops at the first byte of the next request. It has no limit on frames
# either. An empty frame costs a client six bytes. The server needs 6 to 7 microseconds to parse it.

log = logger(__name__)

FRAMES_A_SECOND, FRAMES_AT_ONCE = 50.0, 500
"""Maximum number of WebSocket frames that end no message (continuations, pings, pongs): per second, and in a burst."""

PART_BYTES = 4096
"""Maximum number of received bytes that are parsed before the next check for too many frames. A socket may have 256 KiB
ready."""

POLICY_VIOLATION = 1008
"""Close code for a WebSocket on which the client sends too many frames."""


class CountedState(ServerState):
    """State that all connections of a server share, including its open sockets."""

    def __init__(self, sockets: Sockets) -> None:
        super().__init__()
        self.sockets = sockets


class HttpProtocol(H11Protocol):
    """HTTP connection with a timeout for each request and response."""

    def _sockets(self) -> Sockets:
        return cast(CountedState, self.server_state).sockets

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout for the first request."""
        super().connection_made(transport)
        self._sockets().wait(transport)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, and end the timeout when the headers are complete."""
        super().data_received(data)
        self._note_request()

    def on_response_complete(self) -> None:
        """Start the timeout for the next request, unless the next request has arrived already."""
        self._sockets().wait(self.transport)
        super().on_response_complete()
        self._note_request()

    def pause_writing(self) -> None:
        """Start the timeout for the client to read the response."""
        super().pause_writing()
        self._sockets().wait(self.transport)

    def resume_writing(self) -> None:
        """Continue the response, and end the timeout that `pause_writing` started."""
        super().resume_writing()
        self._note_request()

    def _note_request(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete and not self.flow.write_paused:
            self._sockets().serve(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._sockets().remove(self.transport)
        super().connection_lost(exc)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Connection after its upgrade to a WebSocket. The timeout of the HTTP request runs until the handshake is done."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._sockets = cast(CountedState, server_state).sockets
        self._frames = Bucket(FRAMES_A_SECOND, FRAMES_AT_ONCE)

    def data_received(self, data: bytes) -> None:
        """Parse received frames. Stop if the connection was closed because of too many frames."""
        for begin in range(0, len(data), PART_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[begin : begin + PART_BYTES])

    def handle_cont(self, event: Frame) -> None:
        if self._count_frame():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self._count_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._count_frame():
            super().handle_pong(event)

    def _count_frame(self) -> bool:
        """Count a frame that ends no message, and return whether to handle it. Too many frames close the connection."""
        if self.transport.is_closing():
            return False
        if self._frames.take():
            return True
        log.info("closed a connection: too many frames")
        self.conn.fail(POLICY_VIOLATION, "too many frames")
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()
        return False

    async def send(self, message: Any) -> None:
        """Send a message. After a close frame, the timeout for the client's close frame runs."""
        await super().send(message)
        if self.handshake_complete and not self.close_sent:
            self._sockets.serve(self.transport)
        elif not self.transport.is_closing():
            self._sockets.wait(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._sockets.remove(self.transport)
        super().connection_lost(exc)


LEAVING_SECONDS = 1
"""Seconds that open connections have to end when the server shuts down."""

PING_SECONDS = 20.0
"""Seconds between two pings on a connection, and timeout in seconds for the client's pong."""

ACCEPT_RETRY_SECONDS = 0.1
"""Seconds to wait after `accept` failed for lack of resources."""


class _WarningHandler(logging.Handler):
    """Writes warnings and errors of uvicorn and asyncio to the warning log, in one line each."""

    def __init__(self, log: WarningLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = None if record.exc_info is None else record.exc_info[1]
        why = "" if error is None else f": {error!r}"
        lines = record.getMessage().splitlines()
        self._log.warn(f"{record.msg} {type(error).__name__}", f"{lines[0] if lines else ''}{why}")


class BoundedServer(uvicorn.Server):
    """uvicorn server that accepts connections one at a time, up to a limit.

    uvicorn leaves accepting to asyncio, which accepts thousands of connections before it handles any. If file
    descriptors run out, asyncio retries each connection every second and prints a traceback each time.
    """

    def __init__(self, config: uvicorn.Config, limits: SocketLimits, log: WarningLog) -> None:
        super().__init__(config)
        self.sockets, self.log = Sockets(limits), log
        self.server_state = CountedState(self.sockets)
        self._tasks: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections on these sockets."""
        asyncio.get_running_loop().set_exception_handler(self._callback_failed)
        await super().startup(sockets=[])
        if self.started:
            self._tasks = [asyncio.create_task(self._accept_all(listening)) for listening in sockets or []]
            self._tasks.append(asyncio.create_task(self._close_late()))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and close the open ones."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.sockets.drop_waiting()
        await super().shutdown(sockets=sockets)
        self.log.close()

    async def _accept_all(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        while True:
            try:
                accepted, _ = await loop.sock_accept(listening)
            except ConnectionAbortedError:
                continue
            except OSError as error:
                # Other code of this process opens files too, so fewer descriptors may be free than the limit assumes.
                self.log.warn("accept", f"a connection was not accepted: {reason_of(error)}")
                self.sockets.drop_oldest()
                await asyncio.sleep(ACCEPT_RETRY_SECONDS)
                continue
            if self.sockets.make_room():
                await self._connect(accepted)
            else:
                self.log.warn("full", f"a connection was refused: {len(self.sockets)} are open")
                accepted.close()
            await asyncio.sleep(0)  # let other tasks run: a flood of connections would starve them

    async def _connect(self, accepted: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, accepted)
        except Exception as error:  # an error of one connection must not end the loop
            with suppress(OSError):
                accepted.close()
            self.log.warn_of(error)

    def _protocol(self) -> HttpProtocol:
        return HttpProtocol(self.config, self.server_state, self.lifespan.state)

    async def _close_late(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.sockets.close_late()

    def _callback_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error, message = context.get("exception"), context.get("message", "")
        why = "" if error is None else f": {error!r}"
        self.log.warn(f"{message} {type(error).__name__}", f"{message}{why}")


def server_of(application: ASGIApp, limits: SocketLimits | None = None) -> BoundedServer:
    """Return a server for `application` that is not started yet. By default its limits are `socket_limits()`."""
    log = WarningLog()
    for name in ("uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_WarningHandler(log)], False
    config = uvicorn.Config(
        application,
        loop="asyncio",
        http=HttpProtocol,
        ws=WebSocketProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=MOST_BYTES,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,
        lifespan="on",
        timeout_graceful_shutdown=LEAVING_SECONDS,
    )
    return BoundedServer(config, limits or socket_limits(), log)
