"""Books that are built on a cluster: the same as those of one process, whatever happens to the nodes on the way."""

import itertools
import json
import os
import shutil
import signal
from functools import partial

import pytest

from outflank import OthelloBoard
from outflank.books import building
from outflank.books.book import Book
from outflank.books.building import BookPlan, PositionSearcher, Searchers, build, searcher_of
from outflank.distributed.cluster import open_tasks
from outflank.distributed.engines import parse_address
from outflank.distributed.engines.on_ray.ray_tasks import RayTasks
from outflank.distributed.tasks import TaskDispatcher
from outflank.distributed.tasks.carrier import NodeGone, NodeUnfit, ThreadTasks
from outflank.distributed.tasks.dispatcher import LEAST_CALLERS
from outflank.errors import OutflankError
from outflank.search.request import Stop
from outflank.ui.cli import main
from tests.distributed.test_cluster_tasks import eventually, on_ray, process_of

START = OthelloBoard.start()
PLANS = [BookPlan(plies=5, depth=3), BookPlan(plies=1, depth=3, positions=60)]
plans = pytest.mark.parametrize("plan", PLANS, ids=["plies", "positions"])
SEARCHER = searcher_of(START.game)


def alone(path, plan):
    """The bytes of the book that one worker of this process builds."""
    build(START, path, plan, stop=Stop(), workers=1)
    return path.read_bytes()


def on_two_nodes(path, plan, **more):
    with open_tasks("inside:2", SEARCHER, per_node=2) as tasks:
        return build(START, path, plan, stop=more.pop("stop", Stop()), tasks=tasks, **more)


@pytest.mark.interpreted_only
@plans
def test_a_build_on_a_cluster_is_stopped_and_resumed(tmp_path, made_up, plan):
    path, killed = tmp_path / "stopped.book", tmp_path / "killed.book"
    stop, calls = Stop(), itertools.count(1)

    def stop_early(done, known):
        if next(calls) == 15:
            shutil.copy(path, killed)  # what a kill would leave
            stop()

    part = on_two_nodes(path, plan, stop=stop, progress=stop_early)
    entries = Book.read(START.game, path).entries
    assert 5 < len(entries) == part.searched
    for rest in (path, killed):
        assert Book.read(START.game, rest).entries.keys() == entries.keys()
        shutil.copy(rest, tmp_path / "alone.book")
        assert on_two_nodes(rest, plan).searched > 0
        assert entries.keys() <= Book.read(START.game, rest).entries.keys()
        assert rest.read_bytes() == alone(tmp_path / "alone.book", plan)


class Dying(ThreadTasks):
    """Nodes of which some are lost with a task: those that get the tasks with these numbers."""

    def __init__(self, make, *, lost_with, **more):
        super().__init__(make, **more)
        self._lost_with, self._given = lost_with, 0

    def run(self, node, ticket, item):
        self._given += 1
        if self._given in self._lost_with:
            self._events.put(NodeGone(node, "killed"))
        else:
            super().run(node, ticket, item)


@pytest.mark.interpreted_only
@plans
def test_positions_of_a_lost_node_are_searched_by_others(tmp_path, made_up, plan):
    with TaskDispatcher(Dying(SEARCHER, nodes=3, per_node=2, lost_with={1, 9})) as tasks:
        tasks.start()
        eventually(lambda: tasks.lanes == 6)
        built = build(START, tmp_path / "cluster.book", plan, stop=Stop(), tasks=tasks)
        assert tasks.lanes == 2
    whole = alone(tmp_path / "alone.book", plan)
    assert built.searched == whole.count(b"\n")
    assert (tmp_path / "cluster.book").read_bytes() == whole


@pytest.mark.interpreted_only
def test_a_build_that_loses_all_nodes_is_resumed(tmp_path, made_up, monkeypatch):
    monkeypatch.setattr("outflank.distributed.tasks.dispatcher.ALONE_SECONDS", 0.05)
    path, plan = tmp_path / "cluster.book", PLANS[0]
    with (
        TaskDispatcher(Dying(SEARCHER, lost_with={9})) as tasks,
        pytest.raises(OutflankError, match=r"^no node of the cluster for 0 s: killed$"),
    ):
        build(START, path, plan, stop=Stop(), tasks=tasks)
    assert len(Book.read(START.game, path).entries) == 8
    on_two_nodes(path, plan)
    assert path.read_bytes() == alone(tmp_path / "alone.book", plan)


class Failing(PositionSearcher):
    """A searcher that fails once, at the tenth position of all its processes' searchers."""

    left = 10

    def do(self, item, stop):
        Failing.left -= 1
        if Failing.left == 0:
            raise MemoryError("no room\nfor a table")
        return super().do(item, stop)


@pytest.mark.interpreted_only
def test_a_search_that_fails_ends_the_build_and_loses_nothing(tmp_path, made_up, monkeypatch):
    monkeypatch.setattr(Failing, "left", 10)
    path, plan = tmp_path / "cluster.book", PLANS[0]
    with (
        open_tasks("inside:1", partial(Failing, START.game, {})) as tasks,
        pytest.raises(OutflankError, match=r"^MemoryError: no room for a table$"),
    ):
        build(START, path, plan, stop=Stop(), tasks=tasks)
    assert len(Book.read(START.game, path).entries) > 0
    on_two_nodes(path, plan)
    assert path.read_bytes() == alone(tmp_path / "alone.book", plan)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("lanes", "asked"), [(4, LEAST_CALLERS), (100, 200)])
def test_a_cluster_is_asked_for_as_many_positions_as_keep_it_busy(made_up, monkeypatch, lanes, asked):
    counts = []

    class Counting(building.ThreadPoolExecutor):
        def __init__(self, count):
            counts.append(count)
            super().__init__(count)

    monkeypatch.setattr(building, "ThreadPoolExecutor", Counting)
    with TaskDispatcher(ThreadTasks(SEARCHER, per_node=lanes)) as tasks:
        tasks.start()
        request = building.SearchRequest(building.key_of(START), 1, 1)
        assert len(list(Searchers(tasks).results([request] * 300, Stop()))) == 300
    assert counts == [asked]


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    out, err = capsys.readouterr()
    return left.value.code, out, err


@pytest.mark.interpreted_only
def test_the_command_builds_and_learns_on_a_cluster(tmp_path, made_up, capsys):
    games = tmp_path / "games.txt"
    games.write_text("c4e3f6e6f5\nc4e3f5e6f6\n")
    for name, where in (("alone", ("--workers", 1)), ("cluster", ("--cluster", "inside:2", "--workers", 2))):
        for command in (("build", "--plies", 4), ("learn", games)):
            out = ("--out", tmp_path / f"{name}.book", "--depth", 3)
            status, text, err = run(capsys, "book", *command, *out, *where, "--json")
            assert (status, err) == (0, "")
            assert json.loads(text)["searched"] > 0
    assert (tmp_path / "alone.book").read_bytes() == (tmp_path / "cluster.book").read_bytes()


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("nowhere", "'nowhere' is no cluster"),
        ("local:0", "'local:0': a cluster on one machine has 1 to 256 nodes"),
        ("inside:", "'inside:' is no cluster"),
    ],
)
def test_what_is_no_cluster_is_one_line(tmp_path, capsys, where, line):
    status, out, err = run(capsys, "book", "build", "--out", tmp_path / "a.book", "--cluster", where)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert line in err
    assert not list(tmp_path.iterdir())


class Picky(ThreadTasks):
    """Nodes of which the first cannot do the work."""

    def open(self, events):
        super().open(events)
        events.put(NodeUnfit(9, "elsewhere, process 1: another version"))


@pytest.mark.interpreted_only
def test_a_node_that_cannot_search_is_named(tmp_path, made_up, monkeypatch, capsys):
    monkeypatch.setattr(
        "outflank.ui.cli.books.build_commands.open_tasks",
        lambda where, make, per_node: TaskDispatcher(Picky(make, per_node=per_node)),
    )
    command = ("book", "build", "--plies", 2, "--depth", 2, "--out", tmp_path / "a.book", "--cluster", "inside:1")
    status, _, err = run(capsys, *command)
    assert (status, err) == (0, "outflank: warning: searched nothing: elsewhere, process 1: another version\n")


@on_ray
@pytest.mark.interpreted_only
@pytest.mark.slow(9)
def test_a_build_on_ray_outlives_a_node(tmp_path):
    plan = BookPlan(plies=3, depth=2)
    killed = []

    def kill_one(done, known):
        if not killed and done >= 3 and len(tasks.nodes) == 2:
            killed.append(process_of(tasks.nodes[0]))
            os.kill(killed[0], signal.SIGKILL)

    with TaskDispatcher(RayTasks(parse_address("local:2"), SEARCHER, 1)) as tasks:
        tasks.start()
        eventually(lambda: tasks.lanes == 2)
        build(START, tmp_path / "cluster.book", plan, stop=Stop(), tasks=tasks, progress=kill_one)
    assert killed
    assert (tmp_path / "cluster.book").read_bytes() == alone(tmp_path / "alone.book", plan)
