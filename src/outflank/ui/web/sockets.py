"""How many sockets a server holds, and how long one may keep it waiting.

A socket is *waited for* while it has sent no whole request (before its first one, between two, in the middle of one
that comes a byte a second), while it does not read its answer, and when it was told that it will be closed. It is
*served* while a request is answered, and as a WebSocket. To be waited for costs a client nothing. So there is a
deadline that no byte extends, and where too many sockets are open the one that was waited for longest makes room: a
client that sends its request at once is always heard.
"""

import asyncio
import sys
from dataclasses import dataclass

REQUEST_SECONDS = 10.0
"""Time to send a whole request, from the connection or from the last answer on, or to read more of an answer."""

CLOSING_SECONDS = 30.0
"""Time to read the rest of what was sent to a socket that is closed."""

SWEEP_SECONDS = 1.0
"""Between two looks for sockets that are late."""

MOST_SOCKETS, LEAST_SOCKETS = 400, 16

RESERVED_FILES = 64
"""File descriptors that are left to all else: the games, the event loop, experiments and their processes."""


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """How many sockets may be open, and how many of them for what; the rest is for requests that are answered."""

    open: int

    @property
    def websockets(self) -> int:
        """WebSockets at a time."""
        return self.open // 2

    @property
    def waiting(self) -> int:
        """Sockets that are waited for at a time."""
        return self.open // 4


def socket_limits() -> SocketLimits:
    """The limits that leave some of this process's file descriptors to others."""
    return SocketLimits(max(LEAST_SOCKETS, min(MOST_SOCKETS, _most_files() - RESERVED_FILES)))


def _most_files() -> int:
    """The number of file descriptors that this process may have."""
    if sys.platform == "win32":  # sockets are no file descriptors there
        return MOST_SOCKETS + RESERVED_FILES
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_SOCKETS + RESERVED_FILES if soft == resource.RLIM_INFINITY else soft


@dataclass(slots=True)
class _Socket:
    """What is known of an open socket."""

    waiting_since: float | None
    """None: it is served."""
    closing_since: float | None = None


class Sockets:
    """The open sockets of a server; used on its event loop."""

    def __init__(self, limits: SocketLimits) -> None:
        self.limits = limits
        self._sockets: dict[asyncio.BaseTransport, _Socket] = {}

    def __len__(self) -> int:
        return len(self._sockets)

    @property
    def waiting(self) -> int:
        """The number of sockets that are waited for."""
        return sum(entry.waiting_since is not None for entry in self._sockets.values())

    # --- what protocols say of their sockets ---

    def wait(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a request of this socket."""
        entry = self._sockets.setdefault(transport, _Socket(None))
        entry.waiting_since = _now()

    def serve(self, transport: asyncio.BaseTransport) -> None:
        """Wait for this socket no more: its request is there."""
        entry = self._sockets.get(transport)
        if entry is not None:
            entry.waiting_since = None

    def remove(self, transport: asyncio.BaseTransport) -> None:
        """Forget a socket: it is closed."""
        self._sockets.pop(transport, None)

    # --- limits ---

    def make_room(self) -> bool:
        """Close what was waited for longest where there are too many; whether one more socket may be opened."""
        if len(self) >= self.limits.open or self.waiting >= self.limits.waiting:
            self.drop_oldest()
        return len(self) < self.limits.open

    def drop_oldest(self) -> None:
        """Close the socket that was waited for longest, if there is one."""
        waiting = [(entry.waiting_since, transport) for transport, entry in self._sockets.items()]
        ages = {transport: since for since, transport in waiting if since is not None}
        if ages:
            self._abort(min(ages, key=lambda transport: ages[transport]))

    def close_late(self) -> None:
        """Close the sockets that are late."""
        now = _now()
        for transport, entry in list(self._sockets.items()):
            if transport.is_closing():
                if entry.closing_since is None:
                    entry.closing_since = now
                elif now - entry.closing_since >= CLOSING_SECONDS:
                    self._abort(transport)
            elif entry.waiting_since is not None and now - entry.waiting_since >= REQUEST_SECONDS:
                transport.close()  # which sends first what waits to be sent

    def drop_waiting(self) -> None:
        """Close all sockets that are waited for: the server ends."""
        for transport, entry in list(self._sockets.items()):
            if entry.waiting_since is not None:
                self._abort(transport)

    def _abort(self, transport: asyncio.BaseTransport) -> None:
        self.remove(transport)
        if isinstance(transport, asyncio.WriteTransport):
            transport.abort()


def _now() -> float:
    return asyncio.get_running_loop().time()
