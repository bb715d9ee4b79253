"""The web server as an ASGI application: its routes and their handlers."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from outflank.logs import logger
from outflank.ui.web.guards import AccessRules, Guarded
from outflank.ui.web.lobby.lobby import Lobby
from outflank.ui.web.visits.connection import Session

log = logger(__name__)

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}

FIRST = "index.html"


@cache
def page_files() -> dict[str, Traversable]:
    """Return every file of the web page by its path below `/`. The server opens no other file for a request."""
    by_path: dict[str, Traversable] = {}

    def collect(folder: Traversable, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                collect(entry, f"{prefix}{entry.name}/")
            elif "." + entry.name.rpartition(".")[2] in KINDS:
                by_path[prefix + entry.name] = entry

    collect(files("outflank.ui.web") / "page", "")
    return by_path


async def page_file(request: Request) -> Response:
    """Return a file of the web page. Browsers cache the file, and ask before each use whether it has changed."""
    name = request.path_params.get("path") or FIRST
    file = page_files().get(name)
    if file is None:
        return PlainTextResponse("there is no such page\n", 404)
    content = file.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if tag in [known.strip().removeprefix("W/") for known in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=KINDS["." + name.rpartition(".")[2]])


BUSY = 1013
"""WebSocket close code for a connection beyond the maximum number. It tells the browser to try again later."""


REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox; "
    "frame-ancestors 'self'"
)
"""Content security policy of a report page. Inline style is allowed; scripts and other files are not."""


def application(lobby: Lobby, access: AccessRules) -> ASGIApp:
    """Return the application that serves this lobby, guarded by the access rules."""
    connections: dict[Session, None] = {}  # oldest first

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        log.info("the server listens on %s, port %d", access.host, access.port)
        try:
            yield
        finally:
            lobby.close()
            log.info("the server has ended")

    async def health(request: Request) -> Response:
        counts = {"connections": len(connections), "searches": lobby.services.searches.turns.under_way()}
        if access.accepts_token(access.cookie_token(request.headers)):
            counts |= lobby.in_memory()
        return JSONResponse(counts, headers={"cache-control": "no-store"})

    async def report(request: Request) -> Response:
        page = await lobby.services.work(lobby.services.laboratory.page, request.path_params["id"])
        if page is None:
            return PlainTextResponse("there is no such report\n", 404)
        headers = {"content-security-policy": REPORT_POLICY, "cache-control": "no-cache"}
        return Response(page, headers=headers, media_type="text/html; charset=utf-8")

    async def socket(socket: WebSocket) -> None:
        await socket.accept()
        if len(connections) >= lobby.services.settings.most_connections:
            silent = next((connection for connection in connections if connection.is_silent), None)
            if silent is None:
                log.info("refused a connection: %d are open", len(connections))
                await socket.close(BUSY, "too many connections")
                return
            await silent.close(BUSY, "others wait for a connection, and nothing was asked by this one")
        session = Session(lobby, socket)
        connections[session] = None
        try:
            await session.run()
        finally:
            del connections[session]

    routes = [
        Route("/health", health),
        Route("/report/{id}", report),
        WebSocketRoute("/socket", socket),
        Route("/{path:path}", page_file),
    ]
    return Guarded(Starlette(routes=routes, lifespan=lifespan), access)
