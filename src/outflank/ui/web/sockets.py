"""Limits on the number of open sockets, and on the time that each socket may keep the server waiting.

A socket is *waiting* while its request is incomplete: before the first request, between two requests, or while a
request arrives slowly. It is also waiting while the client does not read the response, and after the server has sent a
close frame. A socket is *served* while its request is answered, and while it is an open WebSocket. Waiting costs a
client nothing, so it has a deadline, which received bytes do not extend. If too many sockets are open, the socket that
has waited longest is closed. So idle clients cannot keep out a client that sends its request at once.
"""

import asyncio
import sys
from dataclasses import dataclass

from outflank.logs import logger

log = logger(__name__)

REQUEST_SECONDS = 10.0
"""Seconds that a client has to send a request after it connected or got the last response. A client has the same time
to read a response."""

CLOSING_SECONDS = 30.0
"""Seconds for a client to read the rest of a response after its socket was closed."""

SWEEP_SECONDS = 1.0
"""Seconds between two checks for sockets that have timed out."""

MOST_SOCKETS, LEAST_SOCKETS = 400, 16

RESERVED_FILES = 64
"""File descriptors reserved for other uses: the database, the event loop, experiments and their processes."""


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """Maximum numbers of open sockets, of WebSockets, and of sockets that wait for their clients."""

    open: int

    @property
    def websockets(self) -> int:
        """Maximum number of WebSockets."""
        return self.open // 2

    @property
    def waiting(self) -> int:
        """Maximum number of sockets that wait for their clients to send a request or read a response."""
        return self.open // 4


def socket_limits() -> SocketLimits:
    """Return limits that fit into the file descriptors of this process."""
    return SocketLimits(max(LEAST_SOCKETS, min(MOST_SOCKETS, _most_files() - RESERVED_FILES)))


def _most_files() -> int:
    if sys.platform == "win32":  # on Windows, sockets are not file descriptors
        return MOST_SOCKETS + RESERVED_FILES
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_SOCKETS + RESERVED_FILES if soft == resource.RLIM_INFINITY else soft


@dataclass(slots=True)
class _Socket:
    """State of an open socket of the server."""

    waiting_since: float | None
    """Time since which the server waits for the client's next action, or None if it does not wait."""
    closing_since: float | None = None


class Sockets:
    """The open sockets of a server. Not thread-safe: to be used only on its event loop."""

    def __init__(self, limits: SocketLimits) -> None:
        self.limits = limits
        self._sockets: dict[asyncio.BaseTransport, _Socket] = {}

    def __len__(self) -> int:
        return len(self._sockets)

    @property
    def waiting(self) -> int:
        """Number of sockets that wait for their clients to send a request or read a response."""
        return sum(entry.waiting_since is not None for entry in self._sockets.values())

    # --- events, reported by the protocols ---

    def wait(self, transport: asyncio.BaseTransport) -> None:
        """Start the timeout for the client to send a request, or to read a response."""
        entry = self._sockets.setdefault(transport, _Socket(None))
        entry.waiting_since = _now()

    def serve(self, transport: asyncio.BaseTransport) -> None:
        """Stop the timeout, because the client has sent its request, or read the response."""
        entry = self._sockets.get(transport)
        if entry is not None:
            entry.waiting_since = None

    def remove(self, transport: asyncio.BaseTransport) -> None:
        """Remove a closed socket."""
        self._sockets.pop(transport, None)

    # --- limits ---

    def make_room(self) -> bool:
        """If a limit is reached, close the socket that has waited longest. Return whether a socket may be opened."""
        if len(self) >= self.limits.open or self.waiting >= self.limits.waiting:
            self.drop_oldest()
        return len(self) < self.limits.open

    def drop_oldest(self) -> None:
        """Close the socket that has waited longest, if any socket is waiting."""
        waiting = [(entry.waiting_since, transport) for transport, entry in self._sockets.items()]
        ages = {transport: since for since, transport in waiting if since is not None}
        if ages:
            log.info("closed the socket that waited longest, because %d are open, and %d wait", len(self), len(ages))
            self._abort(min(ages, key=lambda transport: ages[transport]))

    def close_late(self) -> None:
        """Close the sockets that have timed out."""
        now = _now()
        for transport, entry in list(self._sockets.items()):
            if transport.is_closing():
                if entry.closing_since is None:
                    entry.closing_since = now
                elif now - entry.closing_since >= CLOSING_SECONDS:
                    log.info("closed a socket: its client did not read the response within %g s", CLOSING_SECONDS)
                    self._abort(transport)
            elif entry.waiting_since is not None and now - entry.waiting_since >= REQUEST_SECONDS:
                log.info("closed a socket: its client sent or read nothing for %g s", REQUEST_SECONDS)
                transport.close()  # sends the buffered data first

    def drop_waiting(self) -> None:
        """Close all sockets that wait for their clients, because the server shuts down."""
        for transport, entry in list(self._sockets.items()):
            if entry.waiting_since is not None:
                self._abort(transport)

    def _abort(self, transport: asyncio.BaseTransport) -> None:
        self.remove(transport)
        if isinstance(transport, asyncio.WriteTransport):
            transport.abort()


def _now() -> float:
    return asyncio.get_running_loop().time()
