"""The HTTP server: uvicorn with limits on connections, and errors as single lines."""

import asyncio
import logging
import socket
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from outflank.errors import reason_of
from outflank.ui.web.http_protocols import CountedState, HttpProtocol, WebSocketProtocol
from outflank.ui.web.requests import MOST_BYTES
from outflank.ui.web.sockets import SWEEP_SECONDS, SocketLimits, Sockets, socket_limits
from outflank.ui.web.warning_log import WarningLog

LEAVING_SECONDS = 1
"""Timeout for open connections when the server shuts down."""

PING_SECONDS = 20.0
"""Interval between two pings of a connection, and timeout for its answer."""

ACCEPT_RETRY_SECONDS = 0.1
"""Delay before the next attempt after `accept` failed for lack of resources."""


class _WarningHandler(logging.Handler):
    """Writes warnings and errors of uvicorn and asyncio to the warning log, one line each."""

    def __init__(self, log: WarningLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = None if record.exc_info is None else record.exc_info[1]
        why = "" if error is None else f": {error!r}"
        lines = record.getMessage().splitlines()
        self._log.warn(f"{record.msg} {type(error).__name__}", f"{lines[0] if lines else ''}{why}")


class BoundedServer(uvicorn.Server):
    """A uvicorn server that accepts connections one at a time, up to a limit.

    uvicorn leaves that to asyncio, which accepts thousands before it handles any, and when the file descriptors run out
    tries each of them again every second and prints a traceback for each.
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
                # Other code of this process opens files too: there may be fewer descriptors than the limit assumes.
                self.log.warn("accept", f"a connection was not accepted: {reason_of(error)}")
                self.sockets.drop_oldest()
                await asyncio.sleep(ACCEPT_RETRY_SECONDS)
                continue
            if self.sockets.make_room():
                await self._connect(accepted)
            else:
                self.log.warn("full", f"a connection was refused: {len(self.sockets)} are open")
                accepted.close()
            await asyncio.sleep(0)  # or a flood of connections would starve everything else

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
    """Return a server that has not been started."""
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
