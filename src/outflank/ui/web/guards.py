"""Access control: requests must come from the server's own page, name the server, and carry its token, if it has one.

A page of another site in the same browser can send requests to this server, and with DNS rebinding even read the
answers. So `Host` must name this server, and so must `Origin`, which browsers send when they open a WebSocket.
"""

import re
import secrets
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote

from starlette.datastructures import Headers, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outflank.logs import logger

log = logger(__name__)

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
"""Headers of every response, unless the response sets its own."""

DEFAULT_PORT = 80
"""Port that browsers omit from addresses."""

TOKEN = re.compile(r"[A-Za-z0-9_-]{8,200}")
"""Pattern of tokens that need no quotes in an address or a cookie."""

FORBIDDEN = 4403
"""Code for closing a WebSocket that is refused after its handshake. Before the handshake the client gets status 403."""


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine can reach a server at this host."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _normalised_host(host: str) -> str:
    """Return a name and port from `Host` or `Origin` in lower case, without the default port."""
    return host.lower().removesuffix(f":{DEFAULT_PORT}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRules:
    """Host name, port and token that decide which requests a server accepts."""

    host: str
    """Host name or address at which the server listens."""
    port: int
    token: str | None = None
    """Token that clients must present, or None if none is needed because the server listens only on this machine."""

    @property
    def cookie(self) -> str:
        """Name of the token's cookie. It contains the port, because browsers share cookies between ports."""
        return f"outflank-{self.port}"

    def names(self) -> set[str]:
        """Return the allowed values of `Host`. An empty set allows all values.

        The set is empty if the server listens on all addresses, because the names of the machine are unknown.
        """
        if self.host in ("0.0.0.0", "::"):
            return set()
        own_name = f"[{self.host}]" if ":" in self.host else self.host
        return {_normalised_host(f"{name}:{self.port}") for name in (own_name, *LOOPBACK)}

    def accepts_origin(self, headers: Headers) -> bool:
        """Return whether `Host` names this server and `Origin`, if the request has one, names the same server."""
        host, origin = _normalised_host(headers.get("host", "")), headers.get("origin")
        names = self.names()
        if names and host not in names:
            return False
        return origin is None or origin.lower() in (f"http://{host}", f"https://{host}")

    def accepts_token(self, token: str | None) -> bool:
        """Return whether a token gives access."""
        if self.token is None:
            return True
        return token is not None and secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def cookie_token(self, headers: Headers) -> str | None:
        """Return the token in a request's cookies. The request may also have cookies of other services.

        Tokens need no quotes (`TOKEN`), so quotes are not parsed. Any client may send a cookie, and Python's
        `http.cookies` takes quadratic time to parse quotes if CVE-2024-7592 is not fixed (measured with 3.11.7).
        """
        pairs = (pair.partition("=") for pair in headers.get("cookie", "").split(";"))
        return next((value.strip() for name, _, value in pairs if name.strip() == self.cookie), None)


class Guarded:
    """ASGI application that applies `AccessRules` to each request, and adds the headers `SAFE` to each response."""

    def __init__(self, app: ASGIApp, access: AccessRules) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        not_a_browser = scope["type"] == "websocket" and headers.get("origin") is None
        if not self.access.accepts_origin(headers) or (not_a_browser and self.access.token is not None):
            await _refuse(scope, receive, send, "this is not the address of this server")
            return
        token = QueryParams(scope["query_string"]).get("token")
        if (
            scope["type"] == "http"
            and self.access.token is not None
            and token is not None
            and self.access.accepts_token(token)
        ):
            await self._set_cookie(scope, receive, send)
            return
        if scope["path"] != "/health" and not self.access.accepts_token(self.access.cookie_token(headers)):
            await _refuse(scope, receive, send, "the address with the token is needed, as the server has printed it")
            return
        await self.app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)

    async def _set_cookie(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Store the token in a cookie, and redirect to the address without the token."""
        answer = RedirectResponse(_own_address(scope["path"]), 303)
        # With `strict`, links from other sites would be refused. `Origin` protects the WebSocket.
        answer.set_cookie(self.access.cookie, self.access.token or "", httponly=True, samesite="lax", path="/")
        await answer(scope, receive, _with_headers(send))


def _own_address(path: str) -> str:
    """Return a path as an address on this server. A browser would take `//evil.example` for another server.

    >>> _own_address("/report/1"), _own_address("//evil.example/"), _own_address("http://evil.example/")
    ('/report/1', '/evil.example/', '/http%3A//evil.example/')
    """
    return "/" + quote(path.lstrip("/\\"))  # browsers treat a backslash like a slash


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    # The path only: the rest of an address, and the headers, may contain tokens.
    log.info("refused %s of %s: %s", scope["path"], (scope.get("client") or ["?"])[0], why)
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": FORBIDDEN, "reason": why})  # the client gets status 403
        return
    await PlainTextResponse(f"{why}\n", 403)(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
            present = {name.lower() for name, _ in headers}
            headers += [(name.encode(), value.encode()) for name, value in SAFE.items() if name.encode() not in present]
            message = {**message, "headers": headers}
        await send(message)

    return send_with_headers


def new_token() -> str:
    """Return a new unguessable token."""
    return secrets.token_urlsafe(24)
