"""Who may talk to the server, and that nothing which is sent to it harms it, or another connection."""

import asyncio
import base64
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.datastructures import Headers
from websockets.exceptions import ConnectionClosed, InvalidStatus

from outflank.installation import install_command
from outflank.ui.cli import main
from outflank.ui.cli.playing import serve_command
from outflank.ui.web.games.move_tree import SavedGame
from outflank.ui.web.games.new_games import game_from_records
from outflank.ui.web.guards import AccessRules, is_loopback
from outflank.ui.web.lobby.lobby import Lobby
from outflank.ui.web.requests import MOST_BYTES, MOST_FILE_BYTES, MOST_FILES, MOST_TEXT, Analyse, New
from outflank.ui.web.server_limits import Settings
from outflank.ui.web.server_messages import Halted
from outflank.ui.web.visits.connection import Session
from outflank.ui.web.visits.message_queue import MOST_ANSWERS, Outbox
from tests.hostile_text import Hostile
from tests.recognisers import grows_faster
from tests.web_hostile import send_hostile
from tests.web_server import PATIENCE, Page, Served, serving

pytestmark = pytest.mark.interpreted_only

HOSTILE = 2500
"""Messages in a test; `python -m tests.web_hostile` sends as many as one likes."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("web"), messages_a_second=1e6, messages_at_once=10**6) as found:
        yield found


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("guarded"), token="secret-word") as found:
        yield found


# --- the access ---


def test_the_page_is_served_with_a_policy_and_kept_by_browsers(served: Served) -> None:
    answer = served.get("/")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    again = served.get("/", if_none_match=answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert served.get("/index.html").headers["etag"] == answer.headers["etag"]


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/%2e%2e/app.py",
        "/..%2fapp.py",
        "//etc/passwd",
        "/messages.py",
        "/nothing",
        "/report/..",
        "/report/x",
    ],
)
def test_nothing_else_is_served(served: Served, path: str) -> None:
    assert served.get(path).status == 404


def test_only_our_own_names_and_pages_are_answered(served: Served) -> None:
    port = served.port
    assert served.get("/health", host=f"localhost:{port}").status == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}"):
        assert served.get("/", host=host).status == 403
    assert served.get("/", origin="http://evil.example").status == 403
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}"):
        with pytest.raises(InvalidStatus, match="403"), served.page(origin=origin):
            pass


def test_a_token_is_demanded_and_remembered(
    tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "outflank")
    with serving(tmp_path_factory.mktemp("web"), token="secret-word") as served:
        assert served.get("/").status == 403
        assert served.get("/?token=wrong").status == 403
        with pytest.raises(InvalidStatus, match="403"), served.page():
            pass
        answer = served.get("/?token=secret-word")
        assert (answer.status, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie  # a link from elsewhere leads to the page
        shown = cookie.partition(";")[0]
        assert served.get("/", cookie=shown).status == 200
        assert served.get("/", cookie=shown + "x").status == 403
        assert served.get("/", cookie=f'a b={{"x": [1]}}; =; c@d; {shown}; e=[').status == 200  # others' cookies
        assert served.get("/", cookie=shown, origin="http://evil.example").status == 403
        with pytest.raises(InvalidStatus, match="403"), served.page(Cookie=shown, origin="http://evil.example"):
            pass
        assert served.get("/health").status == 200
        with served.page(Cookie=shown) as page:
            assert page.new()["kind"] == "game"
    assert caplog.text.count("refused / of 127.0.0.1: ") == 4
    assert f"the server listens on 127.0.0.1, port {served.port}" in caplog.text
    assert "secret-word" not in caplog.text


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/index.html",
        "//evil.example/",
        "///evil.example",
        "/%2fevil.example/",
        "/%2F%2Fevil.example",
        "/\\evil.example/",
        "/%5cevil.example",
        "/%5C%2f/evil.example",
        "/%09/evil.example",
        "/%0d%0aset-cookie:%20x=y",
        "/.//evil.example",
        "/..//evil.example",
        "http://evil.example/",
        "http:evil.example",
        "evil.example/",
        "javascript:alert(1)",
        "@evil.example",
        "/%ff%e2%80%a8",
    ],
)
def test_the_address_with_the_token_leads_nowhere_else(guarded: Served, target: str) -> None:
    own = f"127.0.0.1:{guarded.port}"
    with socket.create_connection(("127.0.0.1", guarded.port), PATIENCE) as opened:
        head = f"GET {target}?token=secret-word HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n"
        opened.sendall(head.encode("latin-1"))
        with http.client.HTTPResponse(opened) as answer:
            answer.begin()
            status, headers = answer.status, dict(answer.getheaders())
        assert status == 303
        location = headers["location"]
        # As browsers do: blanks at the ends and control characters within are no part, and a backslash is a slash.
        read = "".join(letter for letter in location.strip() if letter >= " ").replace("\\", "/")
        assert urllib.parse.urlsplit(urllib.parse.urljoin(f"http://{own}/", read)).netloc == own
        assert re.fullmatch(r"/(?:[^/\\].*)?", location)
        assert headers["set-cookie"].startswith(f"outflank-{guarded.port}=")


def test_what_is_reached_by_other_names_takes_any_but_needs_pages_of_its_own() -> None:
    access = AccessRules(host="0.0.0.0", port=8765, token="secret-word")
    assert access.accepts_origin(Headers({"host": "box.example:8765", "origin": "http://box.example:8765"}))
    assert not access.accepts_origin(Headers({"host": "box.example:8765", "origin": "http://evil.example"}))
    named = AccessRules(host="192.0.2.1", port=8765)
    assert named.accepts_origin(Headers({"host": "192.0.2.1:8765"}))
    assert not named.accepts_origin(Headers({"host": "evil.example:8765"}))
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "box")] == [True] * 3 + [
        False
    ] * 2


def test_a_server_is_known_by_its_name_as_browsers_write_it() -> None:
    usual = AccessRules(host="127.0.0.1", port=80)
    for host in ("127.0.0.1", "127.0.0.1:80", "localhost"):
        assert usual.accepts_origin(Headers({"host": host, "origin": f"http://{host.removesuffix(':80')}"}))
    assert not usual.accepts_origin(Headers({"host": "127.0.0.1:8080"}))
    assert not usual.accepts_origin(Headers({"host": "127.0.0.1", "origin": "http://127.0.0.1:8080"}))
    named = AccessRules(host="MyBox", port=8765, token="secret-word")
    assert named.accepts_origin(Headers({"host": "mybox:8765", "origin": "http://mybox:8765"}))
    assert not named.accepts_origin(Headers({"host": "mybox"}))
    assert AccessRules(host="::1", port=80).accepts_origin(Headers({"host": "[::1]", "origin": "http://[::1]"}))


# --- bounds ---


def closing(page: Page, times: int = 1) -> tuple[int, str]:
    """The code and the reason with which a connection is closed."""
    with pytest.raises(ConnectionClosed) as closed:
        _ask_on(page, times)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


def _ask_on(page: Page, times: int) -> None:
    for _ in range(times):
        page.ask("games")


def test_what_is_too_large_or_too_fast_closes_that_connection_alone(tmp_path: Path) -> None:
    with serving(tmp_path, messages_a_second=1.0, messages_at_once=20) as served, served.page() as other:
        with served.page() as page:
            # The head of a text message, without the text: the server must not wait for it. It closes at once, and
            # what it had not read would keep the reason from arriving.
            page.socket.socket.sendall(b"\x81\xff" + (MOST_BYTES + 1).to_bytes(8) + b"mask")
            assert closing(page)[0] == 1009
        with served.page() as page:
            assert closing(page, 100) == (1008, "too many messages")
        assert other.new()["kind"] == "game"


def test_there_are_so_many_connections_and_no_more(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("web"), most_connections=1) as served, served.page() as page:
        with pytest.raises(ConnectionClosed) as closed, served.page():
            pass
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013
        assert page.new()["kind"] == "game"


def test_a_connection_that_is_still_is_asked_whether_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.ui.web.http_server.PING_SECONDS", 0.05)
    with serving(tmp_path) as served, socket.create_connection(("127.0.0.1", served.port), 60) as dead:
        host = f"127.0.0.1:{served.port}"
        key = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + "A" * 22
        dead.sendall(f"GET /socket HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{key}==\r\n\r\n".encode())
        heard = b""
        while more := dead.recv(1 << 16):  # until it is given up
            heard += more
        assert b"keepalive ping timeout" in heard


def test_who_reads_slowly_misses_what_is_overtaken_and_no_answer() -> None:
    async def sent() -> list[str]:
        outbox = Outbox()
        for number in range(1, 4):
            outbox.stream("search", Halted(re=number))
            await outbox.answer(Halted(re=10 * number))
        outbox.stream("gone", Halted(re=99))
        outbox.forget("gone")
        found = [await outbox.next() for _ in range(4)]
        for number in range(MOST_ANSWERS):
            await outbox.answer(Halted(re=number + 1))
        waiting = asyncio.create_task(outbox.answer(Halted(re=1000)))
        await asyncio.sleep(0)
        assert not waiting.done()
        await outbox.next()
        await waiting
        outbox.close()
        return found

    said = [json.loads(text)["re"] for text in asyncio.run(sent())]
    assert said == [10, 20, 30, 3]


class Silent:
    """A connection that asks and asks, and reads nothing."""

    def __init__(self, count: int) -> None:
        self.left = count

    async def receive(self) -> dict[str, str]:
        self.left -= 1
        if self.left < 0:
            await asyncio.Event().wait()
        return {"type": "websocket.receive", "text": '{"kind":"analyse","ask":1,"id":"aaaaaaaa","node":0}'}

    async def send_text(self, text: str) -> None:
        await asyncio.Event().wait()

    async def close(self, code: int, reason: str) -> None:
        """Nobody hears that."""


def test_who_reads_nothing_is_not_listened_to(tmp_path: Path) -> None:
    async def waiting() -> int:
        lobby = Lobby(Settings(games=tmp_path / "games.sqlite", reports=tmp_path, workers=1, slow_seconds=0.05))
        session = Session(lobby, cast(Any, Silent(150)))
        most = 0

        async def analyse(asked: Analyse) -> None:
            nonlocal most
            session.outbox.tell(Halted(re=asked.ask))  # as the last message of the analysis before
            most = max(most, len(session.outbox._answers))

        session.activity.analyse = analyse  # type: ignore[method-assign]
        await session.run()
        lobby.close()
        return most

    assert asyncio.run(waiting()) == MOST_ANSWERS


# --- messages that are none ---


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"new"',
        '{"kind":"new"}',
        '{"kind":"what","ask":1}',
        '{"kind":"new","ask":0}',
        '{"kind":"new","ask":1e400}',
        '{"kind":"new","ask":99999999999999999999999}',
        '{"kind":"new","ask":1,"game":"othello","more":1}',
        '{"kind":"new","ask":1,"game":{"a":1}}',
        '{"kind":"open","ask":1,"id":"../../etc/passwd"}',
        '{"kind":"play","ask":1,"id":"aaaaaaaaaaaa","node":-1,"move":"f5"}',
        '{"kind":"play","ask":1,"id":"aaaaaaaaaaaa","node":0,"move":""}',
        '{"kind":"analyse","ask":1,"id":"aaaaaaaaaaaa","node":0,"moves":1000000}',
        '{"kind":"review","ask":1,"id":"aaaaaaaaaaaa","seconds":-1}',
        '{"kind":"game","ask":1}',
        '{"kind":"new","ask":1,"text":"\\ud800"}',
        "[" * 10_000,
        '{"a":' * 5_000,
        "\x00",
        "NaN",
    ],
)
def test_a_message_that_is_none_is_refused_in_a_line(served: Served, text: str) -> None:
    with served.page() as page:
        page.socket.send(text)
        answer = page.hear()
        assert answer["kind"] == "refused"
        assert answer["why"]
        assert len(answer["why"].splitlines()) == 1
        page.socket.send(b"\xff\x00binary")
        assert page.hear() == {"kind": "refused", "re": None, "why": "a message is text: one JSON object"}
        assert page.ask("games")["kind"] == "kept"


def test_a_refusal_names_the_message_where_it_has_a_number(served: Served) -> None:
    with served.page() as page:
        page.socket.send('{"kind":"play","ask":7,"id":"x"}')
        assert page.hear()["re"] == 7


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow(3)
def test_hostile_messages_harm_neither_the_server_nor_another_connection(served: Served) -> None:
    assert send_hostile(served, HOSTILE, 1) > HOSTILE // 5
    served.until(lambda: served.lobby.services.searches.turns.under_way() == 0)


@settings(max_examples=10)
@given(st.lists(JSON, min_size=1, max_size=10))
def test_any_json_is_answered(served: Served, values: list[Any]) -> None:
    with served.page() as page:
        for value in values:
            page.socket.send(json.dumps(value))
            assert page.hear()["kind"] == "refused"


@pytest.mark.slow(3)
def test_a_text_of_the_longest_kind_is_read_or_refused(served: Served) -> None:
    with served.page() as page:
        for text in (
            "f5" * (MOST_TEXT // 2),
            "(" * MOST_TEXT,
            "X" * MOST_TEXT,
            "1. " * (MOST_TEXT // 3),
            "🂡" * MOST_TEXT,
            f"f5{' ' * (MOST_TEXT - 3)}x",
            '[A "b"]\nf5\n' * (MOST_TEXT // 11),
            "A1B2 I9H8 B2A1 H8I9 " * 500,
        ):
            page.refused("new", text=text)
        assert "expected" in page.refused("new", text="x" * (MOST_TEXT + 1))


def test_files_of_the_largest_kind_are_read_or_refused(served: Served) -> None:
    def file(size: int, name: str = "a.wtb") -> dict[str, str]:
        return {"name": name, "data": base64.b64encode(bytes(size)).decode()}

    with served.page() as page:
        parts = [file(MOST_FILE_BYTES // MOST_FILES, f"{number}{'x' * 250}.wtb") for number in range(MOST_FILES)]
        assert "WTHOR" in page.refused("read", files=parts)
        assert "1,500,000 bytes" in page.refused("read", files=[*parts[1:], file(MOST_FILE_BYTES // MOST_FILES + 1)])
        assert "expected" in page.refused("read", files=[file(MOST_FILE_BYTES + 1)])
        assert "expected" in page.refused("read", files=[file(1)] * (MOST_FILES + 1))
        assert "expected" in page.refused("read", files=[{"name": "a.ggf", "data": "?"}])
        for name in ("../../../etc/passwd", "/etc/passwd", "a\0b", "..", "", ".wtb", "C:\\x.ggf", "x" * 255):
            page.refused("read", files=[{"name": name, "data": ""}])
        assert "needed" in page.refused("read")


def test_texts_are_read_beside_everything_else_and_not_for_long(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    def slow(request: New) -> SavedGame:
        if request.text == "slow":
            release.wait(60.0)
        return game_from_records(request)

    monkeypatch.setattr("outflank.ui.web.visits.connection.game_from_records", slow)
    folder = tmp_path_factory.mktemp("web")
    with (
        serving(folder, texts_at_a_time=1, most_texts=2, text_seconds=0.2) as served,
        served.page() as one,
        served.page() as two,
        served.page() as player,
    ):
        assert one.refused("new", text="slow") == "reading this text took longer than 0.2 seconds"
        assert two.refused("new", text="f5") == "reading this text took longer than 0.2 seconds"  # it waits behind
        assert player.refused("new", text="f5") == "2 other texts are being read: try again in a moment"
        assert player.play(player.new(), "f5")["node"] == 1
        release.set()
        served.until(lambda: two.ask("new", text="f5")["kind"] == "game")


def test_a_text_of_too_many_games_is_refused_in_a_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("web"), most_games=20) as served, served.page() as page:
        for text in ("f5\n" * 50, '[Event "x"]\nf5\n' * 50, "game: abalone\nA1B2\n\n" * 50, "(;GM[2];B[f5])" * 50):
            assert page.refused("new", text=text).endswith("more than 20 games or positions: paste one of them")
        assert page.ask("new", text="f5\nd3\n" * 5)["kind"] == "game"


# --- the command ---


@pytest.mark.slow(3)
def test_the_command_says_where_it_is_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "outflank", "serve", "--port", "0", "--games", str(tmp_path / "games.sqlite")]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    with urllib.request.urlopen(f"{address}health") as answer:
        nothing = {"connections": 0, "searches": 0, "games": 0, "tables": 0, "table_bytes": 0, "players": 0}
        assert json.load(answer) == nothing
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[-1] == "outflank: interrupted"
    assert "Traceback" not in said


def test_what_is_wrong_with_the_command_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*words: str) -> str:
        with pytest.raises(SystemExit) as left:
            main(["serve", *words])
        assert left.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        return line

    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    assert str(port) in said("--port", str(port), "--games", str(tmp_path / "games.sqlite"))
    taken.close()
    (tmp_path / "other").write_text("something else\n" * 50)
    assert "cannot be used for games" in said("--port", "0", "--games", str(tmp_path / "other"))
    for token in ("short", "x" * 201, "secret&word", "secret word", "secret#word", "secret%41", "secret+word"):
        assert "8 to 200" in said("--token", token)
    assert "no.such.host.invalid" in said("--host", "no.such.host.invalid")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert install_command("web") in said()


def test_a_browser_is_opened_beside_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served, opened = threading.Event(), list[str]()

    def browser(address: str) -> None:
        assert served.wait(60)  # as one in a terminal
        opened.append(address)

    class Server:
        def __init__(self, application: object, limits: object) -> None:
            """Of whatever."""

        def run(self, sockets: object) -> None:
            served.set()
            for each in threading.enumerate():
                if each.name == "outflank-open":
                    assert each.daemon
                    each.join(60)

    monkeypatch.setattr("webbrowser.open", browser)
    monkeypatch.setattr("outflank.ui.web.http_server.server_of", Server)
    with pytest.raises(SystemExit):
        main(["serve", "--open", "--port", "0", "--games", str(tmp_path / "games.sqlite")])
    assert [each.partition(":")[0] for each in opened] == ["http"]


def test_a_taken_port_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(serve_command, "PORT", taken.getsockname()[1])
        with serve_command._listener("127.0.0.1", None) as found:
            assert found.getsockname()[1] != taken.getsockname()[1]


def test_addresses_can_be_opened() -> None:
    assert serve_command._address(AccessRules(host="127.0.0.1", port=1)) == "http://127.0.0.1:1/"
    assert serve_command._address(AccessRules(host="::1", port=1)) == "http://[::1]:1/"
    assert serve_command._address(AccessRules(host="0.0.0.0", port=1, token="word")) == "http://127.0.0.1:1/?token=word"


def test_quotes_in_a_cookie_are_not_searched_again_and_again() -> None:
    access = AccessRules(host="127.0.0.1", port=8000, token="12345678")
    for part in ("\\", "\\1", '"', "=", ";", " "):
        assert not grows_faster(lambda text: access.cookie_token(Headers({"cookie": text})), Hostile('a="', part, '"'))
    beside = Headers({"cookie": 'a="b;c"; outflank-80=other; outflank-8000 = 12345678 ;d'})
    assert access.cookie_token(beside) == "12345678"
    assert access.cookie_token(Headers({"cookie": "a=outflank-8000=12345678"})) is None
