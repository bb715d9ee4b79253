"""Connections to the server: each ends whenever its client is gone, and none that asks nothing keeps others out."""

import asyncio
import errno
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import pytest
from websockets.exceptions import ConnectionClosed

from outflank.ui.web.http_server import PING_SECONDS
from outflank.ui.web.lobby.lobby import Lobby
from outflank.ui.web.server_limits import Settings
from outflank.ui.web.server_messages import Halted
from outflank.ui.web.sockets import SocketLimits, Sockets, socket_limits
from outflank.ui.web.visits.connection import Session
from outflank.ui.web.visits.message_queue import Outbox
from outflank.ui.web.warning_log import MOST_KINDS, MOST_LINES, PERIOD_SECONDS, WarningLog
from tests.web_server import PATIENCE, Served, serving
from tests.web_visits import make_visits

pytestmark = pytest.mark.interpreted_only

STEPS = 12
"""Steps of the event loop by which a cancellation is delayed: more than any wait in a session takes."""

VISITS = 40
"""Visits in a test; `python -m tests.web_visits` makes as many as one likes."""

FILES, HALF_OPEN = 128, 300
"""File descriptors of a server, and half-open requests that are sent to it."""

MANY_REQUESTS = 200
"""Requests whose answers fill every buffer on the way to a client that reads nothing."""

UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + "A" * 22 + "=="
)


async def steps(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# --- a session ends ---


@pytest.mark.parametrize("delay", range(STEPS))
def test_a_cancellation_that_arrives_with_a_message_ends_the_sender(delay: int) -> None:
    async def ends() -> bool:
        outbox = Outbox()

        async def send_all() -> None:
            while True:
                await outbox.next()

        sender = asyncio.create_task(send_all())
        outbox.stream("search", Halted(re=1))
        await steps(STEPS)
        outbox.stream("search", Halted(re=2))  # not due yet: the sender waits with a timeout
        await steps(STEPS)
        outbox.tell(Halted(re=3))
        await steps(delay)
        sender.cancel()
        await steps(STEPS)
        return sender.done()

    assert asyncio.run(ends())


class Closing:
    """A socket that is closed some steps after a message has been sent."""

    def __init__(self, delay: int) -> None:
        self.delay = delay
        self.sending = asyncio.Event()
        self.sent = asyncio.Event()

    async def receive(self) -> dict[str, str]:
        await self.sent.wait()
        await steps(self.delay)
        return {"type": "websocket.disconnect"}

    async def send_text(self, text: str) -> None:
        self.sending.set()
        await self.sent.wait()


@pytest.mark.parametrize("delay", range(STEPS))
def test_a_session_ends_when_its_socket_closes_while_it_sends(tmp_path: Path, delay: int) -> None:
    async def ends() -> bool:
        lobby = Lobby(Settings(games=tmp_path / "games.sqlite", reports=tmp_path, workers=1))
        socket = Closing(delay)
        session = Session(lobby, cast(Any, socket))
        running = asyncio.create_task(session.run())
        await socket.sending.wait()
        socket.sent.set()
        await steps(4 * STEPS)
        lobby.close()
        return running.done()

    assert asyncio.run(ends())


@pytest.mark.slow(5)
def test_nothing_is_left_of_visits_that_end_at_any_moment(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert make_visits(served, VISITS, 1)["connections"] == 0


# --- sockets that are waited for ---


@pytest.fixture
def hurried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server that waits for nothing longer than a part of a second."""
    monkeypatch.setattr("outflank.ui.web.sockets.REQUEST_SECONDS", 0.3)
    monkeypatch.setattr("outflank.ui.web.sockets.CLOSING_SECONDS", 0.1)
    monkeypatch.setattr("outflank.ui.web.http_server.SWEEP_SECONDS", 0.05)
    with serving(tmp_path, slow_seconds=0.1, send_buffer=4096) as served:
        yield served


@contextmanager
def raw_connection(served: Served, receive_buffer: int | None = None) -> Iterator[socket.socket]:
    with socket.socket() as opened:
        if receive_buffer is not None:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        opened.settimeout(PATIENCE)
        opened.connect(("127.0.0.1", served.port))
        yield opened


def request(served: Served, first: str = "GET /health HTTP/1.1", *more: str) -> str:
    host = f"127.0.0.1:{served.port}"
    return "\r\n".join((first, f"Host: {host}", f"Origin: http://{host}", *more, "", ""))


UNFINISHED = {
    "nothing": lambda served: "",
    "half a line": lambda served: "GET /hea",
    "half the headers": lambda served: request(served)[:-2],
    "a second request": lambda served: request(served) + "GET /hea",
    "a body": lambda served: request(served, "POST / HTTP/1.1", "Content-Length: 1000000"),
    "a WebSocket of too many headers": lambda served: request(
        served, "GET /socket HTTP/1.1", UPGRADE, *(f"X-{number}: x" for number in range(200))
    ),
}


@pytest.mark.parametrize("text", UNFINISHED.values(), ids=UNFINISHED)
@pytest.mark.parametrize("drips", [False, True], ids=["silent", "a byte at a time"])
def test_a_request_that_does_not_come_whole_is_not_waited_for(hurried: Served, text: Any, drips: bool) -> None:
    end = time.monotonic() + PATIENCE
    with raw_connection(hurried) as opened:
        opened.sendall(text(hurried).encode())
        opened.settimeout(0.02)
        while time.monotonic() < end:
            try:
                if opened.recv(1 << 16) == b"":
                    break
                continue
            except TimeoutError:
                pass
            except ConnectionError:
                break
            if drips:
                try:
                    opened.sendall(b"x")
                except ConnectionError:
                    break
        else:
            pytest.fail("it is waited for without an end")


def test_who_is_served_is_not_hurried(hurried: Served) -> None:
    with hurried.page() as page, raw_connection(hurried) as late:
        late.sendall(b"GET /")
        assert late.recv(1) == b""  # longer than anybody is waited for
        assert page.new()["kind"] == "game"


def test_who_reads_no_answer_is_closed_at_last(hurried: Served) -> None:
    with raw_connection(hurried, 4096) as opened:
        opened.sendall(request(hurried).encode())
        assert opened.recv(12) == b"HTTP/1.1 200"
        opened.settimeout(0.5)
        with suppress(OSError):  # the server reads no more of them, or has closed the socket
            opened.sendall(request(hurried, "GET /board/board.js HTTP/1.1").encode() * MANY_REQUESTS)
        hurried.until(lambda: not hurried.server.server_state.connections)


def test_a_websocket_that_reads_nothing_is_closed_at_last(hurried: Served) -> None:
    with raw_connection(hurried, 4096) as opened:
        opened.sendall(request(hurried, "GET /socket HTTP/1.1", UPGRADE).encode())
        assert opened.recv(12) == b"HTTP/1.1 101"
        opened.settimeout(0.5)
        text = b'{"kind":"new","ask":1,"game":"othello"}'
        frame = bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text
        with suppress(OSError):
            opened.sendall(frame * 150)
        hurried.until(lambda: not hurried.server.server_state.connections)


class Transport(asyncio.Transport):
    """A transport that says how it was closed."""

    closed = ""

    def is_closing(self) -> bool:
        return bool(self.closed)

    def close(self) -> None:
        self.closed = "flushing"

    def abort(self) -> None:
        self.closed = "aborted"


def test_who_was_waited_for_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("outflank.ui.web.sockets._now", lambda: now)
    sockets, transports = Sockets(SocketLimits(8)), [Transport() for _ in range(20)]
    for number, transport in enumerate(transports):
        now = number
        assert sockets.make_room()
        sockets.wait(transport)
        if number in (0, 1, 2, 3):
            sockets.serve(transport)
    assert [transport.closed for transport in transports] == [""] * 4 + ["aborted"] * 14 + [""] * 2
    for transport in (*transports[18:], Transport(), Transport()):
        assert sockets.make_room()
        sockets.wait(transport)
        sockets.serve(transport)
    assert not sockets.make_room()
    assert not any(transport.closed for transport in transports[:4])


def test_late_sockets_are_closed_and_those_that_read_nothing_more_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("outflank.ui.web.sockets._now", lambda: now)
    sockets, late, served = Sockets(SocketLimits(8)), Transport(), Transport()
    sockets.wait(late)
    sockets.wait(served)
    sockets.serve(served)
    states = []
    for second in range(60):
        now = float(second)
        sockets.close_late()
        states.append(late.closed)
    assert (states.index("flushing"), states.index("aborted")) == (10, 41)
    assert (served.closed, len(sockets)) == ("", 1)


def test_limits_leave_file_descriptors_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")

    def limits(files: int) -> tuple[int, int, int]:
        monkeypatch.setattr(resource, "getrlimit", lambda which: (files, files))
        found = socket_limits()
        return found.open, found.websockets, found.waiting

    assert limits(FILES) == (64, 32, 16)
    assert limits(20_000) == limits(resource.RLIM_INFINITY) == (400, 200, 100)
    assert limits(20) == (16, 8, 4)


# --- a server under attack ---


def answered(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    finally:
        connection.close()


@pytest.mark.slow(3)
def test_half_open_requests_neither_stop_the_server_nor_fill_its_log(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < HALF_OPEN + FILES:
        pytest.skip("this process may not open enough files")
    begin = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES})); "
    begin += f"from outflank.ui.cli import main; main(['serve', '--port', '0', '--games', {str(tmp_path / 'games')!r}])"
    with (tmp_path / "log").open("w") as log, ExitStack() as opened:
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        command = [sys.executable, "-c", begin]
        server = opened.enter_context(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        )
        opened.callback(server.wait, PATIENCE)
        opened.callback(server.send_signal, signal.SIGINT)
        assert server.stdout is not None
        port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
        for _ in range(HALF_OPEN):
            half = opened.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
            half.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert answered(port)
    assert server.returncode == 130
    assert len((tmp_path / "log").read_text().splitlines()) < 10


def test_a_lack_of_file_descriptors_is_told_in_few_lines_and_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    accept, failures = asyncio.SelectorEventLoop.sock_accept, list(range(100))

    async def sock_accept(loop: Any, listening: socket.socket) -> Any:
        if failures:
            failures.pop()
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return await accept(loop, listening)

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_accept", sock_accept)
    monkeypatch.setattr("outflank.ui.web.http_server.ACCEPT_RETRY_SECONDS", 0.0)
    with serving(tmp_path) as served:
        assert served.get("/health").status == 200
    lines = capsys.readouterr().err.splitlines()
    assert lines[:MOST_LINES] == [f"outflank: warning: a connection was not accepted: {os.strerror(errno.EMFILE)}"] * 5
    assert "95 more" in lines[MOST_LINES]


def test_bad_requests_write_few_lines_and_their_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(tmp_path) as served:
        for _ in range(200):
            with raw_connection(served) as opened:
                opened.sendall(b"\x00\r\n\r\n")
                while opened.recv(1 << 16):
                    pass
    *lines, summary = capsys.readouterr().err.splitlines()
    assert lines == ["outflank: warning: Invalid HTTP request received."] * MOST_LINES
    assert summary.startswith(f"outflank: warning: {200 - MOST_LINES} more within a minute")


def test_warnings_are_counted_by_kind_and_period() -> None:
    now, lines = 0.0, list[str]()
    log = WarningLog(lines.append, lambda: now)
    for number in range(10 * MOST_KINDS):
        log.warn(f"kind {number}", "\x1b]0;title\x07 two\nlines")
    assert len(lines) == MOST_KINDS + MOST_LINES
    assert set(lines) == {"outflank: warning: ?]0;title? two lines"}
    lines.clear()
    now = PERIOD_SECONDS
    log.warn("kind 0", "again")
    assert lines == [
        f"outflank: warning: {9 * MOST_KINDS - MOST_LINES} more within a minute, the last one: ?]0;title? two lines",
        "outflank: warning: again",
    ]
    log.close()
    assert len(lines) == 2


def test_a_period_that_has_not_ended_goes_on_when_another_ends() -> None:
    now, lines = 0.0, list[str]()
    log = WarningLog(lines.append, lambda: now)
    for kind in ("early", "late"):
        for number in range(2 * MOST_LINES):
            log.warn(kind, f"{kind} {number}")
        now += PERIOD_SECONDS / 2
    lines.clear()
    log._period_ends()
    assert lines == [f"outflank: warning: {MOST_LINES} more within a minute, the last one: early {2 * MOST_LINES - 1}"]
    log.warn("late", "again")
    assert len(lines) == 1
    log.close()
    assert len(lines) == 2


# --- places ---


def test_a_connection_that_asks_nothing_makes_room_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path, most_connections=1) as served, served.page() as silent:
        monkeypatch.setattr("outflank.ui.web.visits.connection.SILENT_SECONDS", 0.0)
        with served.page() as page:
            with pytest.raises(ConnectionClosed) as closed:
                silent.hear()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1013
            assert page.new()["kind"] == "game"
            with pytest.raises(ConnectionClosed), served.page():
                pass
            assert page.new()["kind"] == "game"


# --- frames of a WebSocket ---

TEXT, CONTINUATION, PING, PONG, LAST = 0x1, 0x0, 0x9, 0xA, 0x80


def frame(opcode: int, data: bytes = b"") -> bytes:
    return bytes((opcode, 0x80 | len(data))) + bytes(4) + data  # masked with zeros


@contextmanager
def websocket(served: Served) -> Iterator[socket.socket]:
    with raw_connection(served) as opened:
        opened.sendall(request(served, "GET /socket HTTP/1.1", UPGRADE).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += opened.recv(1)
        assert answer.startswith(b"HTTP/1.1 101 ")
        yield opened


def received(opened: socket.socket, until: bytes) -> bytes:
    """All that comes until some bytes have, or the connection is closed."""
    data = b""
    with suppress(ConnectionError):
        while until not in data and (more := opened.recv(1 << 16)):
            data += more
    return data


FLOODS = {
    "parts without an end": (frame(TEXT, b"a"), frame(CONTINUATION)),
    "pings": (b"", frame(LAST | PING, b"p")),
    "pongs": (b"", frame(LAST | PONG)),
}


@pytest.mark.parametrize(("first", "repeated"), FLOODS.values(), ids=FLOODS)
def test_too_many_frames_close_a_connection(tmp_path: Path, first: bytes, repeated: bytes) -> None:
    with serving(tmp_path) as served, websocket(served) as opened:
        with suppress(ConnectionError):
            opened.sendall(first + repeated * 20_000)
        opened.settimeout(PING_SECONDS)  # after which a client that answers no ping is closed anyway
        # It is reset where frames that nobody reads have arrived already: the code of the close may be lost.
        assert received(opened, b"never").count(bytes((LAST | PONG,))) <= 1000


def test_messages_in_parts_and_pings_are_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as served, websocket(served) as opened:
        message = b'{"kind":"nonsense","ask":1}'
        parts = [frame(CONTINUATION, bytes((letter,))) for letter in message[1:-1]]
        opened.sendall(frame(TEXT, message[:1]) + b"".join(parts) + frame(LAST | CONTINUATION, message[-1:]))
        assert b"nonsense" in received(opened, b"nonsense")
        opened.sendall(frame(LAST | PING, b"are you there") * 100)
        pong = bytes((LAST | PONG, 13)) + b"are you there"
        assert received(opened, pong * 100).count(pong) == 100
