"""Who may talk to the server: pages of its own, by its own name, and with its token where it has one.

A page of somebody else's in the same browser can send requests here, and by a name that it makes lead here (DNS
rebinding) even read the answers: so the name in `Host` must be ours, and `Origin`, which every WebSocket of a browser
carries, too.
"""

import re
import secrets
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote

from starlette.datastructures import Headers, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)

SAFE = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""Headers of every answer, unless it has its own."""

USUAL_PORT = 80
"""That browsers leave out."""

TOKEN = re.compile(r"[A-Za-z0-9_-]{8,200}")
"""What goes into an address and a cookie as it is."""

FORBIDDEN = 4403
"""The code with which a WebSocket is refused after its handshake, where that is possible."""


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server there."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _as_browsers_say(host: str) -> str:
    """A name with its port as `Host` and `Origin` have it: in small letters, and without the usual port."""
    return host.lower().removesuffix(f":{USUAL_PORT}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Who is let in."""

    host: str
    """Where the server listens."""
    port: int
    token: str | None = None
    """What must be known; None: who is on this machine needs nothing."""

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers do not tell ports apart."""
        return f"outflank-{self.port}"

    def names(self) -> set[str]:
        """What `Host` may say; none: it is reached by names that we do not know."""
        if self.host in ("0.0.0.0", "::"):
            return set()
        own = f"[{self.host}]" if ":" in self.host else self.host
        return {_as_browsers_say(f"{name}:{self.port}") for name in (own, *LOOPBACK)}

    def knows(self, headers: Headers) -> bool:
        """Whether a request is for us, from a page of ours."""
        host, origin = _as_browsers_say(headers.get("host", "")), headers.get("origin")
        names = self.names()
        if names and host not in names:
            return False
        return origin is None or origin.lower() in (f"http://{host}", f"https://{host}")

    def admits(self, given: str | None) -> bool:
        """Whether a token is ours."""
        if self.token is None:
            return True
        return given is not None and secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def shown(self, headers: Headers) -> str | None:
        """Return the token in a request's cookie, among those of other services.

        A token needs no quotes (`TOKEN`), so none are read. Python's `http.cookies` reads them, in quadratic time where
        CVE-2024-7592 is not mended (measured with 3.11.7), and anybody may send a cookie.
        """
        pairs = (pair.partition("=") for pair in headers.get("cookie", "").split(";"))
        return next((value.strip() for name, _, value in pairs if name.strip() == self.cookie), None)


class Guarded:
    """An application behind a door, with safe headers."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or turn away."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        browser = scope["type"] == "websocket" and headers.get("origin") is None
        if not self.door.knows(headers) or (browser and self.door.token is not None):
            await _refused(scope, receive, send, "this is not the address of this server")
            return
        given = QueryParams(scope["query_string"]).get("token")
        if scope["type"] == "http" and self.door.token is not None and given is not None and self.door.admits(given):
            await self._remembered(scope, receive, send)
            return
        if scope["path"] != "/health" and not self.door.admits(self.door.shown(headers)):
            await _refused(scope, receive, send, "the address with the token is needed, as the server has printed it")
            return
        await self.app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)

    async def _remembered(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The token becomes a cookie, and leaves the address bar."""
        answer = RedirectResponse(_own_address(scope["path"]), 303)
        # Not strict, or a link from elsewhere would lead to no page: it is `Origin` that guards the WebSocket.
        answer.set_cookie(self.door.cookie, self.door.token or "", httponly=True, samesite="lax", path="/")
        await answer(scope, receive, _with_headers(send))


def _own_address(path: str) -> str:
    """Return the address of a path on this server: a browser would take `//evil.example` for another server.

    >>> _own_address("/report/1"), _own_address("//evil.example/"), _own_address("http://evil.example/")
    ('/report/1', '/evil.example/', '/http%3A//evil.example/')
    """
    return "/" + quote(path.lstrip("/\\"))  # browsers take a backslash for a slash


async def _refused(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": FORBIDDEN, "reason": why})  # which answers 403
        return
    await PlainTextResponse(f"{why}\n", 403)(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            found: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
            there = {name.lower() for name, _ in found}
            found += [(n.encode(), v.encode()) for n, v in SAFE.items() if n.encode() not in there]
            message = {**message, "headers": found}
        await send(message)

    return sent


def made_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)
