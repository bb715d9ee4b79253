"""A server in this process, and pages that talk to it."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
from websockets.sync.client import ClientConnection, connect

from outflank.ui.web.app import application
from outflank.ui.web.guards import AccessRules
from outflank.ui.web.http_server import server_of
from outflank.ui.web.lobby.lobby import Lobby
from outflank.ui.web.server_limits import Settings

PATIENCE = 60.0
"""Seconds after which an answer is not waited for any longer: this machine may be busy."""


class Answer(NamedTuple):
    """To a request."""

    status: int
    headers: dict[str, str]
    body: bytes


class Served:
    """A server under way."""

    def __init__(self, lobby: Lobby, port: int, server: uvicorn.Server) -> None:
        self.lobby, self.port, self.server = lobby, port, server

    @contextmanager
    def page(self, **headers: str) -> Iterator["Page"]:
        origin = headers.pop("origin", f"http://127.0.0.1:{self.port}")
        address = f"ws://127.0.0.1:{self.port}/socket"
        with connect(
            address,
            additional_headers={"Origin": origin, **headers},
            max_size=None,
            compression=None,
            ping_interval=None,
        ) as opened:
            yield Page(opened)

    def get(self, path: str, **headers: str) -> "Answer":
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            with connection.getresponse() as answer:
                return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def until(self, holds: Any) -> None:
        """Wait for something that comes soon."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.005)


class Page:
    """What a page does."""

    def __init__(self, opened: ClientConnection) -> None:
        self.socket = opened
        self.asked = 0
        self.others: list[dict[str, Any]] = []
        """What was heard besides the last answer."""
        self.welcome = self.hear()

    def hear(self) -> dict[str, Any]:
        return json.loads(self.socket.recv(timeout=PATIENCE))

    def send(self, kind: str, **fields: Any) -> int:
        self.asked += 1
        self.socket.send(json.dumps({"kind": kind, "ask": self.asked, **fields}, ensure_ascii=False))
        return self.asked

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The answer to what is asked."""
        number = self.send(kind, **fields)
        return self.until(lambda message: message.get("re") == number)

    def until(self, meant: Any) -> dict[str, Any]:
        """The first message that is meant."""
        self.others = []
        while not meant(message := self.hear()):
            self.others.append(message)
        return message

    def refused(self, kind: str, **fields: Any) -> str:
        """Why something is refused, in one line."""
        answer = self.ask(kind, **fields)
        assert answer["kind"] == "refused", answer
        assert answer["why"]
        assert "\n" not in answer["why"]
        return str(answer["why"])

    def new(self, game: str = "othello", **fields: Any) -> dict[str, Any]:
        answer = self.ask("new", game=game, **fields)
        assert answer["kind"] == "game", answer
        return answer

    def play(self, game: dict[str, Any], move: str) -> dict[str, Any]:
        answer = self.ask("play", id=game["id"], node=game["node"], move=move)
        assert answer["kind"] == "game", answer
        return answer


@contextmanager
def serving(
    folder: Path, *, token: str | None = None, send_buffer: int | None = None, **settings: Any
) -> Iterator[Served]:
    """A server with games in a folder, whose sockets have a buffer of so many bytes."""
    chosen = replace(
        Settings(games=folder / "games.sqlite", reports=folder / "reports", workers=2, pace_seconds=0.0), **settings
    )
    listening = socket.create_server(("127.0.0.1", 0))
    if send_buffer is not None:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    port = listening.getsockname()[1]
    lobby = Lobby(chosen)
    server = server_of(application(lobby, AccessRules(host="127.0.0.1", port=port, token=token)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        served = Served(lobby, port, server)
        served.until(lambda: server.started)
        yield served
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
