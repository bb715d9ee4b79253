"""The server as an application: its addresses, and what they lead to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from outflank.ui.web.files import page_file
from outflank.ui.web.guards import Door, Guarded
from outflank.ui.web.hall.hall import Hall
from outflank.ui.web.visits.session import Session

BUSY = 1013
"""The code of a connection that is one too many: try again later."""


REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox; "
    "frame-ancestors 'self'"
)
"""Of a report's page, which has its style within: it runs nothing, and asks for nothing."""


def application(hall: Hall, door: Door) -> ASGIApp:
    """A server of this hall, behind this door."""
    connections: dict[Session, None] = {}  # in the order in which they came

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            hall.close()

    async def health(request: Request) -> Response:
        found = {"connections": len(connections), "searches": hall.house.searches.turns.under_way()}
        if door.admits(door.shown(request.headers)):
            found |= hall.in_memory()
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def report(request: Request) -> Response:
        found = await hall.house.work(hall.house.laboratory.page, request.path_params["id"])
        if found is None:
            return PlainTextResponse("there is no such report\n", 404)
        headers = {"content-security-policy": REPORT_POLICY, "cache-control": "no-cache"}
        return Response(found, headers=headers, media_type="text/html; charset=utf-8")

    async def socket(socket: WebSocket) -> None:
        await socket.accept()
        if len(connections) >= hall.house.settings.most_connections:
            silent = next((each for each in connections if each.is_silent), None)
            if silent is None:
                await socket.close(BUSY, "too many connections")
                return
            await silent.close(BUSY, "others wait for a connection, and nothing was asked by this one")
        session = Session(hall, socket)
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
    return Guarded(Starlette(routes=routes, lifespan=lifespan), door)
