"""The search on Ray: values, the command, nodes that die, freeze and join, a lost head, and what is left behind."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from outflank import Limits, OthelloBoard
from outflank.arena import Settings, play_match
from outflank.arena.game_runners import GameWorker
from outflank.distributed import connect
from outflank.distributed.cluster import Cluster, open_tasks
from outflank.distributed.engines.on_ray import membership, ray_connection, ray_process
from outflank.distributed.engines.on_ray.ray_process import NAMESPACE
from outflank.distributed.engines.on_ray.ray_search import RayFabric
from outflank.distributed.head import Tuning
from outflank.installation import install_command
from outflank.package_digest import sources_digest
from outflank.players.specs import player
from outflank.search.whole_search import search
from tests.clusters import check_values, children, gone
from tests.faults import KINDS, boards, machines, search_with

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray"),  # not by importing it: that takes long
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    """A user of these tests' own."""
    place = tmp_path_factory.mktemp("home")
    before = dict(os.environ)
    os.environ |= {"XDG_CONFIG_HOME": str(place / "config"), "XDG_STATE_HOME": str(place / "state")}
    yield
    ray_connection.detach()
    membership.down()
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.compiled
@pytest.mark.slow(24)
def test_values_on_one_two_and_four_nodes():
    before = set(children(os.getpid()))
    with connect("local:4", workers=1, tuning=Tuning(alone_seconds=0.0, patience_seconds=60.0)) as cluster:
        started = [pid for pid in children(os.getpid()) if pid not in before]
        assert check_values(cluster, (1, 2, 4)) == 15
    assert started
    assert gone(started)


@pytest.mark.compiled
@pytest.mark.slow(60)
def test_a_fault_loses_only_work():
    """One of each kind, on one cluster, as it is after the ones before: `python -m tests.faults` has more, and deeper
    searches."""
    alone = {}  # by depth: they all have the same position
    with machines(3) as (place, cluster):
        for kind in KINDS:
            if kind == "apart":  # `test_network` cuts a machine off
                continue
            board, depth = boards(kind, 4)
            depth -= 1
            if depth not in alone:
                alone[depth] = search(board, Limits(depth=depth), workers=1, table_bits=18)
            place.complete(3)
            found = search_with(kind, place, cluster, board, depth, alone[depth].seconds, random.Random(kind))
            assert (found.value, found.depth, found.stopped) == (alone[depth].value, depth, False)


@pytest.mark.interpreted_only  # it starts sooner, and soon has enough to do
@pytest.mark.slow(18)
def test_a_machine_that_joins_is_used():
    place = membership.up(port=0, cores=1)
    joined = []
    try:
        ray_connection.attach(place.address)
        with Cluster(RayFabric(local_nodes=None, workers=1), tuning=Tuning(alone_seconds=0.0)) as cluster:
            for found in cluster.iterate(OthelloBoard.start(), Limits(seconds=60.0), workers=1):
                if found.depth == 3:
                    joined.append(membership.join(place.address, cores=1))
                if cluster.head is not None and sum(member.jobs > 0 for member in cluster.head.members.values()) > 1:
                    break
            else:
                raise AssertionError("the machine that joined was given nothing to do")
    finally:
        membership.down()
    assert joined


COMMAND = [sys.executable, "-m", "outflank", "search", "--size", "6", "--workers", "1"]
# With a threshold a search is divided, however short it is.
ON_TWO_NODES = [*COMMAND, "--threshold", "2", "--cluster", "local:2"]


@pytest.mark.interpreted_only
@pytest.mark.slow(9)
def test_one_command_starts_and_uses_a_cluster():
    alone = search(OthelloBoard.start(6), Limits(depth=4), workers=1)
    done = subprocess.run([*ON_TWO_NODES, "--depth", "4"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"black plays {alone.move}, worth {alone.value_text}" in done.stdout
    for words in ("2 nodes on ray, replication async", "useful", "parallel overhead", "steals:", "transferred:"):
        assert words in done.stdout


@pytest.mark.interpreted_only
@pytest.mark.slow(14)
def test_the_loss_of_the_head_ends_a_search_with_the_best_so_far():
    process = subprocess.Popen(
        [*ON_TWO_NODES, "--depth", "60", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:  # until the nodes are at work
        lines.append(json.loads(line))
        if lines[-1]["depth"] >= 3:
            break
    everybody = children(process.pid)
    (head,) = (pid for pid in everybody if b"gcs_server" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0])
    os.kill(head, signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    *_, last = map(json.loads, out.splitlines())
    assert last["schema"] == "outflank/search/1"
    assert last["stopped"]
    assert last["depth"] >= lines[-1]["depth"]
    assert last["move"] is not None
    assert "the head of the cluster is gone" in err
    assert process.returncode == 1
    assert gone(everybody)


@pytest.mark.interpreted_only
@pytest.mark.slow(7)
def test_ctrl_c_ends_a_search_with_the_best_so_far():
    process = subprocess.Popen(
        [*ON_TWO_NODES, "--depth", "60", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["depth"] >= 3:
            break
    everybody = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all of them
    out, _ = process.communicate(timeout=60)
    *_, last = map(json.loads, out.splitlines())
    assert (last["schema"], last["stopped"]) == ("outflank/search/1", True)
    assert process.returncode == 130
    assert gone(everybody)


@pytest.mark.interpreted_only
def test_without_ray_one_line_says_what_to_install(tmp_path):
    (tmp_path / "ray.py").write_text("raise ImportError('not here')\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    match = ["match", "random", "random", "--games", "2", "--cluster", "local:2"]
    for command in (["search", "--cluster", "local:2"], ["cluster", "up"], match):
        done = subprocess.run(
            [sys.executable, "-m", "outflank", *command], capture_output=True, text=True, timeout=60, env=environment
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"outflank: Ray is not installed: {install_command('ray')}\n"


SHALLOW = {"depth": 2, "workers": 1, "threshold": 1}

ONE_SEARCH = f"""
import sys
from outflank import OthelloBoard
from outflank.distributed import connect
with connect("local:2") as cluster:
    found = cluster.search(OthelloBoard.start(6), **{SHALLOW})
    print(found.value, *(member.where for member in cluster.head.members.values()), flush=True)
    sys.stdin.read()
"""

OWN_EVALUATION = """
from outflank import register_evaluation
from outflank.games.evaluation import Exact
from outflank.othello.rules import Othello
register_evaluation(Othello, "mine", Exact())
"""


def searched_once() -> tuple[int, set[str]]:
    """The value that a command finds, and the processes of its nodes."""
    with connect("local:2") as cluster:
        found = cluster.search(OthelloBoard.start(6), **SHALLOW)
        assert cluster.head is not None
        return found.value, {member.where for member in cluster.head.members.values()}


def played_once() -> tuple[int, set[str]]:
    """How many games a command of tasks plays, and the processes of its nodes."""
    settings = Settings(players=("random", "first"), start=OthelloBoard.start(4), games=6)
    with open_tasks("local:2", partial(GameWorker, settings, player)) as tasks:
        result = play_match(settings, player, tasks=tasks)
        while tasks.lanes < 2:
            time.sleep(0.05)
        return len(result.games), {where.replace(", process ", ":") for where in tasks.nodes}


def await_free_nodes() -> None:
    """Wait until nobody uses the nodes that stay: they are free soon after the end of the last command."""
    ray_connection.enter_local(2)
    import ray

    actors = [ray.get_actor(f"{sources_digest()} here-{index}", NAMESPACE) for index in range(2)]
    deadline = time.monotonic() + 30
    while not all(ray.get([actor.is_free.remote() for actor in actors])):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    ray_connection.detach()


@pytest.mark.interpreted_only
@pytest.mark.slow(30)
def test_processes_of_a_cluster_that_stays_up_serve_one_command_after_the_other(monkeypatch):
    def begin(*more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", "\n".join((*more, ONE_SEARCH))]
        return subprocess.Popen(
            command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def answer(process: subprocess.Popen[str]) -> tuple[int, set[str]]:
        assert process.stdout is not None
        value, *nodes = process.stdout.readline().split()
        return int(value), set(nodes)

    monkeypatch.setattr("outflank.plugins._user_parts", set())  # other tests may have registered some
    value = search(OthelloBoard.start(6), depth=2, workers=1).value
    membership.up(port=0, cores=1)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(ray_process, "sources_digest", lambda: "other")
            found, old = searched_once()
        assert found == value
        found, nodes = answer(first := begin())
        assert found == value
        assert not nodes & old  # other sources
        assert not any(psutil.pid_exists(int(node.rpartition(":")[2])) for node in old)
        found, others = searched_once()
        assert found == value
        assert not others & nodes  # they are in use
        first.kill()
        first.communicate()
        await_free_nodes()  # when Ray notices that the command has ended
        assert searched_once() == (value, nodes)
        await_free_nodes()
        assert played_once() == (6, nodes)
        await_free_nodes()
        found, own = answer(process := begin(OWN_EVALUATION))
        assert found == value
        assert not own & nodes  # nodes that stay must not load what a user edits
        process.communicate()
        assert searched_once() == (value, nodes)
    finally:
        membership.down()
