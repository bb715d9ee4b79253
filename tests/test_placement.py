"""Where workers run: topologies as Linux tells them, places for workers, and bindings that end with the search."""

import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from outflank import OthelloBoard, placement
from outflank.errors import InvalidOption
from outflank.kernels.memory import address_of
from outflank.kernels.workers import run_workers
from outflank.placement import can_bind, interleave, pinned, topology, worker_processors
from outflank.search.request import Limits
from outflank.search.table import Table
from outflank.search.whole_search import iterate, search
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only

binding = pytest.mark.skipif(not can_bind(), reason="this system binds no thread to a processor")


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return ended.value.code, capsys.readouterr()

    return call


@pytest.fixture
def two_nodes(tmp_path: Path) -> Path:
    """Two memory nodes of two cores, each of which is two processors: 0 and 4 are one core, 1 and 5, …"""
    for number in range(8):
        core = tmp_path / "cpu" / f"cpu{number}" / "topology"
        core.mkdir(parents=True)
        (core / "physical_package_id").write_text(f"{number % 4 // 2}\n")
        (core / "core_id").write_text(f"{number % 4}\n")
    for index, kind, size in ((0, "Data", "32K"), (1, "Instruction", "64M"), (3, "Unified", "16384K")):
        cache = tmp_path / "cpu" / "cpu0" / "cache" / f"index{index}"
        cache.mkdir(parents=True)
        (cache / "type").write_text(kind)
        (cache / "size").write_text(size)
    for node, listed in ((0, "0-1,4-5"), (1, "2-3,6-7")):
        path = tmp_path / "node" / f"node{node}"
        path.mkdir(parents=True)
        (path / "cpulist").write_text(f"{listed}\n")
        (path / "meminfo").write_text(f"Node {node} MemTotal:       1024 kB\n")
    return tmp_path


def test_a_machine_of_two_nodes_is_read(two_nodes):
    built = topology(two_nodes, set(range(8)))
    assert [(node.number, node.processors, node.memory_bytes) for node in built.nodes] == [
        (0, (0, 1, 4, 5), 1 << 20),
        (1, (2, 3, 6, 7), 1 << 20),
    ]
    assert (built.cores, built.last_cache_bytes) == (4, 16384 << 10)
    assert str(built) == "8 processors on 4 cores, 2 memory nodes (0: 0-1,4-5, 1: 2-3,6-7), 16 MiB of cache shared"


def test_what_a_process_may_not_use_is_not_there(two_nodes):
    built = topology(two_nodes, {1, 2})
    assert [node.processors for node in built.nodes] == [(1,), (2,)]
    assert built.cores == 2


def test_where_nobody_tells_there_is_one_node(tmp_path):
    built = topology(tmp_path, {0, 3})
    assert str(built) == "2 processors, one memory node"
    assert [(each.number, each.node) for each in built.processors] == [(0, 0), (3, 0)]


def test_this_machine_has_a_processor_and_a_node():
    built = topology()
    assert built.processors
    assert built.nodes


@binding
def test_compact_fills_cores_and_nodes_and_spread_goes_round(two_nodes):
    built = topology(two_nodes, set(range(8)))
    assert worker_processors("none", built) == ()
    assert worker_processors("compact", built) == (0, 4, 1, 5, 2, 6, 3, 7)
    assert worker_processors("spread", built) == (0, 2, 1, 3, 4, 6, 5, 7)
    assert worker_processors((6, 0), built) == (6, 0)


@binding
@pytest.mark.parametrize("pin", [(), (8,), (0, 99)])
def test_a_processor_that_is_not_ours_is_refused(two_nodes, pin):
    with pytest.raises(InvalidOption, match=r"pin to .*: this process may run on 0-7"):
        worker_processors(pin, topology(two_nodes, set(range(8))))


@binding
def test_an_unknown_processor_is_refused_before_anything_is_searched():
    with pytest.raises(InvalidOption, match="pin to 4096: this process may run on"):
        iterate(OthelloBoard.start(4), Limits(depth=1), pin=(4096,))


def test_where_threads_cannot_be_bound_nobody_is(two_nodes, monkeypatch):
    monkeypatch.setattr(placement, "can_bind", lambda: False)
    assert worker_processors("compact", topology(two_nodes, set(range(8)))) == ()


@binding
def test_a_thread_is_bound_for_as_long_as_it_works():
    before = os.sched_getaffinity(0)
    last = max(before)

    def fail():
        with pinned((last,), 5):
            assert os.sched_getaffinity(0) == {last}
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert os.sched_getaffinity(0) == before


@binding
def test_workers_are_bound_in_turn():
    allowed = tuple(sorted(os.sched_getaffinity(0)))
    seen = run_workers(lambda: os.sched_getaffinity(0), [()] * 5, stop=lambda: None, places=allowed)
    assert seen == [{allowed[worker % len(allowed)]} for worker in range(5)]


@binding
@pytest.mark.parametrize("parallel", [None, "ybw", "shared-table", "fork-join"])
def test_every_worker_is_bound_and_the_callers_thread_never_between_iterations(parallel, monkeypatch):
    before, seen = os.sched_getaffinity(0), []
    bind = placement.bind

    def noted(processors):
        processors = list(processors)
        seen.append((threading.get_ident(), processors))
        bind(processors)

    monkeypatch.setattr(placement, "bind", noted)
    how = {"algorithm": "minimax" if parallel == "fork-join" else "pvs", "evaluation": "discs", "pin": "compact"}
    workers = 1 if parallel is None else 3
    for _ in iterate(OthelloBoard.start(4), Limits(depth=3), parallel=parallel, workers=workers, **how):
        assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(0) == before
    order = worker_processors("compact")
    assert {processors[0] for _, processors in seen if len(processors) == 1} == {
        order[worker % len(order)] for worker in range(workers)
    }
    assert len({thread for thread, _ in seen}) >= workers


@binding
@pytest.mark.filterwarnings("ignore:overflow")  # words go round in the compiler, without a word
@pytest.mark.parametrize("algorithm", ["flat", "uct"])
@pytest.mark.parametrize("parallel", [None, "root-parallel"])
def test_monte_carlo_is_bound_too(algorithm, parallel, monkeypatch):
    bindings = []
    monkeypatch.setattr(placement, "bind", lambda processors: bindings.append(set(processors)))
    search(OthelloBoard.start(4), Limits(nodes=50), algorithm=algorithm, parallel=parallel, workers=1, pin="spread")
    assert {worker_processors("spread")[0]} in bindings


def test_a_table_that_is_dealt_to_all_nodes_works_as_any_other():
    table = Table(10, interleave=True)
    assert not table.words.any()
    board, how = OthelloBoard.start(4), {"evaluation": "discs", "workers": 1}
    dealt = search(board, Limits(depth=4), interleave=True, table_bits=10, **how)
    assert dealt.value == search(board, Limits(depth=4), table_bits=10, **how).value
    memory = np.zeros(1 << 16, np.uint64)
    assert interleave(address_of(memory), memory.nbytes) in (True, False)  # a container may forbid it
    assert not interleave(address_of(memory), 1)  # less than a page
    assert not interleave(address_of(memory), memory.nbytes, ())


# --- on the command line ---

EXPECTED = "expected none, compact, spread, or processors by number, like 0+2"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("scattered", f"pin=scattered: {EXPECTED}"),
        ("0,x", f"pin=0+x: {EXPECTED}"),
        pytest.param("4096", "pin to 4096: this process may run on ", marks=binding),
    ],
)
def test_the_command_line_says_what_a_place_can_be(run, words, says):
    status, told = run("search", "--size", "4", "--depth", "1", "--pin", words)
    assert (status, told.err[: len(f"outflank: {says}")]) == (2, f"outflank: {says}")


def test_what_will_not_help_is_told(run, monkeypatch):
    from outflank.ui.cli.searching import search_command as command

    monkeypatch.setattr(command, "can_bind", lambda: False)
    monkeypatch.setattr(command, "topology", lambda: topology(Path("nowhere"), {0}))
    how = ("--workers", "1", "--evaluation", "discs", "--pin", "compact", "--interleave")
    status, told = run("search", "--size", "4", "--depth", "1", *how)
    assert status == 0
    assert "warning: --pin does nothing here: this system does not bind threads to processors" in told.err
    assert "warning: --interleave does nothing here: this machine has one memory node" in told.err


def test_the_doctor_tells_processors_and_memory_nodes(run):
    facts = json.loads(run("doctor", "--json")[1].out)
    built = topology()
    assert (facts["processors"], facts["memory_nodes"]) == (str(built), len(built.nodes))
