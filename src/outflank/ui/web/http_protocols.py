"""uvicorn's HTTP and WebSocket protocols, extended to report whether the request of a socket is complete, and with a
limit on the frames of a WebSocket.

uvicorn has no time limit for requests: its timer for idle connections begins after the first answer, and ends with the
first byte of the next request. It has no limit on frames either: an empty one costs a client six bytes, and the server
6 to 7 microseconds to parse.
"""

import asyncio
from typing import Any, cast

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from outflank.ui.web.sockets import Sockets
from outflank.ui.web.visits.rate_limit import Bucket

FRAMES_A_SECOND, FRAMES_AT_ONCE = 50.0, 500
"""Maximum rate of frames that end no message (continuations, pings, pongs), and maximum number of them at once."""

PART_BYTES = 4096
"""Bytes that are parsed before the frames in them are counted: a socket may have 256 KiB ready."""

POLICY_VIOLATION = 1008
"""Code with which a WebSocket that sends too many frames is closed."""


class CountedState(ServerState):
    """State that all connections of a server share, including its sockets."""

    def __init__(self, sockets: Sockets) -> None:
        super().__init__()
        self.sockets = sockets


class HttpProtocol(H11Protocol):
    """An HTTP connection."""

    def _sockets(self) -> Sockets:
        return cast(CountedState, self.server_state).sockets

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout for the first request."""
        super().connection_made(transport)
        self._sockets().wait(transport)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._note_request()

    def on_response_complete(self) -> None:
        """Start the timeout for the next request, unless it has arrived already."""
        self._sockets().wait(self.transport)
        super().on_response_complete()
        self._note_request()

    def pause_writing(self) -> None:
        """Start the timeout for the client to read the response."""
        super().pause_writing()
        self._sockets().wait(self.transport)

    def resume_writing(self) -> None:
        """Continue the response."""
        super().resume_writing()
        self._note_request()

    def _note_request(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete and not self.flow.write_paused:
            self._sockets().serve(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the socket."""
        self._sockets().remove(self.transport)
        super().connection_lost(exc)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """A connection after its upgrade to a WebSocket; until the handshake is done, the timeout of its request runs."""

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
        """Read frames, until there are too many."""
        for begin in range(0, len(data), PART_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[begin : begin + PART_BYTES])

    def handle_cont(self, event: Frame) -> None:
        """Read a part of a message."""
        if self._count_frame():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer a ping."""
        if self._count_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Read an answer to a ping."""
        if self._count_frame():
            super().handle_pong(event)

    def _count_frame(self) -> bool:
        """Count a frame that ends no message; return whether it is to be read. One too many closes the connection."""
        if self.transport.is_closing():
            return False
        if self._frames.take():
            return True
        self.conn.fail(POLICY_VIOLATION, "too many frames")
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()
        return False

    async def send(self, message: Any) -> None:
        """Accept, send or close; after a close the timeout for the client's answer runs."""
        await super().send(message)
        if self.handshake_complete and not self.close_sent:
            self._sockets.serve(self.transport)
        elif not self.transport.is_closing():
            self._sockets.wait(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the socket."""
        self._sockets.remove(self.transport)
        super().connection_lost(exc)
