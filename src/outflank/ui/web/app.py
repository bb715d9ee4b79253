"""The server as an application: its addresses, and what they lead to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from outflank.ui.web.files import page_file
from outflank.ui.web.guards import Door, Guarded
from outflank.ui.web.hall import Hall
from outflank.ui.web.session import Session
from outflank.ui.web.settings import Settings

BUSY = 1013
"""The code of a connection that is one too many: try again later."""


REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox; "
    "frame-ancestors 'self'"
)
"""Of a report's page, which has its style within: it runs nothing, and asks for nothing."""


def application(settings: Settings, door: Door) -> ASGIApp:
    """A server with these settings, behind this door."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.hall, app.state.connections = Hall(settings), 0
        try:
            yield
        finally:
            app.state.hall.close()

    async def health(request: Request) -> Response:
        return PlainTextResponse("good\n", headers={"cache-control": "no-store"})

    async def report(request: Request) -> Response:
        hall: Hall = request.app.state.hall
        found = await hall.house.work(hall.house.laboratory.page, request.path_params["id"])
        if found is None:
            return PlainTextResponse("there is no such report\n", 404)
        headers = {"content-security-policy": REPORT_POLICY, "cache-control": "no-cache"}
        return Response(found, headers=headers, media_type="text/html; charset=utf-8")

    async def socket(socket: WebSocket) -> None:
        state = socket.app.state
        await socket.accept()
        if state.connections >= settings.most_connections:
            await socket.close(BUSY, "too many connections")
            return
        state.connections += 1
        try:
            await Session(state.hall, socket).run()
        finally:
            state.connections -= 1

    return Guarded(
        Starlette(
            routes=[
                Route("/health", health),
                Route("/report/{id}", report),
                WebSocketRoute("/socket", socket),
                Route("/{path:path}", page_file),
            ],
            lifespan=lifespan,
        ),
        door,
    )
