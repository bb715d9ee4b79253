"""The search on MPI: values, the command, and what a rank's death leaves behind."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from outflank import Limits, OthelloBoard
from outflank.search.whole_search import search
from tests.clusters import ALL_WELL, children, gone, leaked, mpiexec, search_own_game
from tests.rank_recorder import report

pytest.importorskip("mpi4py")
pytestmark = pytest.mark.slow(3)
ROOT = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)


@pytest.mark.compiled
@pytest.mark.slow(12)
def test_values_on_one_two_and_four_ranks(tmp_path):
    before = leaked()
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            from outflank.distributed import connect
            from outflank.distributed.head import Tuning
            from tests.clusters import check_values

            with connect("mpi", tuning=Tuning(alone_seconds=0.0, patience_seconds=60.0)) as cluster:
                print(check_values(cluster, (1, 2, 4)), "searches")
            """
        )
    )
    record = tmp_path / "record"
    done = mpiexec(4, str(program), env=os.environ | {"PYTHONPATH": ROOT}, record=record)
    assert (done.stdout, done.returncode) == ("15 searches\n", 0), f"{done.stderr}\n{report(record)}"
    assert leaked(before) <= before


@pytest.mark.interpreted_only
def test_the_command_on_ranks_speaks_once():
    alone = search(OthelloBoard.start(6), Limits(depth=4), workers=1)
    command = ("search", "--size", "6", "--depth", "4", "--cluster", "mpi", "--workers", "1", "--json")
    done = mpiexec(2, "-m", "outflank", *command)
    assert done.returncode == 0, done.stderr
    *_, last = map(json.loads, done.stdout.splitlines())
    assert last["schema"] == "outflank/search/1"
    assert (last["value"], last["move"]) == (alone.value, str(alone.move))
    assert [node["node"] for node in last["cluster"]["nodes"]] == [0, 1]
    assert done.stdout.count('"outflank/search/1"') == 1


@pytest.mark.interpreted_only
def test_ranks_know_a_game_of_ones_own(tmp_path):
    done = mpiexec(2, search_own_game(tmp_path, "mpi"), env=os.environ | {"NUMBA_DISABLE_JIT": "1"})
    assert (done.stdout, done.stderr) == (ALL_WELL, "")


def interpreted(folder: Path, ranks: int, text: str) -> "subprocess.CompletedProcess[str]":
    """Run a program on so many ranks, without the compiler."""
    program = folder / "program.py"
    program.write_text(text)
    return mpiexec(ranks, str(program), env=os.environ | {"NUMBA_DISABLE_JIT": "1"})


STALLING = """
import atexit
import sys
import time

from outflank.distributed import connect
from outflank.distributed.engines.on_mpi import mailbox, mpi_search, serving_rank
from outflank.distributed.engines.on_mpi.mpi_messages import LeaveRanks

mailbox.LEAVING_SECONDS = mpi_search.LEAVING_SECONDS = 0.5


def stall(server, message, heed=serving_rank._Server._handle):
    if isinstance(message, LeaveRanks) and server._mailbox.rank == 1:
        time.sleep(600)
    heed(server, message)


serving_rank._Server._handle = stall
with connect("mpi"):
    atexit.register(print, "the last line")
    print("the result")
print("what follows")
"""


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("ending", "status"), [("", 0), ("sys.exit(3)", 3)])
def test_a_rank_that_stalls_after_the_result_takes_nothing_from_it(tmp_path, ending, status):
    done = interpreted(tmp_path, 3, STALLING + ending)
    assert done.stdout == "the result\nwhat follows\nthe last line\n"
    assert done.returncode == status
    assert "outflank: warning: rank 1 has not ended 0.5 s after the work was done: the program ends without it\n" in (
        done.stderr
    )


SENDING_LATE = """
import time

import numpy as np

from outflank.distributed import connect
from outflank.distributed.engines.on_mpi import mailbox, serving_rank
from outflank.distributed.engines.on_mpi.mpi_messages import LeaveRanks

mailbox.LEAVING_SECONDS = 3.0


def heed_late(server, message, heed=serving_rank._Server._handle):
    heed(server, message)
    if isinstance(message, LeaveRanks) and server._mailbox.rank == 2:
        time.sleep(0.5)  # rank 1 has left by now
        entries = np.zeros((1, mailbox.WORDS), np.uint64)
        server._mailbox._parcels.put(mailbox._Parcel(0, entries, wait=True))


def serve(server, serve=serving_rank._Server.serve):
    serve(server)
    if server._mailbox.rank == 2:
        print(len(server._mailbox._underway), "messages left behind")


serving_rank._Server._handle, serving_rank._Server.serve = heed_late, serve
with connect("mpi"):
    pass
"""


@pytest.mark.interpreted_only
def test_no_rank_leaves_while_another_sends(tmp_path):
    done = interpreted(tmp_path, 3, SENDING_LATE)
    assert (done.stdout, done.stderr, done.returncode) == ("0 messages left behind\n", "", 0)


NOT_LEAVING = """
from mpi4py import MPI

from outflank.distributed import connect


def finalize():
    raise MPI.Exception(MPI.ERR_OTHER)


if MPI.COMM_WORLD.Get_rank() == 1:
    MPI.Finalize = finalize
with connect("mpi"):
    pass
"""


@pytest.mark.interpreted_only
def test_a_rank_that_cannot_leave_says_so(tmp_path):
    done = interpreted(tmp_path, 2, NOT_LEAVING)
    assert done.returncode != 0
    assert "rank 1 could not leave MPI: Other MPI error" in done.stderr


FAILING = """
from outflank import Limits, OthelloBoard, OutflankError
from outflank.distributed import connect
from outflank.distributed.head import Tuning
from outflank.distributed.tds_node import TdsNode

boards = [OthelloBoard.start(6), OthelloBoard.start(4)]  # the first is searched by a rank that fails, then the other


def fail(node, open_, value_or_moves=TdsNode._value_or_moves):
    if node.number == (2 if node.setup.game == boards[0].game else 0):
        raise ValueError("something is wrong")
    return value_or_moves(node, open_)


TdsNode._value_or_moves = fail
with connect("mpi", tuning=Tuning(alone_seconds=0.0)) as cluster:
    for board in boards:
        try:
            result = cluster.search(board, Limits(depth=4), workers=1, threshold=1, parallel="tds")
            print(result.depth, cluster.head.trouble.partition(": ")[2])
        except OutflankError as error:
            print(error)
"""


@pytest.mark.interpreted_only
def test_an_error_in_a_rank_that_others_wait_for_ends_the_search(tmp_path):
    done = interpreted(tmp_path, 3, FAILING)
    lines = "rank 2: ValueError: something is wrong\n2 ValueError: something is wrong\n"
    assert (done.stdout, done.stderr, done.returncode) == (lines, "", 0)


@pytest.mark.interpreted_only
def test_bad_input_on_ranks_is_told_once():
    done = mpiexec(2, "-m", "outflank", "search", "--depth", "10", "--cluster", "mpi", "--replicate", "gossip")
    assert done.returncode != 0
    assert "unknown replication 'gossip'" in done.stderr


@pytest.mark.interpreted_only
def test_a_dead_rank_ends_the_run():
    before = leaked()
    launcher = Path(sys.executable).with_name("mpiexec")
    command = [str(launcher), "-n", "2", sys.executable, "-m", "outflank", "search", "--cluster", "mpi", "--json"]
    process = subprocess.Popen(
        [*command, "--workers", "1", "--size", "6", "--threshold", "2", "--depth", "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:  # until the nodes are at work
        if json.loads(line)["depth"] >= 3:
            break
    everybody = children(process.pid)
    ranks = [pid for pid in everybody if Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[2:3] == [b"outflank"]]
    assert len(ranks) == 2
    time.sleep(0.5)
    os.kill(max(ranks), signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "outflank: a rank has died, and the launcher has ended the others; the best so far: " in err, out
    assert gone(everybody)
    assert leaked(before) <= before
