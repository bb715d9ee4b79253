"""Visitors of a running server for long tests: they play, analyse, paste and misbehave at random, and leave again."""

import asyncio
import json
import random
import socket as sockets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from outflank.ui.web.requests import MOST_BYTES
from tests.web_hostile import spoilt

PATIENCE_SECONDS = 120.0
"""After which a request without an answer counts as a failure: kernels may be compiled meanwhile."""

KEPT_GAMES = 10
"""Games of a visitor that it does not delete: a server keeps 10,000, and a soak must not come to that bound."""

GAMES = ("othello", "othello", "abalone")
SEATS = ("computer level=1", "computer level=4", "computer level=7", "computer time=0.2", "computer depth=4", "random")
OTHELLO_TEXTS = ("f5d6c3d3c4f4f6", "F5 D6 C4 D3 C5 F4 E3 F6", "f5 f6 e6 f4 e3 d6 c5 c4")
SEARCH_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"depth": 6},
    {"seconds": 2.0},
    {"algorithm": "mtdf"},
    {"algorithm": "uct"},
    {"scheme": "ybw", "workers": 2},
    {"scheme": "shared-table", "workers": 4},
    {"algorithm": "uct", "scheme": "tree-parallel", "workers": 2},
    {"exact": True, "seconds": 5.0},
)
EXPERIMENTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("depths", {"depths": "1", "rounds": "1"}),
    ("depths", {"depths": "1,2,3", "rounds": "2"}),
)

ACTIVITIES: dict[str, int] = {
    "analyse": 30,
    "play": 24,
    "watch": 12,
    "review": 8,
    "compare": 3,
    "paste": 10,
    "hostile": 8,
    "half_open": 3,
    "deaf": 2,
    "flood": 1,
    "lab": 1,
}
"""Relative frequencies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The server that is visited."""

    port: int
    token: str
    longest_text: int
    """Letters of a pasted text, at most."""

    @property
    def headers(self) -> dict[str, str]:
        """Headers of a page of this server that knows the token."""
        return {"Origin": f"http://127.0.0.1:{self.port}", "Cookie": f"outflank-{self.port}={self.token}"}


@dataclass(slots=True)
class Tally:
    """What all visitors did."""

    activities: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    closed: int = 0
    """Connections that the server closed, or that could not be made."""
    failures: list[str] = field(default_factory=list)
    """Requests that failed inside the server, or were not answered."""


class Refusal(Exception):
    """The server refused a request without which a visitor cannot go on."""


class Connection:
    """One WebSocket: a task reads everything; answers are given to those who wait for them."""

    def __init__(self, socket: ClientConnection, tally: Tally) -> None:
        self.socket, self.tally = socket, tally
        self.latest: dict[str, dict[str, Any]] = {}
        """The newest message of each kind."""
        self._asked = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._done: dict[int, asyncio.Event] = {}
        self._reading_allowed = asyncio.Event()
        self._reading_allowed.set()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            while True:
                await self._reading_allowed.wait()
                self._heard(json.loads(await self.socket.recv()))
        except (WebSocketException, OSError) as error:
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(error)
                    future.exception()  # nobody may be waiting any longer
            for event in self._done.values():
                event.set()

    def _heard(self, message: dict[str, Any]) -> None:
        self.latest[message["kind"]] = message
        if message["kind"] == "refused":
            self.tally.refused += 1
            if "this failed" in message["why"]:
                self.tally.failures.append(message["why"])
        future = self._waiting.pop(message.get("re") or 0, None)
        if future is not None and not future.done():
            future.set_result(message)
        stream = message.get("of") or message.get("re")
        if stream in self._done and (message["kind"] == "refused" or message.get("done")):
            self._done[stream].set()

    def pause_reading(self) -> None:
        """Read nothing from now on: what the server sends piles up."""
        self._reading_allowed.clear()

    def resume_reading(self) -> None:
        """Read again, what has piled up first."""
        self._reading_allowed.set()

    async def send(self, kind: str, **fields: Any) -> int:
        """Send a request whose answer nobody waits for; return its number."""
        self._asked += 1
        await self.socket.send(json.dumps({"kind": kind, "ask": self._asked, **fields}))
        return self._asked

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[self._asked + 1] = future
        number = await self.send(kind, **fields)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await future
        except TimeoutError:
            self.tally.failures.append(f"{kind}: no answer within {PATIENCE_SECONDS:g} s")
            raise
        finally:
            self._waiting.pop(number, None)

    async def stream(self, kind: str, seconds: float, /, **fields: Any) -> None:
        """Send a request that is answered by a stream, and listen to it until its end, or for so long."""
        event = self._done[self._asked + 1] = asyncio.Event()
        number = await self.send(kind, **fields)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
        del self._done[number]

    async def close(self, *, abruptly: bool) -> None:
        """End the connection: with a closing handshake, or by a reset in the middle of everything."""
        self.resume_reading()
        if abruptly:
            self.socket.transport.abort()
        else:
            with suppress(WebSocketException, OSError, TimeoutError):
                async with asyncio.timeout(10.0):
                    await self.socket.close()
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)


class Visitor:
    """Comes, does something, leaves, and comes again until the time is over."""

    def __init__(self, target: Target, tally: Tally, seed: str) -> None:
        self.target, self.tally, self.chance = target, tally, random.Random(seed)
        self._games: list[str] = []
        """Games that this visitor has begun and not deleted."""

    async def run(self, until: float) -> None:
        """Visit again and again until `until` (of `time.monotonic`)."""
        while time.monotonic() < until:
            try:
                # Whatever a visitor is at when the time is over, it leaves in the middle of it.
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + until - time.monotonic()):
                    await self._visit()
            except (TimeoutError, Refusal):
                continue
            except (ConnectionClosed, WebSocketException, OSError):
                self.tally.closed += 1
            except Exception as error:  # an answer that no server should give; the others go on
                self.tally.failures.append(f"a visitor failed: {error!r}")
            await asyncio.sleep(min(self.chance.uniform(0.0, 2.0), max(0.0, until - time.monotonic())))

    async def _visit(self) -> None:
        if self._draw() == "half_open":
            await self._half_open()
            return
        socket = await connect(
            f"ws://127.0.0.1:{self.target.port}/socket",
            additional_headers=self.target.headers,
            max_size=None,
            compression=None,
            ping_interval=None,
            open_timeout=PATIENCE_SECONDS,
        )
        connection = Connection(socket, self.tally)
        try:
            while len(self._games) > KEPT_GAMES:
                await connection.ask("delete", id=self._games.pop(0))
            for _ in range(self.chance.randint(1, 4)):
                name = self._draw()
                if name != "half_open":
                    self.tally.activities[name] += 1
                    await self._activities[name](self, connection)
        finally:
            await connection.close(abruptly=self.chance.random() < 0.5)

    def _draw(self) -> str:
        return self.chance.choices(list(ACTIVITIES), list(ACTIVITIES.values()))[0]

    async def _opened(self, connection: Connection, plies: int, **fields: Any) -> dict[str, Any]:
        """A new game after so many random moves, or fewer where it ends."""
        game = await connection.ask("new", game=self.chance.choice(GAMES), **fields)
        if game["kind"] != "game":
            raise Refusal(game["why"])
        self._games.append(game["id"])
        for _ in range(plies):
            if not game.get("legal"):
                break
            game = await self._moved(connection, game)
        return game

    async def _moved(self, connection: Connection, game: dict[str, Any]) -> dict[str, Any]:
        move = self.chance.choice(game["legal"])["move"]
        answer = await connection.ask("play", id=game["id"], node=game["node"], move=move)
        return answer if answer["kind"] == "game" else game

    # --- what visitors do ---

    async def _analyse(self, connection: Connection) -> None:
        game = await self._opened(connection, self.chance.randint(0, 12))
        for _ in range(self.chance.randint(1, 4)):
            options = self.chance.choice(SEARCH_OPTIONS)
            node, moves = self.chance.randint(0, game["node"]), self.chance.choice((1, 3, 200))
            await connection.stream(
                "analyse", self.chance.uniform(0.1, 8.0), id=game["id"], node=node, moves=moves, options=options
            )
        if self.chance.random() < 0.5:
            await connection.ask("halt")

    async def _play(self, connection: Connection) -> None:
        """A game against a computer, abandoned after some moves."""
        seats = {"white": self.chance.choice(SEATS), "clock": self.chance.choice(("none", "none", "1+1"))}
        game = await self._opened(connection, 0, seats=seats)
        for _ in range(self.chance.randint(1, 12)):
            game = await self._own_turn(connection, game)
            if not game.get("legal"):
                return
            game = await self._moved(connection, game)
        ending = self.chance.random()
        if ending < 0.2:
            await connection.ask("resign", id=game["id"], side="black")
        elif ending < 0.4:
            await connection.ask("delete", id=game["id"])
        elif ending < 0.5:
            await connection.ask("leave")

    async def _own_turn(self, connection: Connection, game: dict[str, Any]) -> dict[str, Any]:
        """The game once the computer has moved; after some seconds the visitor goes on in any case."""
        end = time.monotonic() + self.chance.uniform(1.0, 15.0)
        while time.monotonic() < end:
            newest = connection.latest.get("game", game)
            newest = newest if newest["id"] == game["id"] and newest["revision"] >= game["revision"] else game
            if newest["turn"] == "black" or newest.get("outcome") is not None:
                return newest
            await asyncio.sleep(0.1)
        return game

    async def _watch(self, connection: Connection) -> None:
        """Two computers play each other; the visitor leaves in the middle of it."""
        seats = {"black": self.chance.choice(SEATS), "white": self.chance.choice(SEATS)}
        await self._opened(connection, 0, seats=seats)
        await asyncio.sleep(self.chance.uniform(0.5, 12.0))

    async def _review(self, connection: Connection) -> None:
        game = await self._opened(connection, self.chance.randint(2, 16))
        seconds = self.chance.choice((0.02, 0.1, 0.5))
        await connection.stream("review", self.chance.uniform(0.5, 15.0), id=game["id"], seconds=seconds)

    async def _compare(self, connection: Connection) -> None:
        game = await self._opened(connection, self.chance.randint(0, 8))
        options = {"depth": self.chance.randint(2, 8), "workers": 2}
        await connection.stream(
            "compare", self.chance.uniform(0.5, 10.0), id=game["id"], node=game["node"], options=options
        )

    async def _paste(self, connection: Connection) -> None:
        answer = await connection.ask("new", text=self._text())
        if answer["kind"] == "game":
            self._games.append(answer["id"])
            form = self.chance.choice(("svg", "ggf", "moves", "position"))
            await connection.ask("export", id=answer["id"], node=answer["node"], form=form)
        await connection.ask("games")

    def _text(self) -> str:
        """A text: a game, or something that takes a parser long."""
        count = int(10 ** self.chance.uniform(1.0, 5.0))
        shapes = (
            self.chance.choice(OTHELLO_TEXTS),
            self.chance.choice(OTHELLO_TEXTS),
            "f5" + " " * count + "x",
            '[A "b"]\n' * count,
            "(;GM[Othello]PC[x]" * count,
            "(" * count,
            "".join(self.chance.choice("f5d6c3 \n1.-[](){};♟١") for _ in range(min(count, 5000))),
            "f5d6c3d3c4" * count,
            "\x00" * count,
        )
        return self.chance.choice(shapes)[: self.target.longest_text]

    async def _hostile(self, connection: Connection) -> None:
        game = await self._opened(connection, 1)
        for _ in range(self.chance.randint(1, 60)):
            if self.chance.random() < 0.1:
                await connection.socket.send(self.chance.randbytes(self.chance.randrange(40)))
            else:
                await connection.socket.send(spoilt(self.chance, game["id"]))
        await connection.ask("halt")
        if self.chance.random() < 0.1:
            await connection.socket.send("x" * (MOST_BYTES + 1))

    async def _flood(self, connection: Connection) -> None:
        """More messages than are allowed: the server closes the connection."""
        for _ in range(1000):
            await connection.send("halt")
        await asyncio.sleep(1.0)

    async def _deaf(self, connection: Connection) -> None:
        """Ask for much, and read nothing of it."""
        game = await self._opened(connection, 4)
        connection.pause_reading()
        await connection.send("analyse", id=game["id"], node=game["node"], moves=200)
        for _ in range(self.chance.randint(10, 100)):
            await connection.send("games")
        await asyncio.sleep(self.chance.uniform(0.5, 30.0))
        connection.resume_reading()

    async def _half_open(self) -> None:
        """A TCP connection that never finishes its request."""
        self.tally.activities["half_open"] += 1
        _, writer = await asyncio.open_connection("127.0.0.1", self.target.port, family=sockets.AF_INET)
        try:
            request = b"GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            writer.write(request[: self.chance.randrange(len(request))])
            await writer.drain()
            await asyncio.sleep(self.chance.uniform(0.5, 30.0))
        finally:
            writer.transport.abort()

    async def _lab(self, connection: Connection) -> None:
        await connection.ask("lab")
        experiment, parameters = self.chance.choice(EXPERIMENTS)
        await connection.stream("run", self.chance.uniform(0.5, 30.0), experiment=experiment, parameters=parameters)
        if self.chance.random() < 0.5:
            await connection.ask("cancel")

    _activities: ClassVar[dict[str, Callable[["Visitor", Connection], Awaitable[None]]]] = {
        "analyse": _analyse,
        "play": _play,
        "watch": _watch,
        "review": _review,
        "compare": _compare,
        "paste": _paste,
        "hostile": _hostile,
        "flood": _flood,
        "deaf": _deaf,
        "lab": _lab,
    }
