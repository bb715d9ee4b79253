"""The way into a cluster: which one it is, what is said meanwhile, and how it is given up."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from unittest.mock import MagicMock, call

import pytest

from outflank.distributed.engines.on_ray import ray_connection
from outflank.distributed.engines.on_ray.membership import Member
from outflank.distributed.exiting import status_after
from outflank.distributed.launchers import refuse_copies
from outflank.distributed.mpi_ranks import RANKS
from outflank.errors import OutflankError, notify
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only


# --- launchers of MPI ---


@pytest.mark.parametrize("size", RANKS)
@pytest.mark.parametrize(
    "arguments", [["search"], ["search", "--cluster", "local:2"], ["match", "random", "random"], ["lab", "branching"]]
)
def test_ranks_of_mpi_do_not_all_do_the_same(size, arguments, monkeypatch, capsys):
    monkeypatch.setenv(size, "4")
    for rank, said in (
        ("0", "outflank: 4 ranks of MPI would each do the same work: share it with --cluster mpi\n"),
        ("3", ""),
    ):
        monkeypatch.setenv(RANKS[size], rank)
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert (ended.value.code, *capsys.readouterr()) == (2, "", said)


def test_one_rank_and_ranks_that_share_are_let_through(monkeypatch):
    monkeypatch.setenv("PMI_SIZE", "1")
    refuse_copies(None)
    monkeypatch.setenv("PMI_SIZE", "4")
    refuse_copies("mpi")
    with pytest.raises(OutflankError):
        refuse_copies("local:2")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, 0),
        (SystemExit(), 0),
        (SystemExit(3), 3),
        (SystemExit(True), 1),
        (SystemExit("no"), 1),
        (ValueError(), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_the_status_of_a_program_that_ends_without_some_ranks(error, status):
    assert status_after(error) == status


# --- which cluster ---


@pytest.fixture
def entered(monkeypatch):
    """What would be entered or started."""
    found: list[object] = []
    monkeypatch.setattr(ray_connection, "require_ray", MagicMock())
    monkeypatch.setattr(ray_connection, "attach", lambda address, token: found.append((address, token)))
    monkeypatch.setattr(ray_connection, "start_local", found.append)
    return found


def member(address: str, *, head: bool = True) -> Member:
    return Member(address=address, head=head, cores=2, pid=1, started=0.0, directory="/nowhere", token_file="token")


def test_a_cluster_that_is_up_on_this_machine_is_used(entered, monkeypatch):
    monkeypatch.setattr(ray_connection, "members", lambda: (member("127.0.0.1:5", head=False), member("127.0.0.1:7")))
    ray_connection.enter_local(2)
    assert entered == [("127.0.0.1:7", "token")]


def test_one_that_reaches_other_machines_is_not(entered, monkeypatch):
    monkeypatch.setattr(ray_connection, "members", lambda: (member("192.0.2.1:7"),))
    ray_connection.enter_local(2)
    assert entered == [2]


def test_one_that_has_died_is_not(entered, monkeypatch):
    monkeypatch.setattr(ray_connection, "members", lambda: (member("127.0.0.1:7"),))
    monkeypatch.setattr(ray_connection, "attach", MagicMock(side_effect=OutflankError("no cluster answers")))
    ray_connection.enter_local(3)
    assert entered == [3]


# --- giving up ---


def test_who_interrupts_a_start_of_ray_does_not_wait_for_it(tmp_path: Path, monkeypatch):
    started, go_on = threading.Event(), threading.Event()
    ray = MagicMock()
    ray.is_initialized.return_value = False

    def init(**_):
        started.set()
        assert go_on.wait(60)

    ray.init.side_effect = init
    monkeypatch.setattr(ray_connection, "require_ray", lambda: ray)
    monkeypatch.setattr(ray_connection, "patch_ray", lambda ray: [])
    monkeypatch.setattr(ray_connection, "LastAtExit", MagicMock())
    environment = dict(os.environ)
    directory = MagicMock()
    opening = ray_connection._Connection(tmp_path / "token", directory)

    def interrupted() -> None:
        with ray_connection._opening(opening):
            opening.start()
            assert started.wait(60)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert directory.mock_calls == [call.abandon(used=True)]
    go_on.set()
    opening.join(60)
    assert directory.mock_calls == [call.abandon(used=True), call.clear()]
    assert dict(os.environ) == environment


ENDING = """
import atexit, os, sys
from outflank.distributed.exiting import LastAtExit

def leave(status):
    print("leaves with", status, flush=True)
    os._exit(status)

atexit.register(lambda: print("registered before"))
try:
    raise KeyError  # which is over when the process ends
except KeyError:
    LastAtExit(leave)
atexit.register(lambda: print("registered after"))
print("ends")
"""


@pytest.mark.parametrize(("ending", "status"), [("", 0), ("sys.exit(3)", 3), ("raise ValueError", 1)])
def test_a_process_that_ends_by_other_means_does_all_that_is_due_and_keeps_its_status(ending, status):
    done = subprocess.run([sys.executable, "-c", ENDING + ending], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["ends", "registered after", "registered before", f"leaves with {status}"]
    assert (done.returncode, "ValueError" in done.stderr) == (status, "ValueError" in ending)


# --- telling ---


def test_what_is_waited_for_is_told_to_terminals_alone(capsys, monkeypatch):
    notify("waiting …")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    notify("waiting …")
    assert capsys.readouterr() == ("", "waiting …\n")
