"""Searches over the WebSocket: how they share the cores, what is told of them, and that they end."""

import asyncio
import html
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from outflank import OthelloBoard
from outflank.boards import Board
from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.fabric import HeadLost
from outflank.distributed.head import Tuning
from outflank.errors import OutflankError
from outflank.kernels import cache
from outflank.lab import RunProgress
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.search.alone import Resumable
from outflank.search.recorded_search import RecordedSearchDocument
from outflank.search.request import Known, Limits, Options, Stop
from outflank.search.table import Table
from outflank.search.whole_search import iterate, search
from outflank.ui.web import server_messages
from outflank.ui.web.requests import SearchOptions
from outflank.ui.web.searching.analysing import AnalysisTask, Step, steps_of
from outflank.ui.web.searching.compilation import ENDING_KERNELS, KERNELS
from outflank.ui.web.searching.computers import Computers
from outflank.ui.web.searching.core_sharing import Turns
from outflank.ui.web.searching.searches import FEW, LARGE_BITS, SMALL_BITS, Searches
from outflank.ui.web.searching.shared_cluster import SharedCluster
from outflank.ui.web.server_limits import Settings
from outflank.validation.documents import decoded
from tests.web_server import Page, Served, serving

PLAIN = pytest.mark.interpreted_only

NEAR = "XXXXXX---XXXXXXXXXXXXOXOXXXXOXO-XXOOOOOOXOXOOOXOXXXOOXX-X-XO-XXX O"
"""Seven squares of Othello are empty."""

MIDDLE = "----O------O-O----O-XX-O-OOOXXO---OXOX-----OXOXX--O-XXOX---XXXXX X"
"""32 are."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("web"), messages_at_once=1000) as found:
        yield found


@pytest.fixture
def page(served: Served) -> Iterator[Page]:
    with served.page() as found:
        yield found


def idle(served: Served) -> None:
    """Wait until nothing is searched."""
    served.until(lambda: served.lobby.services.searches.turns.under_way() == 0)


def last_of(page: Page, number: int) -> dict[str, Any]:
    """The last message of a stream."""
    return page.until(lambda message: message.get("of") == number and message["done"])


def analysed(page: Page, game: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return last_of(page, page.send("analyse", id=game["id"], node=game["node"], **fields))


# --- turns ---


class Endless:
    """Searches until it is told to stop, and notes by how many workers."""

    def __init__(self) -> None:
        self.turns: list[int] = []
        self.heard = threading.Event()
        self.goes_on = True

    def run(self, workers: int, stop: Stop, *, alone: bool) -> bool:
        assert alone or workers == 1
        self.turns.append(workers)
        stopped = threading.Event()
        stop.add_listener(stopped.set)
        self.heard.set()
        assert stopped.wait(60)
        return self.goes_on


def waiting_for(holds: Callable[[], bool]) -> None:
    for _ in range(12_000):
        if holds():
            return
        threading.Event().wait(0.005)
    raise AssertionError("it does not come")


@PLAIN
def test_one_search_has_all_cores_and_several_take_turns_on_one_each() -> None:
    turns = Turns(2)
    first, second, third = Endless(), Endless(), Endless()
    turns.add(first)
    assert first.heard.wait(60)
    assert first.turns == [2]
    turns.add(second)
    turns.add(third)
    waiting_for(lambda: min(len(each.turns) for each in (first, second, third)) > 3)
    assert {workers for each in (second, third) for workers in each.turns} == {1}
    turns.drop(second)
    turns.drop(third)
    waiting_for(lambda: first.turns[-1] == 2)  # and has them all again
    assert turns.under_way() == 1
    turns.drop(first)
    waiting_for(lambda: turns.under_way() == 0)
    turns.close()


@PLAIN
def test_what_cannot_be_interrupted_leaves_a_core_to_the_others() -> None:
    turns = Turns(2)
    searches = [Endless(), Endless()]
    for each in searches:
        turns.add(each)
    before = [len(each.turns) for each in searches]
    with turns.lease(Stop()) as workers:
        assert workers == 1
        waiting_for(lambda: all(len(each.turns) > count + 2 for each, count in zip(searches, before, strict=True)))
    for each in searches:
        turns.drop(each)
    waiting_for(lambda: turns.under_way() == 0)
    with turns.lease(Stop()) as workers:
        assert workers == 2
    turns.close()


@PLAIN
def test_leases_are_given_in_the_order_in_which_they_are_asked_for() -> None:
    turns, order = Turns(1), list[int]()
    threads = []

    def ask(number: int) -> None:
        with turns.lease(Stop()):
            order.append(number)

    with turns.lease(Stop()):
        for number in range(5):
            threads.append(threading.Thread(target=ask, args=(number,)))
            threads[-1].start()
            waiting_for(lambda number=number: len(turns._lease_queue) == number + 1)
    for each in threads:
        each.join()
    assert order == list(range(5))
    turns.close()


@PLAIN
def test_who_is_stopped_does_not_wait_for_cores() -> None:
    turns, stop = Turns(1), Stop()
    done = threading.Event()

    def second() -> None:
        with turns.lease(stop):
            done.set()

    with turns.lease(Stop()):
        thread = threading.Thread(target=second)
        thread.start()
        assert not done.wait(0.05)
        stop()
        assert done.wait(60)
    thread.join()
    assert turns.under_way() == 0
    turns.close()


@PLAIN
def test_what_takes_minutes_is_done_one_after_the_other_beside_leases() -> None:
    turns, stop = Turns(2), Stop()
    held = threading.Event()

    def second() -> None:
        with turns.hold(stop):
            held.set()

    with turns.hold(Stop()):
        thread = threading.Thread(target=second)
        thread.start()
        waiting_for(lambda: len(turns._hold_queue) == 1)
        with turns.lease(Stop()) as workers:
            assert workers == 1
            assert turns.under_way() == 2
        assert not held.is_set()
    assert held.wait(60)
    thread.join()
    with turns.lease(Stop()) as workers:
        assert workers == 2
    turns.close()


@PLAIN
def test_places_are_taken_before_searches_are_made(tmp_path: Path) -> None:
    async def taken() -> None:
        searches = Searches(Settings(games=tmp_path, reports=tmp_path, workers=1, most_searches=FEW + 1))
        places = [await searches.take_place() for _ in range(FEW + 1)]
        assert [each.bits for each in places] == [LARGE_BITS] * FEW + [SMALL_BITS]
        with pytest.raises(OutflankError, match="no more at a time"):
            await searches.take_place()
        searches.give_back(places[0])
        stop = Stop()
        assert await searches.enter(stop) == LARGE_BITS - 1  # twice
        with pytest.raises(OutflankError, match="no more at a time"):
            await searches.take_place()
        searches.leave(stop)
        assert (await searches.take_place()).bits == LARGE_BITS

    asyncio.run(taken())


@PLAIN
def test_a_review_and_a_comparison_keep_to_the_tables_and_cores_that_they_are_given(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    bits, workers = list[int](), list[int]()

    def judged(board: Any, limits: Any, *, table_bits: int, next_workers: Callable[[], int], **more: Any) -> Any:
        bits.append(table_bits)
        workers.append(next_workers())
        return
        yield

    def compared(board: Any, limits: Any, *, table_bits: int, **more: Any) -> Any:
        bits.append(table_bits)
        return iterate(board, limits, table_bits=table_bits, **more)

    monkeypatch.setattr("outflank.ui.web.lobby.reviewing.judge_moves", judged)
    monkeypatch.setattr("outflank.ui.web.searching.searches.iterate", compared)
    game = page.ask("new", text="b1 a1", game="othello", options={"size": 4})
    last_of(page, page.send("review", id=game["id"]))
    last_of(page, page.send("compare", id=game["id"], node=0, options={"depth": 1}))
    assert bits == [LARGE_BITS - 1] * 2
    assert workers == [2]


class Uncompiled(Endless):
    """Has kernels to compile."""

    def __init__(self, kernels: str) -> None:
        super().__init__()
        self.kernels, self.waiting, self.done, self.failed = (kernels,), True, False, ""
        self.may_prove, self.compiling = True, None
        self.prepares, self.on = 0, threading.Event()

    def prepare(self, cores: int) -> None:
        self.prepares += 1
        assert self.on.wait(60)

    def run(self, workers: int, stop: Stop, *, alone: bool) -> bool:
        self.heard.set()
        return False

    def close(self, freed: Callable[[], None]) -> None:
        freed()


@PLAIN
def test_kernels_are_compiled_once_for_all_who_wait_for_them_and_one_after_the_other(tmp_path: Path) -> None:
    async def began() -> list[Any]:
        searches = Searches(Settings(games=tmp_path, reports=tmp_path, workers=1))
        found: list[Any] = [Uncompiled("a"), Uncompiled("a"), Uncompiled("b"), Uncompiled("c")]
        for each in found:
            searches.begin(each, await searches.take_place(), lambda search: None)
        assert sum(each.name == "outflank-compiling" for each in threading.enumerate()) == 1
        searches.end(found[2])  # which nobody waits for then
        for each in found:
            each.on.set()
        while not all(each.heard.is_set() for each in (found[0], found[1], found[3])):
            await asyncio.sleep(0.001)
        searches.close()
        return found

    assert [each.prepares for each in asyncio.run(began())] == [1, 0, 0, 1]


@PLAIN
def test_who_waits_for_kernels_is_told_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history: list[cache.Event] = []
    monkeypatch.setattr(cache, "history", history)
    monkeypatch.setattr(cache, "begun", [])
    monkeypatch.setattr("outflank.ui.web.searching.searches.REPORT_SECONDS", 0.001)

    def ready(how: Literal["compiled", "loaded"]) -> None:
        history.append(cache.Event(kernel="search.x", types=(), how=how, seconds=1.0))

    async def told() -> list[Any]:
        searches = Searches(Settings(games=tmp_path, reports=tmp_path, workers=1))
        search: Any = Uncompiled("a")
        told: list[Any] = []
        searches.begin(search, await searches.take_place(), lambda search: told.append(search.compiling))
        ready("loaded")
        await asyncio.sleep(0.05)
        cache.begun.append("search.x")
        await asyncio.sleep(0.05)
        ready("compiled")
        await asyncio.sleep(0.05)
        search.on.set()
        while not search.heard.is_set():
            await asyncio.sleep(0.001)
        searches.close()
        return [*told, search.compiling]

    assert asyncio.run(told()) == [(1, 22), (2, 22), None]


@PLAIN
def test_a_computer_that_waits_for_kernels_says_so_and_its_clock_stands(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "begun", [])
    monkeypatch.setattr("outflank.ui.web.searching.computers.REPORT_SECONDS", 0.001)
    goes_on = threading.Event()

    def new_game(self: Computer, board: Board) -> None:
        cache.begun.append("search.x")
        assert goes_on.wait(60)

    monkeypatch.setattr(Computer, "new_game", new_game)
    begun = page.new(options={"size": 4}, seats={"black": "computer depth=2", "clock": "5s/move"})
    assert (begun["thinking"], begun["compiling"]) == ("black", None)
    waits = page.until(lambda message: message["kind"] == "game")
    assert (waits["thinking"], waits["compiling"]) == ("black", [0, 22])
    assert (waits["clock"]["running"], waits["clock"]["black"]) == (None, 5.0)
    goes_on.set()
    moved = page.until(lambda message: message["kind"] == "game" and message["node"] == 1)
    assert (moved["thinking"], moved["compiling"]) == (None, None)


KERNELS_OF_PLAYERS = """
from outflank.games.description import game_named
from outflank.kernels import cache
from outflank.ui.web.games.seats import web_player

for words in ("computer level=1", "computer level=8"):
    board = game_named("othello").start()
    web_player(words, board.game, variety=1).new_game(board)
    print(len(cache.history))
"""


@pytest.mark.compiled
@pytest.mark.slow(10)
def test_a_player_needs_as_many_kernels_as_the_page_says() -> None:
    command = [sys.executable, "-c", KERNELS_OF_PLAYERS]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [int(line) for line in printed.split()] == [KERNELS, KERNELS + ENDING_KERNELS]


@PLAIN
def test_nothing_is_compiled_for_a_move_that_is_not_wanted_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr("outflank.ui.web.searching.computers.web_player", lambda words, *more: made.append(words))
    computers = Computers(Settings(games=tmp_path, reports=tmp_path, workers=1), Turns(1))
    stop = Stop()
    stop()
    with pytest.raises(OutflankError, match="not wanted"):
        asyncio.run(computers.choose("x", "random", OthelloBoard.start(4), Clock(), stop))
    assert made == []


# --- searches that are taken up again ---


@PLAIN
def test_a_search_in_slices_comes_to_the_same_value() -> None:
    board = Board.from_text(NEAR)
    whole = search(board, exact=True, workers=1)
    options = Options(deepen=False, exact=True, table_bits=None, workers=1)
    sliced = Resumable(board, options, table=Table(14))
    stop = Stop()
    stop()
    known = Known()
    assert sliced.search(Limits(), stop=stop).stopped
    found = sliced.search(Limits(nodes=50), stop=Stop())
    assert found.stopped
    while found.stopped:
        known = Known(lower=found.lower, upper=found.upper)
        found = sliced.search(Limits(nodes=2000), stop=Stop(), known=known)
    assert (found.value, found.exact) == (whole.value, True)


@PLAIN
def test_an_analysis_goes_deeper_then_surer_and_ends_in_a_proof() -> None:
    start = OthelloBoard.start()
    steps = list(steps_of(start, algorithm="pvs", depth=3, exact=False))
    assert [step.depth for step in steps] == [1, 2, 3]
    assert {step.selectivity for step in steps} == {73}
    near = list(steps_of(Board.from_text(NEAR), algorithm="pvs", depth=None, exact=False))
    assert near[-1] == Step(depth=None, exact=True)
    middle = Board.from_text(MIDDLE)
    asked = list(steps_of(middle, algorithm="pvs", depth=None, exact=False))
    horizon = middle.moves_left + 1
    assert [(each.depth, each.selectivity) for each in asked[-5:-1]] == [
        (horizon - 11, 73),
        (horizon, 73),
        (horizon, 95),
        (horizon, 99),
    ]
    assert asked[-1].exact
    assert [each.depth for each in steps_of(start, algorithm="uct", depth=None, exact=False)] == [None]
    assert {each.selectivity for each in steps_of(start, algorithm="minimax", depth=2, exact=False)} == {100}


@PLAIN
def test_slices_of_an_analysis_add_up() -> None:
    told: list[server_messages.Analysis] = []
    board = OthelloBoard.start(4)
    analysis = AnalysisTask(
        board, moves=10, options=SearchOptions(depth=4), bits=14, tell=lambda each: told.append(each.message(1, "x", 0))
    )
    calls = 0
    while analysis.run(1, _briefly()):
        calls += 1
        assert calls < 10_000
    last = analysis.message(1, "x", 0)
    assert (last.depth, last.done, last.waiting) == (4, True, False)
    assert len(last.moves) == 4
    assert last.nodes == last.workers[0].nodes > 0
    nodes = [each.nodes for each in told]
    assert nodes == sorted(nodes)


@PLAIN
def test_a_cluster_searches_for_one_analysis_at_a_time() -> None:
    with Cluster(InsideFabric(2), tuning=Tuning(alone_seconds=0.0)) as cluster:
        shared = SharedCluster(cluster, "inside:2")
        assert shared.prepare() == 2

        def analysis(**options: Any) -> AnalysisTask:
            return AnalysisTask(
                OthelloBoard.start(4),
                moves=2,
                options=SearchOptions(**options),
                bits=14,
                tell=lambda task: told.append(task.message(1, "x", 0)),
                cluster=shared,
            )

        told: list[server_messages.Analysis] = []
        first = analysis(depth=5)
        assert first.run(2, Stop()) is False
        by_cluster = first.message(1, "x", 0)
        assert (by_cluster.scheme, by_cluster.done, by_cluster.depth) == ("ybw on inside", True, 5)
        assert [each.depth for each in told if each.depth] == sorted(each.depth for each in told if each.depth)
        assert sum(worker.nodes for worker in by_cluster.workers) > 0
        with shared.lease("pvs"):  # in use: this machine searches, and finds the same
            here = analysis(depth=5)
            here.run(1, Stop())
        other = here.message(1, "x", 0)
        assert (other.scheme, other.depth) == ("", by_cluster.depth)

        def values(task: AnalysisTask) -> list[tuple[str, float]]:
            return [(entry.move, entry.value) for entry in task.state.moves]

        assert values(here) == values(first)

        slices = analysis(depth=5)  # not alone: a slice of time on this machine
        while slices.run(1, _briefly(), alone=False):
            pass
        assert slices.message(1, "x", 0).scheme == ""
        assert values(slices) == values(first)

        proof = analysis(exact=True)
        proof.run(2, Stop())
        assert (proof.state.exact, proof.state.scheme) == (True, "ybw on inside")


@PLAIN
def test_an_analysis_goes_on_without_a_cluster_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[object] = []
    with Cluster(InsideFabric(1), tuning=Tuning(alone_seconds=0.0)) as cluster:
        shared = SharedCluster(cluster, "inside:1")
        shared.warn = warnings.append
        shared.prepare()

        def lost(*_: Any) -> Any:
            raise HeadLost("its network is gone")

        monkeypatch.setattr(cluster.fabric, "submit", lost)
        analysis = AnalysisTask(
            OthelloBoard.start(4),
            moves=1,
            options=SearchOptions(depth=4),
            bits=14,
            tell=lambda _: None,
            cluster=shared,
        )
        assert analysis.run(1, Stop()) is False
    assert (analysis.failed, analysis.state.depth, analysis.state.scheme) == ("", 4, "")
    assert [str(warning) for warning in warnings] == [
        "the cluster at inside:1 is lost, and this machine searches alone: its network is gone"
    ]


def _briefly() -> Stop:
    stop = Stop()
    timer = threading.Timer(0.002, stop)
    timer.daemon = True
    timer.start()
    return stop


# --- over the socket ---


@pytest.mark.compiled
def test_an_analysis_streams_and_ends_in_a_proof(page: Page, served: Served) -> None:
    game = page.ask("new", text=NEAR)
    last = msgspec.convert(analysed(page, game, moves=20), server_messages.Analysis)
    assert (last.exact, last.selectivity, last.waiting, last.compiling) == (True, 100, False, None)
    assert len(last.moves) == len(game["legal"])
    assert all(each.exact for each in last.moves)
    assert [each.value for each in last.moves] == sorted((each.value for each in last.moves), reverse=True)
    assert last.value_text == last.proved_text == f"{last.moves[0].value_text} discs"
    assert last.moves[0].line[0] == last.moves[0].move
    idle(served)


@PLAIN
def test_another_analysis_ends_the_one_before_and_a_halt_ends_it(page: Page, served: Served) -> None:
    game = page.new()
    first = page.send("analyse", id=game["id"], node=0)
    second = page.send("analyse", id=game["id"], node=0, moves=2)
    assert last_of(page, first)["of"] == first
    page.until(lambda message: message.get("of") == second and message["depth"] > 0)
    number = page.send("halt")
    assert last_of(page, second)["done"]
    assert page.until(lambda message: message.get("re") == number)["kind"] == "halted"
    assert page.ask("halt")["kind"] == "halted"
    idle(served)


@PLAIN
def test_a_connection_that_vanishes_has_no_search_any_more(served: Served) -> None:
    with served.page() as page:
        game = page.new()
        number = page.send("analyse", id=game["id"], node=0)
        page.until(lambda message: message.get("of") == number and message["depth"] > 0)
        assert served.lobby.services.searches.turns.under_way() == 1
        page.socket.socket.close()  # without a word
    idle(served)


@PLAIN
@pytest.mark.filterwarnings("ignore:overflow encountered")  # of a generator that means it, in the interpreter
def test_limits_schemes_and_algorithms_are_heeded_or_refused(page: Page) -> None:
    game = page.new(options={"size": 4})
    assert analysed(page, game, options={"depth": 2})["depth"] == 2
    minimax = analysed(page, game, options={"algorithm": "minimax", "depth": 2, "scheme": "fork-join", "workers": 3})
    assert (minimax["depth"], minimax["scheme"], len(minimax["workers"])) == (2, "fork-join", 3)
    assert analysed(page, game, options={"algorithm": "uct", "seconds": 1.0})["value_text"]
    several = analysed(page, game, options={"algorithm": "uct", "seconds": 0.1, "workers": 2})
    assert (several["scheme"], len(several["workers"])) == ("tree-parallel", 2)
    ask = {"id": game["id"], "node": 0}
    assert "unknown scheme" in page.refused("analyse", **ask, options={"scheme": "nothing"})
    assert "unknown algorithm" in page.refused("analyse", **ask, options={"algorithm": "nothing"})
    assert "does not support" in page.refused("analyse", **ask, options={"algorithm": "minimax", "scheme": "pv-split"})
    assert "proves nothing" in page.refused("analyse", **ask, options={"algorithm": "uct", "exact": True})
    while game["legal"]:
        game = page.play(game, game["legal"][0]["move"])
    assert "over" in page.refused("analyse", id=game["id"], node=game["node"])
    assert "over" in page.refused("compare", id=game["id"], node=game["node"], options={})


@PLAIN
def test_there_are_so_many_searches_and_no_more(tmp_path: Path) -> None:
    with serving(tmp_path, most_searches=1) as served, served.page() as page, served.page() as other:
        game = page.new()
        number = page.send("analyse", id=game["id"], node=0)
        page.until(lambda message: message.get("of") == number and message["depth"] > 0)
        assert "no more at a time" in other.refused("analyse", id=game["id"], node=0)
        assert "no more at a time" in other.refused("review", id=page.play(game, "f5")["id"])
        page.ask("halt")
        assert "unknown scheme" in other.refused("analyse", id=game["id"], node=0, options={"scheme": "nothing"})
        assert analysed(other, game, options={"depth": 1})["depth"] == 1


@PLAIN
def test_on_one_core_a_long_iteration_is_told_of_too(tmp_path: Path) -> None:
    with serving(tmp_path, workers=1) as served, served.page() as page:
        game = page.new()
        number = page.send("analyse", id=game["id"], node=0)
        heard = page.until(
            lambda message: message.get("of") == number and message["workers"] and message["workers"][0]["move"]
        )
        assert heard["workers"][0]["busy"]
        assert heard["at_depth"] == heard["depth"] + 1
        assert heard["workers"][0]["move"] in [each["move"] for each in game["legal"]]
        page.ask("halt")


@PLAIN
def test_the_split_points_of_a_search_are_told_to_who_asks_for_them(page: Page) -> None:
    game = page.new()
    options = {"scheme": "ybw", "workers": 3}
    number = page.send("analyse", id=game["id"], node=0, tree=True, options=options)
    message = page.until(lambda message: message.get("of") == number and len(message["tree"]) > 1)
    tree = msgspec.convert(message["tree"], tuple[server_messages.LiveNode, ...])
    assert tree[0].parent is None
    assert all(node.parent is not None and node.move for node in tree[1:])
    assert message["workers"][0]["busy_seconds"] >= 0
    page.ask("halt")
    number = page.send("analyse", id=game["id"], node=0, options=options)
    assert page.until(lambda message: message.get("of") == number and message["workers"])["tree"] == []
    page.ask("halt")


@PLAIN
def test_a_small_search_is_recorded_node_by_node(page: Page) -> None:
    game = page.new(options={"size": 4})
    answer = page.ask("steps", id=game["id"], node=0, depth=2)
    assert (answer["form"], answer["file"]) == ("steps", "steps-alphabeta-2.json")
    document = decoded(RecordedSearchDocument, answer["text"].encode())
    assert (document.algorithm, document.depth, document.nodes[0].depth) == ("alphabeta", 2, 2)
    assert "depth" in page.refused("steps", id=game["id"], node=0, depth=7)


@PLAIN
def test_two_connections_both_hear_of_their_searches(page: Page, served: Served) -> None:
    with served.page() as other:
        game = page.new()
        numbers = {each: each.send("analyse", id=game["id"], node=0) for each in (page, other)}
        for each, number in numbers.items():
            found = each.until(lambda message, number=number: message.get("of") == number and message["depth"] > 1)
            assert len(found["workers"]) <= 2
        for each in numbers:
            each.ask("halt")
    idle(served)


@PLAIN
def test_a_comparison_says_what_a_scheme_gains(page: Page) -> None:
    game = page.new(options={"size": 4})
    number = page.send("compare", id=game["id"], node=0, options={"depth": 4, "scheme": "ybw", "workers": 2})
    last = msgspec.convert(last_of(page, number), server_messages.Compared)
    assert (last.stage, last.depth, last.scheme, last.workers, last.same) == ("done", 4, "ybw", 2, True)
    assert last.speed_up is not None
    assert last.efficiency == pytest.approx(last.speed_up / 2)
    assert min(last.alone_nodes, last.together_nodes) > 0
    assert "no depth" in page.refused("compare", id=game["id"], node=0, options={"algorithm": "flat"})


@PLAIN
@pytest.mark.slow(2)
def test_a_review_is_written_into_the_game_and_kept(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.page() as page:
        game = page.ask("new", text="b1 a1 a2 c1 d1", game="othello", options={"size": 4})
        last = last_of(page, page.send("review", id=game["id"], seconds=0.05))
        assert last["ply"] == last["plies"] == 5
        judged = page.ask("open", id=game["id"])["nodes"]
        assert [each["value"] is not None for each in judged if "value" in each]
        assert {"value", "loss"} <= set(judged[1])
        worst = max(judged[1:], key=lambda each: each.get("loss", 0.0))
        assert worst["mark"] in ("?!", "?", "??")
        assert worst["best"]
        assert "no move" in page.refused("review", id=page.new()["id"])
    with serving(tmp_path) as served, served.page() as page:
        assert page.ask("open", id=game["id"])["nodes"] == judged


@PLAIN
@pytest.mark.slow(2)
def test_the_turning_points_of_a_review_are_kept_until_their_moves_leave_the_main_line(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.page() as page:
        game = page.ask("new", text="a2a3a4c1d1a1d3d4c4d2b1b4", game="othello", options={"size": 4})
        assert game["story"] == []
        last_of(page, page.send("review", id=game["id"], seconds=0.05))
    with serving(tmp_path) as served, served.page() as page:
        game = page.ask("open", id=game["id"])
        assert [point["node"] for point in game["story"]] == [2, 7, 8, 9, 10]
        assert "the game turned at 1… a3, " in game["story"][0]["text"]
        page.ask("go", id=game["id"], node=8)
        move = next(each["move"] for each in page.ask("open", id=game["id"])["legal"] if each["move"] != "c4")
        branched = page.ask("play", id=game["id"], node=8, move=move)
        assert len(branched["story"]) == 5
        promoted = page.ask("promote", id=game["id"], node=branched["node"])
        assert [point["node"] for point in promoted["story"]] == [2, 7, 8]
        assert [point["node"] for point in page.ask("prune", id=game["id"], node=7)["story"]] == [2]
        page.send("review", id=game["id"], seconds=5)
        page.until(lambda message: message["kind"] == "game" and not message["story"])  # a new review begins


# --- the laboratory ---


@PLAIN
def test_an_experiment_is_run_and_its_report_is_served(page: Page, served: Served) -> None:
    found = msgspec.convert(page.ask("lab"), server_messages.Laboratory)
    depths = next(each for each in found.experiments if each.name == "depths")
    assert next(each for each in depths.parameters if each.name == "rounds").usual
    assert not any(each.usual.startswith(("local:", "ray:")) for kind in found.experiments for each in kind.parameters)
    assert (found.running, found.progress) == ("", None)
    grouped = [name for group in found.groups for name in group.experiments]
    assert sorted(grouped) == sorted(each.name for each in found.experiments)
    parameters = {"depths": "1", "rounds": "1"}
    with served.page() as other:
        listening = other.ask("lab")["re"]
        number = page.send("run", experiment="depths", parameters={**parameters, "minimax_depth": " "})
        last = last_of(page, number)
        assert last_of(other, listening) == {**last, "of": listening}
    assert (last["failed"], last["part"]) == ("", 1.0)
    answer = served.get(last["report"]["address"])
    assert answer.status == 200
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert b"<html" in answer.body
    assert [each["id"] for each in page.ask("lab")["reports"]] == [last["report"]["id"]]
    assert last["report"]["settings"] == parameters
    if sys.platform != "win32":
        folder = served.lobby.services.laboratory.folder / last["report"]["id"]
        assert folder.stat().st_mode & 0o077 == 0  # it may hold positions that visitors have sent


@PLAIN
def test_forms_know_the_kinds_of_parameters(page: Page) -> None:
    found = msgspec.convert(page.ask("lab"), server_messages.Laboratory)
    fields = {(kind.name, each.name): each for kind in found.experiments for each in kind.parameters}
    scheme, schemes = fields["profile", "scheme"], fields["two-schemes", "schemes"]
    assert (scheme.field, schemes.field, schemes.usual) == ("choice", "choices", "ybw,jamboree")
    assert {"ybw", "jamboree"} <= {*scheme.choices} == {*schemes.choices}
    assert fields["scaling", "share_alpha"].choices == ("yes", "no")
    assert fields["scaling", "share_alpha"].title == "Root moves share alpha"
    workers = fields["profile", "workers"]
    assert (workers.field, workers.least, workers.most, workers.title) == ("number", 1, 64, "Workers")
    assert fields["scaling", "workers"].field == "text"
    for each in fields.values():
        usual = each.usual.split(",") if each.field == "choices" else [each.usual]
        assert not each.choices or {*usual, ""} <= {*each.choices, ""}, each


@PLAIN
def test_the_report_of_an_experiment_quotes_what_a_visitor_sent(page: Page, served: Served) -> None:
    sent = '[Black "$(touch X) `touch Y` \'; touch Z"] f5d6'
    asked = {"positions": sent, "depth": "1", "granularities": "1", "rounds": "1", "workers": "1"}
    last = last_of(page, page.send("run", experiment="granularity", parameters=asked))
    assert last["failed"] == ""
    text = served.get(last["report"]["address"]).body.decode()
    (command,) = re.findall("<code>(outflank lab .*?)</code>", text, re.DOTALL)
    words = shlex.split(html.unescape(command))
    assert words[words.index("--positions") + 1] == sent


@PLAIN
def test_who_comes_to_a_run_under_way_is_told_how_far_it_is(
    page: Page, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    going, on = threading.Event(), threading.Event()

    def measured(name: str, given: Any, chosen: Any, progress: Callable[[RunProgress], None], stop: Stop) -> None:
        progress(RunProgress(done=0.5, task="half of it", seconds_left=None))
        going.set()
        assert on.wait(60)

    monkeypatch.setattr(served.lobby.services.laboratory, "_measure", measured)
    number = page.send("run", experiment="depths")
    assert going.wait(60)
    with served.page() as other:
        found = msgspec.convert(other.ask("lab"), server_messages.Laboratory)
        assert found.running == "depths"
        assert found.progress is not None
        assert (found.progress.of, found.progress.part, found.progress.task) == (found.re, 0.5, "half of it")
        game = other.new(options={"size": 4}, seats={"black": "random"})
        assert other.until(lambda message: message["kind"] == "game")["node"] == 1  # a computer moves meanwhile
        assert "depths is running" in other.refused("compare", id=game["id"], node=0, options={"depth": 1})
        on.set()
        assert last_of(other, found.re)["part"] == 0.5
    assert last_of(page, number)["done"]


@PLAIN
def test_runs_that_cannot_be_are_refused(page: Page) -> None:
    assert "unknown experiment" in page.refused("run", experiment="../../nothing")
    assert "unknown parameter" in page.refused("run", experiment="depths", parameters={"nothing": "1"})
    assert "not a positive number" in page.refused("run", experiment="depths", parameters={"depths": "x"})
    assert "inside:2" in page.refused("run", experiment="scaling", parameters={"cluster": "local:2"})
    assert "no files" in page.refused("run", experiment="scaling", parameters={"evaluation": "patterns:/etc/passwd"})
    assert "at most" in page.refused("run", experiment="scaling", parameters={"workers": "1000"})
    for name, boards in (("storage", "5000000"), ("hash", "16,60")):
        assert "at most" in page.refused("run", experiment=name, parameters={"boards": boards})
    assert "at most" in page.refused("run", experiment="simulate", parameters={"nodes": "2000000"})
    assert page.ask("cancel")["kind"] == "halted"
