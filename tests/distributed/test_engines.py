"""Engines of clusters: one table, in which those of one's own are found too, and the smallest that starts processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType, SimpleNamespace

import pytest

from outflank import AbaloneBoard, Limits, OthelloBoard, plugins, user_modules
from outflank.distributed import connect
from outflank.distributed.cluster import nodes_here, open_tasks
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.engines import (
    ENGINES,
    Address,
    ClusterEngine,
    address_forms,
    parse_address,
    register_engine,
)
from outflank.distributed.engines.contract import nodes_of_this_machine
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.engines.on_mpi import mailbox
from outflank.distributed.head import Tuning
from outflank.distributed.tasks.carrier import ThreadTasks
from outflank.errors import InvalidOption, OutflankError
from outflank.plugins import Source
from outflank.search.request import Stop
from outflank.search.whole_search import search
from outflank.ui.cli import main
from outflank.user_modules import pickle_for_nodes
from tests.clusters import ALL_WELL, children, gone, search_own_game
from tests.foreground import HEEDING

AT_ONCE = Tuning(alone_seconds=0.0)


# --- the table ---


class Planted(ClusterEngine):
    """Threads, as `inside` has them, by another name."""

    forms = MappingProxyType({"planted": ("planted:N", "of a test")})

    def parse(self, scheme: str, rest: str | None) -> Address | None:
        return nodes_of_this_machine(scheme, rest)

    def connect(self, address: Address, workers: int | None) -> InsideFabric:
        fabric = InsideFabric(address.nodes or 1)
        fabric.name = "planted"
        return fabric

    def task_carrier(self, address, make, per_node):
        return ThreadTasks(make, nodes=address.nodes or 1, per_node=per_node)


class Squares:
    def do(self, item: dict, stop: Stop) -> dict | None:
        if item["number"] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"square": item["number"] ** 2, "process": os.getpid()}

    def close(self) -> None:
        pass


@pytest.fixture
def planted(monkeypatch):
    monkeypatch.setattr(ENGINES, "_registered", dict(ENGINES._registered))
    monkeypatch.setattr(ENGINES, "_loaded", dict(ENGINES._loaded))
    register_engine("planted", Planted())


def test_an_engine_of_ones_own_carries_searches_and_tasks(planted, capsys):
    board = OthelloBoard.start(6)
    with connect("planted:2", tuning=AT_ONCE) as cluster:
        found = cluster.search(board, Limits(depth=5), workers=1, threshold=3)
        statistics = cluster_statistics(cluster.head)
    assert (found.value, found.move) == (search(board, Limits(depth=5), workers=1).value, found.move)
    assert (statistics.engine, len(statistics.nodes)) == ("planted", 2)
    assert statistics.total("jobs") > 0
    with open_tasks("planted:3", Squares) as tasks:
        tasks.start()
        assert tasks.do({"number": 7})["square"] == 49
    assert nodes_here("planted:3") == 3
    with pytest.raises(SystemExit) as ended:
        main(["search", "--size", "6", "--depth", "3", "--cluster", "planted:2", "--workers", "1"])
    assert ended.value.code == 0
    assert "2 nodes on planted" in capsys.readouterr().out


@pytest.mark.interpreted_only
def test_the_table_says_what_there_is(planted):
    assert address_forms() == "local:N, futures:N, inside:N, ray://HOST:PORT or mpi"
    with pytest.raises(OutflankError, match=r"'planted:x' is no cluster: .* or planted:N \(of a test\)$"):
        parse_address("planted:x")
    with pytest.raises(OutflankError, match=r"'planted:257': a cluster on one machine has 1 to 256 nodes"):
        parse_address("planted:257")


@pytest.mark.interpreted_only
def test_a_scheme_belongs_to_one_engine(planted):
    with pytest.raises(InvalidOption, match=r"'mpi' is outflank\.distributed\.engines\.on_mpi\.mpi_engine"):
        register_engine("mpi", type("Mpi", (Planted,), {"forms": {"mpi": ("mpi", "mine")}})())
    with pytest.raises(InvalidOption, match="how other is written"):
        register_engine("other", Planted())


@pytest.mark.interpreted_only
def test_an_engine_that_cannot_be_loaded_is_one_line_and_harms_no_other(monkeypatch):
    broken = ("broken", Source(place="no_such_module:Engine", package="somebody 1.0"))
    monkeypatch.setattr(plugins, "_entry_points", lambda group: [broken] if group == "outflank.engines" else [])
    with pytest.raises(InvalidOption, match=r"'broken' of somebody 1\.0 .*no_such_module"):
        parse_address("broken:2")
    assert parse_address("inside:2").nodes == 2
    with pytest.warns(RuntimeWarning, match="no_such_module"), pytest.raises(OutflankError, match="is no cluster"):
        parse_address("nonsense:2")


@pytest.mark.interpreted_only
def test_the_command_lists_engines(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["cluster", "engines"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for form in ("local:N", "futures:N", "inside:N", "ray://HOST:PORT", "mpi"):
        assert form in shown


# --- processes on this machine ---


# Once is enough: compiled, it would spend its time loading kernels three times.
@pytest.mark.interpreted_only
@pytest.mark.slow(8)
def test_processes_find_the_values_of_one_worker():
    with connect("futures:2", tuning=AT_ONCE) as cluster:
        for board, depth, policy in (
            (OthelloBoard.start(6), 4, "async:depth=2,batch=5"),
            (OthelloBoard.start(6), 4, "batch:batch=1"),
            (AbaloneBoard.start(), 3, "none"),
        ):
            found = cluster.search(board, Limits(depth=depth), workers=1, threshold=depth - 2, replication=policy)
            alone = search(board, Limits(depth=depth), workers=1)
            assert (found.value, found.move, found.depth) == (alone.value, alone.move, alone.depth)
            done = cluster_statistics(cluster.head)
            assert [node.lost for node in done.nodes] == [None, None]
            assert done.total("jobs") > 0
            if policy == "batch:batch=1":  # which waits for every entry
                assert done.total("entries_received") == done.total("entries_sent") > 0
        started = [process.pid for process in multiprocessing.active_children()]
        lost = int(done.nodes[0].where.rpartition(":")[2])
        os.kill(lost, signal.SIGTERM)
        board = OthelloBoard.start(6)
        found = cluster.search(board, Limits(depth=5), workers=1, threshold=2)
        assert found.value == search(board, Limits(depth=5), workers=1).value
        for process in multiprocessing.active_children():
            process.terminate()
        with pytest.raises(OutflankError, match=r"^all processes of the cluster have died$"):
            cluster.search(board, Limits(depth=5), workers=1, threshold=2)
    assert lost in started
    assert gone(started)


@pytest.mark.interpreted_only
def test_processes_do_tasks_and_a_dead_one_loses_only_work():
    with open_tasks("futures:2", Squares, per_node=2) as tasks, ThreadPoolExecutor(4) as pool:
        tasks.start()
        found = list(pool.map(lambda number: tasks.do({"number": number}), range(40)))
        assert [each["square"] for each in found] == [number**2 for number in range(40)]
        assert os.getpid() not in {each["process"] for each in found}
        started = [process.pid for process in multiprocessing.active_children()]
        with pytest.raises(OutflankError, match=r"^all processes of the cluster have died$"):
            tasks.do({"number": -1})
    assert gone(started)


class Unable:
    def __init__(self) -> None:
        raise OutflankError("no such engine")


@pytest.mark.interpreted_only
def test_processes_that_cannot_work_say_why():
    with open_tasks("futures:1", Unable) as tasks, pytest.raises(OutflankError, match=r"process \d+: no such engine$"):
        tasks.start()
    with open_tasks("futures:1", lambda: None) as tasks, pytest.raises(OutflankError, match="pickle"):
        tasks.start()


@pytest.mark.interpreted_only
@pytest.mark.slow(9)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc for processes")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_processes_end_with_whoever_started_them(how):
    command = [sys.executable, "-c", HEEDING, "search", "--size", "6", "--cluster", "futures:2", "--time", "100"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment
    ) as process:
        while len(started := children(process.pid)) < 3:  # one that counts what they share, and two nodes
            assert process.poll() is None
            time.sleep(0.05)
        if how == signal.SIGINT:
            os.killpg(process.pid, how)  # as a terminal does it: to all that were started there
        else:
            process.kill()
        _, err = process.communicate(timeout=60)
    assert gone(started)
    if how == signal.SIGINT:
        assert (process.returncode, err.strip()) == (130, "outflank: interrupted")


# --- a game of one's own ---


@pytest.mark.interpreted_only
@pytest.mark.slow(8)
def test_processes_know_a_game_of_ones_own(tmp_path):
    program = search_own_game(tmp_path, "futures:2")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, timeout=120)
    assert (done.stdout, done.stderr) == (ALL_WELL, "")


@pytest.mark.interpreted_only
def test_what_travels_pickled_brings_the_modules_that_it_names(tmp_path, monkeypatch):
    monkeypatch.setattr(user_modules, "_imported", {})
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "travelling.py"
    path.write_text("class Thing:\n    size = 3\n")
    thing = user_modules.import_user_module(str(path)).Thing()
    pickled = pickle_for_nodes(thing)
    assert pickled.modules == (str(path),)
    del sys.modules["travelling"]
    sys.path.remove(str(tmp_path))
    assert pickled.load().size == 3
    del sys.modules["travelling"]
    path.unlink()
    with pytest.raises(OutflankError, match=r"travelling\.py: there is no such file"):
        pickled.load()
    with pytest.raises(OutflankError, match="cannot be sent to another process"):
        pickle_for_nodes(lambda: None)


@pytest.mark.parametrize(("launcher", "chosen"), [("OMPI_COMM_WORLD_SIZE", "openmpi"), ("PMI_SIZE", None)])
def test_the_library_of_mpi_is_that_of_the_launcher(monkeypatch, launcher, chosen):
    library = library_of(2)
    monkeypatch.setitem(sys.modules, "mpi4py", SimpleNamespace(MPI=library))
    monkeypatch.setattr(os, "environ", {launcher: "2"})
    assert mailbox.require_mpi() is library
    assert os.environ.get("MPI4PY_MPIABI") == chosen


def library_of(size: int) -> SimpleNamespace:
    """MPI, by which this process is one of so many ranks."""
    world = SimpleNamespace(Get_size=lambda: size)
    return SimpleNamespace(COMM_WORLD=world, Get_library_version=lambda: "Some MPI 5.0.2\nand more\0")


def test_the_library_of_another_launcher_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", SimpleNamespace(MPI=library_of(1)))
    monkeypatch.setattr(os, "environ", {"PMI_SIZE": "2", "PMI_RANK": "0"})
    with pytest.raises(OutflankError, match=r"2 ranks, of which Some MPI 5\.0\.2 sees one: use that"):
        mailbox.require_mpi()
    os.environ["PMI_RANK"] = "1"
    with pytest.raises(SystemExit, match="2"):
        mailbox.require_mpi()
    os.environ["PMI_SIZE"] = "1"
    assert mailbox.require_mpi().COMM_WORLD.Get_size() == 1
