"""The server as an ASGI application: its routes and their handlers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from outflank.ui.web.files import page_file
from outflank.ui.web.guards import AccessRules, Guarded
from outflank.ui.web.lobby.lobby import Lobby
from outflank.ui.web.visits.session import Session

BUSY = 1013
"""Close code for a connection beyond the limit: try again later."""


REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox; "
    "frame-ancestors 'self'"
)
"""Content security policy of a report page, whose style is inline: it runs no script, and loads nothing."""


def application(lobby: Lobby, access: AccessRules) -> ASGIApp:
    """Return the application that serves this lobby, with the access control of `access`."""
    connections: dict[Session, None] = {}  # in the order of their arrival

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            lobby.close()

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
