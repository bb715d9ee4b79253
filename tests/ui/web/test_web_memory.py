"""Memory of the server: tables and players are freed with what they were made for, without the garbage collector."""

import asyncio
import functools
import gc
import json
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from outflank import OthelloBoard
from outflank.errors import OutflankError
from outflank.parallel.crew import Crew
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.search.request import Stop
from outflank.search.root import Root
from outflank.search.table import Table, tables_in_memory
from outflank.search.whole_search import search
from outflank.ui.web.games.seats import web_player
from outflank.ui.web.requests import SearchOptions
from outflank.ui.web.searching import computers as computers_module
from outflank.ui.web.searching.analysing import AnalysisTask
from outflank.ui.web.searching.computers import MOST_PLAYERS, Computers
from outflank.ui.web.searching.core_sharing import Turns
from outflank.ui.web.searching.searches import FEW, LARGE_BITS, SMALL_BITS, Searches
from outflank.ui.web.server_limits import Settings
from tests import web_soak
from tests.web_server import Page, Served, serving
from tests.web_soak import Soak
from tests.web_visitors import Target

PLAIN = pytest.mark.interpreted_only
BOARD = OthelloBoard.start(4)


class Alive:
    """The objects of some classes that have been made since and not been freed."""

    def __init__(self) -> None:
        self._made: list[weakref.ref[Any]] = []

    def add(self, made: object) -> None:
        self._made.append(weakref.ref(made))

    def names(self) -> list[str]:
        return sorted(type(each).__name__ for each in (ref() for ref in self._made) if each is not None)

    @property
    def made(self) -> int:
        return len(self._made)


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> Iterator[Alive]:
    """Tables, roots and computers in memory, while the garbage collector is off."""
    found = Alive()
    for cls in (Table, Root, Computer):
        monkeypatch.setattr(cls, "__init__", _noted(cls.__init__, found))
    gc.collect()
    gc.disable()
    try:
        yield found
    finally:
        gc.enable()


def _noted(init: Callable[..., None], alive: Alive) -> Callable[..., None]:
    @functools.wraps(init)  # words of players are read by its signature
    def noted(self: Any, *arguments: Any, **named: Any) -> None:
        alive.add(self)
        init(self, *arguments, **named)

    return noted


class Failing(Exception):
    """Raised by a test."""


def settings(folder: Path) -> Settings:
    return Settings(games=folder, reports=folder, workers=1, pace_seconds=0.0)


# --- searches and players ---


@PLAIN
def test_a_search_that_fails_in_whatever_watches_it_leaves_no_table(alive: Alive, monkeypatch: Any) -> None:
    monkeypatch.setattr("outflank.search.results.EVERY_SECONDS", 0.0)

    def fails(progress: object) -> None:
        raise Failing

    for workers in (1, 2):
        with pytest.raises(Failing):
            search(OthelloBoard.start(6), depth=8, workers=workers, watch=fails)
    assert alive.made
    assert alive.names() == []


@PLAIN
def test_a_search_whose_helpers_fail_leaves_no_table(alive: Alive, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(index: int) -> None:
        raise Failing

    start = Crew.start
    monkeypatch.setattr(Crew, "start", lambda self, serve: start(self, fails))
    with pytest.raises(Failing):
        search(BOARD, depth=4, deepen=False, workers=2, threshold=1, parallel="ybw")
    assert alive.made
    assert alive.names() == []


def chosen(computers: Computers, words: str, stop: Stop, id: str = "game") -> Any:
    return asyncio.run(computers.choose(id, words, BOARD.copy(), Clock(), stop))


@PLAIN
def test_computers_whose_moves_fail_or_are_not_wanted_leave_nothing(
    alive: Alive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = Turns(1)
    computers = Computers(settings(tmp_path), turns)
    stop = Stop()

    def fails(self: Computer, *_: Any, **__: Any) -> None:
        raise Failing

    def stopped(words: str, game: Any, variety: int) -> Any:
        stop()  # while it is being made
        return web_player(words, game, variety)

    with monkeypatch.context() as changed:
        changed.setattr(Computer, "choose", fails)
        with pytest.raises(Failing):
            chosen(computers, "computer depth=1", Stop())
    assert alive.made
    assert alive.names() == []
    with monkeypatch.context() as changed:
        changed.setattr(computers_module, "web_player", stopped)
        with pytest.raises(OutflankError, match="not wanted"):
            chosen(computers, "computer depth=1", stop)
    assert computers.in_memory() == 1  # it is ready for the next move
    assert chosen(computers, "computer depth=1", Stop())[0].move
    computers.forget("another game")
    assert alive.names() == ["Computer", "Root", "Table", "Table"]  # the root of moves without a search
    computers.forget("game")
    assert alive.names() == []
    assert computers.in_memory() == 0
    chosen(computers, "computer depth=1", Stop())
    computers.close()
    assert alive.names() == []
    turns.close()


class Waiting:
    """A player that waits at its move, and counts how many there are of it."""

    name = "waiting"
    there: ClassVar[list["Waiting"]] = []
    most = 0

    def __init__(self, on: threading.Event) -> None:
        self.on = on
        self.there.append(self)
        Waiting.most = max(Waiting.most, len(self.there))

    def choose(self, board: Any, clock: Any, *, stop: Stop) -> Any:
        assert self.on.wait(60)
        return None

    def new_game(self, board: Any) -> None:
        pass

    def close(self) -> None:
        self.there.remove(self)


@PLAIN
def test_there_are_never_more_computers_than_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on = threading.Event()
    monkeypatch.setattr(Waiting, "there", [])
    monkeypatch.setattr(Waiting, "most", 0)
    monkeypatch.setattr(computers_module, "web_player", lambda *_: Waiting(on))
    turns = Turns(2)
    computers = Computers(settings(tmp_path), turns)

    async def moves() -> None:
        begun = [
            asyncio.create_task(computers.choose(f"game {number}", "computer", BOARD.copy(), Clock(), Stop()))
            for number in range(3 * MOST_PLAYERS)
        ]
        given_up = Stop()
        begun.append(asyncio.create_task(computers.choose("other", "computer", BOARD.copy(), Clock(), given_up)))
        while computers.in_memory() < MOST_PLAYERS:
            await asyncio.sleep(0.001)
        given_up()
        with pytest.raises(OutflankError, match="not wanted"):
            await begun.pop()
        on.set()
        await asyncio.gather(*begun)

    asyncio.run(moves())
    assert Waiting.most == len(Waiting.there) == computers.in_memory() == MOST_PLAYERS
    computers.close()
    assert Waiting.there == []
    turns.close()


# --- analyses ---


def analysing(tell: Callable[[AnalysisTask], None], **options: Any) -> AnalysisTask:
    return AnalysisTask(OthelloBoard.start(6), moves=1, options=SearchOptions(**options), bits=10, tell=tell)


@PLAIN
def test_an_analysis_that_is_closed_in_its_turn_frees_its_tables_when_it_comes_back(alive: Alive) -> None:
    came, go_on, freed, stop = threading.Event(), threading.Event(), threading.Event(), Stop()
    found: list[AnalysisTask] = []

    def tell(search: AnalysisTask) -> None:
        found[:] = [search]  # a cycle, as a connection's
        came.set()
        assert go_on.wait(60)

    thread = threading.Thread(target=lambda search: search.run(1, stop), args=(analysing(tell),))
    thread.start()
    assert came.wait(60)
    found[0].close(freed.set)
    found.clear()
    assert not freed.is_set()  # the thread searches on
    assert "Table" in alive.names()
    stop()
    go_on.set()
    assert freed.wait(60)
    thread.join()
    del thread
    assert alive.names() == []


@PLAIN
def test_an_analysis_makes_no_tables_once_it_is_closed(alive: Alive) -> None:
    freed = list[int]()
    search = analysing(lambda _: None)
    search.close(lambda: freed.append(1))
    search.close(lambda: freed.append(2))
    assert not search.run(1, Stop())
    search.prepare(1)  # which may have begun before
    assert freed == [1]
    assert alive.names() == []


@PLAIN
def test_a_place_is_taken_until_the_tables_are_freed(tmp_path: Path) -> None:
    class Slow:
        """Comes back some time after it was closed."""

        kernels: tuple[str, ...] = ()
        waiting = done = False

        def close(self, freed: Callable[[], None]) -> None:
            self.freed = freed

    async def taken() -> None:
        searches = Searches(Settings(games=tmp_path, reports=tmp_path, workers=1, most_searches=FEW + 1))
        places = [await searches.take_place() for _ in range(FEW + 1)]
        assert [each.bits for each in places] == [LARGE_BITS] * FEW + [SMALL_BITS]
        tables = sum(3 * (16 << each.bits) for each in places)
        assert tables == searches.most_bytes()
        slow: Any = Slow()
        searches._under_way[slow] = places[0]
        searches.end(slow)
        waiting = asyncio.create_task(searches.take_place())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        slow.freed()
        assert (await waiting).bits == LARGE_BITS
        with pytest.raises(OutflankError, match="no more at a time"):
            await searches.take_place()
        searches.turns.close()

    asyncio.run(taken())


# --- the soak test ---


@PLAIN
def test_a_soak_fails_where_something_grows(tmp_path: Path) -> None:
    log = tmp_path / "stderr.txt"
    log.write_text("searches share 2 cores and 680 MiB for tables")
    target = Target(port=1, token="", longest_text=1)
    process: Any = None

    def judged(grow: float, left: int) -> list[str]:
        soak = Soak(web_soak.Server(process=process, target=target, log=log), 0, 1)
        soak.samples = [_sample(minute, 10 + grow * minute) for minute in range(1, 61)]
        soak.samples = [_sample(0, 0), *soak.samples, _sample(61, left)]
        return soak.judge(3600)

    assert judged(0.0, 0) == []
    assert {line.split()[0] for line in judged(0.5, 0)} >= {"connections", "threads", "descriptors", "rss_mb"}
    assert judged(0.0, 1) == [
        "connections after all have left: 1, at most 0 expected",
        "searches after all have left: 1, at most 0 expected",
        "children after all have left: 1, at most 0 expected",
    ]
    assert "announced" in judged(20.0, 0)[-1]


def _sample(minute: float, count: float) -> web_soak.Sample:
    """As much of everything as `count` says."""
    number = int(count)
    return web_soak.Sample(
        seconds=60 * minute,
        connections=number,
        searches=number,
        games=number,
        tables=number,
        table_mb=number,
        players=number,
        threads=number,
        descriptors=number,
        children=number,
        rss_mb=10 * number,
        answer_seconds=0.0,
    )


# --- a whole server ---


@PLAIN
@pytest.mark.slow(2)
def test_visits_that_end_in_the_middle_leave_no_tables(alive: Alive, tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        for leave in (_analysis, _game, _review, _comparison):
            with served.page() as page:
                leave(page)
        served.until(lambda: served.lobby.services.searches.turns.under_way() == 0)
        computers = served.lobby.services.computers
        served.until(lambda: computers.in_memory() == 0)
        assert alive.made
        served.until(lambda: alive.names() == [])


def _analysis(page: Page) -> None:
    game = page.new(options={"size": 6})
    page.send("analyse", id=game["id"], node=0, moves=3)
    page.until(lambda message: message["kind"] == "analysis" and message["depth"] > 0)


def _game(page: Page) -> None:
    page.new(options={"size": 6}, seats={"black": "computer depth=1", "white": "human"})
    page.until(lambda message: message["kind"] == "game" and message["node"] == 1)


def _review(page: Page) -> None:
    game = page.ask("new", text="b1 a1", game="othello", options={"size": 4})
    page.send("review", id=game["id"], seconds=30)
    page.until(lambda message: message["kind"] == "reviewed")


def _comparison(page: Page) -> None:
    game = page.new(options={"size": 6})
    page.send("compare", id=game["id"], node=0, options={"depth": 12, "workers": 2})
    page.until(lambda message: message["kind"] == "compared")


@PLAIN
def test_health_tells_those_with_the_token_what_is_in_memory(tmp_path: Path) -> None:
    with serving(tmp_path, token="secret-word") as served:
        assert _health(served) == {"connections", "searches"}
        cookie = f"outflank-{served.port}=secret-word"
        counts = {"connections", "searches", "games", "tables", "table_bytes", "players"}
        assert _health(served, cookie=cookie) == counts


def _health(served: Served, **headers: str) -> set[str]:
    return set(json.loads(served.get("/health", **headers).body))


@PLAIN
def test_tables_are_counted_and_given_back_to_the_system() -> None:
    before = tables_in_memory()
    table = Table(16)
    assert tables_in_memory() == (before[0] + 1, before[1] + table.nbytes)
    begin = table.address
    assert _is_mapped(begin)
    del table
    assert tables_in_memory() == before
    assert not _is_mapped(begin)


def _is_mapped(address: int) -> bool:
    """Whether there is memory at an address, where the system tells; else what a test expects."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("the system does not tell what is mapped")
    ranges = (line.split()[0].split("-") for line in maps.read_text().splitlines())
    return any(int(low, 16) <= address < int(high, 16) for low, high in ranges)
