"""Independent work on a cluster: nothing is lost or counted twice, whoever dies; a match comes out as without one."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from outflank.abalone.board import AbaloneBoard
from outflank.arena import MatchResult, Settings, Sprt, play_match
from outflank.arena.game_runners import GameWorker
from outflank.distributed.cluster import nodes_here, open_tasks, serve_tasks
from outflank.distributed.engines import Address, parse_address
from outflank.distributed.engines.on_ray import ray_start
from outflank.distributed.engines.on_ray.ray_tasks import RayTasks
from outflank.distributed.tasks import TaskDispatcher, dispatcher
from outflank.distributed.tasks.carrier import (
    ClusterBroken,
    NodeAlive,
    NodeGone,
    NodeReady,
    NodeUnfit,
    TaskAnswered,
    TaskEvents,
    ThreadTasks,
)
from outflank.errors import OutflankError
from outflank.installation import install_command
from outflank.othello.board import OthelloBoard
from outflank.players.specs import player
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.validation.documents import plain

MPIEXEC = Path(sys.executable).with_name("mpiexec")
on_ray = pytest.mark.skipif(sys.platform == "win32", reason="Ray's processes are told apart by POSIX means")


def eventually(happened: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- where a cluster is ---


@pytest.mark.interpreted_only
def test_addresses():
    assert parse_address("local:2") == Address(scheme="local", nodes=2)
    assert parse_address(" local:256 ") == Address(scheme="local", nodes=256)
    assert parse_address("ray://head.example:6379") == Address(scheme="ray", head="head.example:6379")
    assert parse_address("mpi") == Address(scheme="mpi")


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "local",
            "local:",
            "local:0",
            "local:257",
            "local:-1",
            "local:2.5",
            "local:٢",
            "LOCAL:2",
            "mpi:",
            "mpi:2",
        ),
        *("ray", "ray:", "ray://", "ray://host", "ray://:6379", "ray://host:0", "ray://host:65536", "ray://host:x"),
        *("ray://user@host:1", "ray://a/b:1", "ray:host:1", "http://host:1", "2", "local:99999999999999999999"),
    ],
)
def test_what_is_no_address_gets_one_line(text):
    with pytest.raises(OutflankError) as error:
        parse_address(text)
    assert repr(text) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.interpreted_only
def test_how_many_share_a_machine(monkeypatch):
    monkeypatch.delenv("OMPI_COMM_WORLD_LOCAL_SIZE", raising=False)
    monkeypatch.setenv("MPI_LOCALNRANKS", "3")
    assert [nodes_here(text) for text in (None, "local:4", "ray://host:1", "mpi")] == [1, 4, 1, 3]


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("module_name", "cluster", "extra"), [("ray", "local:2", "ray"), ("mpi4py", "mpi", "mpi")])
def test_a_missing_extra_gets_one_line(monkeypatch, capsys, module_name, cluster, extra):
    monkeypatch.setitem(sys.modules, module_name, None)
    with pytest.raises(SystemExit) as left:
        main(["match", "random", "first", "--cluster", cluster])
    out, err = capsys.readouterr()
    assert (left.value.code, out, err.count("\n")) == (2, "", 1)
    assert install_command(extra) in err


# --- who does what: a carrier that does as it is told ---


class Scripted:
    """Nodes are numbers, and what they do is up to the test."""

    def __init__(self, nodes: int, lanes: int = 1) -> None:
        self.well, self.lanes = list(range(nodes)), lanes
        self.given: list[tuple[int, int, int]] = []
        """The node, the ticket, and what it is about."""
        self.cancelled: list[tuple[int, int]] = []
        self.let_gone: list[int] = []
        self.possible_nodes = nodes

    def open(self, events: TaskEvents) -> None:
        self.events = events
        for node in self.well:
            events.put(NodeReady(node, f"node {node}", self.lanes))

    def run(self, node: int, ticket: int, item: dict[str, Any]) -> None:
        self.given.append((node, ticket, item["number"]))

    def cancel(self, node: int, ticket: int) -> None:
        self.cancelled.append((node, ticket))

    def check_nodes(self) -> None:
        for node in self.well:
            self.events.put(NodeAlive(node))

    def forget_node(self, node: int) -> None:
        self.let_gone.append(node)

    def close(self) -> None:
        pass

    def answer(self, place: int) -> None:
        """Let a task that was given to a node be done there."""
        node, ticket, number = self.given[place]
        self.events.put(TaskAnswered(node, ticket, {"answer": {"number": number, "node": node}}))


@pytest.fixture
def asking(monkeypatch):
    """Threads that ask, and how often to look about."""
    monkeypatch.setattr(dispatcher, "LOOK_SECONDS", 0.02)
    with ThreadPoolExecutor(8) as pool:
        yield lambda tasks, number, **more: pool.submit(tasks.do, {"number": number}, **more)


@pytest.mark.interpreted_only
def test_as_many_at_a_time_as_there_are_lanes(asking):
    carrier = Scripted(2, lanes=2)
    with TaskDispatcher(carrier) as tasks:
        tasks.start()
        answers = [asking(tasks, number) for number in range(5)]
        eventually(lambda: len(carrier.given) == 4)
        assert sorted(node for node, _, _ in carrier.given) == [0, 0, 1, 1]
        eventually(lambda: tasks.lanes == 4)
        carrier.answer(0)
        eventually(lambda: len(carrier.given) == 5)
        for place in range(1, 5):
            carrier.answer(place)
        assert [answer.result()["number"] for answer in answers] == list(range(5))


@pytest.mark.interpreted_only
def test_a_node_that_is_gone_loses_nothing(asking, caplog):
    caplog.set_level("INFO", "outflank.distributed")
    carrier = Scripted(2)
    with TaskDispatcher(carrier) as tasks:
        tasks.start()
        eventually(lambda: tasks.lanes == 2)
        answers = [asking(tasks, number) for number in range(2)]
        eventually(lambda: len(carrier.given) == 2)
        lost, kept = carrier.given
        carrier.well.remove(lost[0])
        carrier.events.put(NodeGone(lost[0], "it died"))
        carrier.events.put(NodeGone(lost[0], "it died"))  # once for everything that it was asked
        carrier.answer(1)
        eventually(lambda: len(carrier.given) == 3)
        assert carrier.given[2] == (kept[0], lost[1], lost[2])
        carrier.answer(0)  # of a node that has been given up: not counted
        carrier.answer(2)
        assert {answer.result()["node"] for answer in answers} == {kept[0]}
        assert lost[0] in carrier.let_gone
        carrier.well.append(7)
        carrier.events.put(NodeReady(7, "a new one", 3))
        eventually(lambda: tasks.lanes == 4)
    assert "): it died; its tasks go to other nodes: 1\n" in caplog.text
    assert caplog.text.count("it died") == 1
    assert "node 7 (a new one) runs 3 tasks at a time" in caplog.text


@pytest.mark.interpreted_only
def test_a_task_that_ends_its_nodes_is_given_up(asking):
    carrier = Scripted(1)
    with TaskDispatcher(carrier) as tasks:
        tasks.start()
        answer = asking(tasks, 0)
        for node in range(dispatcher.MOST_ATTEMPTS):
            eventually(lambda node=node: len(carrier.given) == node + 1)
            assert carrier.given[-1][0] == node
            carrier.well[:] = [node + 1]
            carrier.events.put(NodeGone(node, "it died"))
            carrier.events.put(NodeReady(node + 1, "the next", 1))
        with pytest.raises(OutflankError, match="it died"):
            answer.result()
        other = asking(tasks, 1)
        eventually(lambda: carrier.given[-1][2] == 1)
        carrier.answer(-1)
        assert other.result()["number"] == 1


@pytest.mark.interpreted_only
def test_what_a_frozen_node_has_is_given_to_another_and_the_first_answer_counts(asking, caplog):
    caplog.set_level("INFO", "outflank.distributed")
    carrier = Scripted(2)
    with TaskDispatcher(carrier, silence_seconds=0.2) as tasks:
        tasks.start()
        eventually(lambda: tasks.lanes == 2)
        answers = [asking(tasks, number) for number in range(2)]
        eventually(lambda: len(carrier.given) == 2)
        (frozen, ticket, number), (other, *_) = carrier.given
        carrier.well.remove(frozen)
        eventually(lambda: tasks.lanes == 1)
        carrier.answer(1)
        eventually(lambda: len(carrier.given) == 3)
        assert carrier.given[2] == (other, ticket, number)
        carrier.well.append(frozen)
        carrier.answer(0)  # it thaws, and is the first after all
        results = [answer.result() for answer in answers]
        assert [result["number"] for result in results] == [0, 1]
        assert results[number]["node"] == frozen
        eventually(lambda: carrier.cancelled == [(other, ticket)])
        carrier.answer(2)  # nobody asks any more; the lane is free again
        eventually(lambda: tasks.lanes == 2)
    assert "silent for 0 s; its tasks also go to other nodes: 1\n" in caplog.text
    assert caplog.text.count("answers again") == 1


@pytest.mark.interpreted_only
def test_whoever_asks_may_stop(asking):
    carrier = Scripted(1)
    stop = Stop()
    with TaskDispatcher(carrier) as tasks:
        tasks.start()
        answers = [asking(tasks, number, stop=stop) for number in range(3)]
        eventually(lambda: len(carrier.given) == 1)
        stop()
        assert [answer.result() for answer in answers] == [None] * 3
        eventually(lambda: carrier.cancelled == [carrier.given[0][:2]])
        assert asking(tasks, 4, stop=stop).result() is None
        carrier.events.put(TaskAnswered(*carrier.given[0][:2], {"answer": None}))
        last = asking(tasks, 5)
        eventually(lambda: carrier.given[-1][2] == 5)
        carrier.answer(-1)
        assert last.result()["number"] == 5


@pytest.mark.interpreted_only
def test_errors_reach_whoever_asks(asking, monkeypatch):
    carrier = Scripted(1)
    with TaskDispatcher(carrier) as tasks:
        tasks.start()
        answer = asking(tasks, 0)
        eventually(lambda: carrier.given)
        carrier.events.put(TaskAnswered(*carrier.given[0][:2], {"answer": None, "why": "no such game"}))
        with pytest.raises(OutflankError, match="no such game"):
            answer.result()
        answer = asking(tasks, 1)
        carrier.events.put(ClusterBroken("the head is gone"))
        with pytest.raises(OutflankError, match="the head is gone"):
            answer.result()
        with pytest.raises(OutflankError, match="the head is gone"):
            asking(tasks, 2).result()
    monkeypatch.setattr(dispatcher, "ALONE_SECONDS", 0.05)
    carrier = Scripted(1)
    with TaskDispatcher(carrier) as tasks:
        tasks.start()
        carrier.events.put(NodeGone(0, "it died"))
        with pytest.raises(OutflankError, match=r"no node .* it died"):
            asking(tasks, 3).result()


@pytest.mark.interpreted_only
def test_nodes_that_cannot_do_the_work():
    carrier = Scripted(0)
    carrier.possible_nodes = 1
    with TaskDispatcher(carrier) as tasks:
        starting = threading.Thread(target=tasks.start)
        starting.start()
        eventually(lambda: hasattr(carrier, "events"))
        carrier.events.put(NodeUnfit(0, "no such engine"))
        carrier.well.append(1)
        carrier.events.put(NodeReady(1, "another", 1))
        starting.join()
        assert tasks.refused == ["no such engine"]
    carrier = Scripted(0)
    with TaskDispatcher(carrier) as tasks:
        carrier.open = lambda events: events.put(NodeUnfit(0, "no such engine"))
        with pytest.raises(OutflankError, match=r"^no such engine$"):
            tasks.start()


# --- in this process ---


class Squares:
    def do(self, item: dict[str, Any], stop: Stop) -> dict[str, Any] | None:
        if item["number"] < 0:
            raise ValueError("too\nlow")
        return {"square": item["number"] ** 2}

    def close(self) -> None:
        pass


@pytest.mark.interpreted_only
def test_inside_this_process():
    with TaskDispatcher(ThreadTasks(Squares, nodes=2, per_node=2)) as tasks, ThreadPoolExecutor(8) as pool:
        tasks.start()
        found = pool.map(lambda number: tasks.do({"number": number}), range(200))
        assert [each["square"] for each in found] == [number**2 for number in range(200)]
        with pytest.raises(OutflankError, match=r"^ValueError: too low$"):
            tasks.do({"number": -1})
    with pytest.raises(OutflankError, match="left"):
        tasks.do({"number": 1})


# --- matches ---


def small(**more: Any) -> Settings:
    chosen = {"players": ("random", "first"), "start": OthelloBoard.start(6), "games": 12, **more}
    return Settings(**chosen)


def inside(settings: Settings, **more: Any) -> TaskDispatcher:
    return TaskDispatcher(ThreadTasks(partial(GameWorker, settings, player), **more))


def gist(result: MatchResult) -> list[Any]:
    """What must not depend on where a game was played."""
    untimed = [
        {name: cell for name, cell in plain(kept.line).items() if name not in ("seconds", "date")}
        for kept in result.games
    ]
    return [untimed, result.standing]


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    "settings",
    [
        small(),
        small(players=("random", "first", "random seed=2"), games=4, paired=False, ply_limit=20),
        small(start=AbaloneBoard.start("belgian-daisy"), games=4, openings="layouts:2", ply_limit=12),
    ],
    ids=["pairs", "round robin", "abalone"],
)
def test_a_match_elsewhere_is_the_same_match(settings):
    with inside(settings, nodes=2, per_node=2) as tasks:
        elsewhere = play_match(settings, player, tasks=tasks)
    assert gist(elsewhere) == gist(play_match(settings, player))


@pytest.mark.interpreted_only
def test_openings_of_a_file_need_not_be_everywhere(tmp_path):
    openings = tmp_path / "openings.txt"
    openings.write_text("f5d6c3\nf5f6e6\nf5d6c4d3\n")
    settings = small(start=OthelloBoard.start(), games=6, openings=str(openings))
    alone = play_match(settings, player)

    def without_the_file(kept: Any) -> None:
        openings.unlink(missing_ok=True)

    with inside(settings) as tasks:
        tasks.start()
        assert gist(play_match(settings, player, tasks=tasks, finished=without_the_file)) == gist(alone)


@pytest.mark.interpreted_only
def test_a_test_ends_a_match_elsewhere_too():
    settings = small(games=400, sprt=Sprt(elo0=0, elo1=400))
    with inside(settings, per_node=3) as tasks:
        elsewhere = play_match(settings, player, tasks=tasks)
    assert elsewhere.standing.test is not None
    assert elsewhere.standing.test.decision is not None
    assert elsewhere.standing.test == play_match(settings, player).standing.test


@pytest.mark.interpreted_only
def test_a_match_elsewhere_is_stopped_and_resumed(tmp_path):
    settings, stop = small(games=30), Stop()

    def enough(kept: Any) -> None:
        if kept.number == 9:
            stop()

    with inside(settings, nodes=2) as tasks:
        part = play_match(settings, player, out=tmp_path, tasks=tasks, stop=stop, finished=enough)
    assert part.interrupted
    assert 5 <= len(part.games) < 30
    with inside(settings, nodes=3) as tasks:
        whole = play_match(settings, player, out=tmp_path, resume=True, tasks=tasks)
    assert gist(whole) == gist(play_match(settings, player))
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 30


def test_players_that_a_node_cannot_make_end_the_match_before_it_begins():
    def absent(text: str, game: Any) -> Any:
        raise OutflankError(f"{text} is not installed")

    settings = small()
    with (
        TaskDispatcher(ThreadTasks(partial(GameWorker, settings, absent), nodes=2)) as tasks,
        pytest.raises(OutflankError, match="random is not installed"),
    ):
        play_match(settings, player, tasks=tasks)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--cluster", "nowhere"], "local:N"),
        (["--cluster", "local:2", "--concurrency", "0"], "1 to 256"),
        (["--cluster", "local:2", "--resume"], "--out"),
    ],
)
def test_the_command_refuses(capsys, arguments, line):
    with pytest.raises(SystemExit) as left:
        main(["match", "random", "first", *arguments])
    out, err = capsys.readouterr()
    assert (left.value.code, out, err.count("\n")) == (2, "", 1)
    assert line in err


@pytest.mark.parametrize(
    ("players", "warned"), [(("computer depth=1", "first"), True), (("computer depth=1 workers=1", "first"), False)]
)
def test_the_command_warns_of_a_crowd(capsys, monkeypatch, players, warned):
    monkeypatch.setattr("outflank.ui.cli.playing.match_command.usable_cores", lambda: 2.0)
    monkeypatch.setattr(
        "outflank.ui.cli.playing.match_command.play_match", lambda *_, **__: play_match(small(games=2), player)
    )
    with pytest.raises(SystemExit):
        main(["match", *players, "--concurrency", "2"])
    err = capsys.readouterr().err
    assert err.count("\n") == warned
    assert ("workers=1" in err) == warned


# --- on Ray ---


@pytest.fixture
def psutil():
    """What tells processes apart; Ray brings it along."""
    ray_start.require_ray()
    return import_module("psutil")


def running(process: Any) -> bool:
    """Whether it does anything; one that its parent has not asked after yet does not."""
    psutil = sys.modules["psutil"]
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def segments() -> set[Path]:
    """Shared memory that has a name, but for that of MPI and of Chromium: other tests have it meanwhile."""
    others = ("mpich", ".org.chromium", "org.chromium")
    return {path for path in Path("/dev/shm").glob("*") if not path.name.startswith(others)}


def process_of(where: str) -> int:
    return int(where.rpartition(" ")[2])


@on_ray
@pytest.mark.interpreted_only
@pytest.mark.slow(11)
def test_a_match_on_ray_outlives_its_nodes(tmp_path, psutil):
    settings = small(games=80)
    carrier = RayTasks(parse_address("local:2"), partial(GameWorker, settings, player), 2)
    shared = segments()
    victims: list[int] = []
    started: list[Any] = []

    def meddle(kept: Any) -> None:
        if len(victims) == 0 and len(tasks.nodes) == 2:
            # Not before: on a busy machine a node may have been silent for a second, and replaced.
            started.extend(psutil.Process().children(recursive=True))
            victims.append(process_of(tasks.nodes[0]))
            os.kill(victims[0], signal.SIGKILL)
        elif len(victims) == 1 and kept.number > 20:
            victims.append(process_of(tasks.nodes[-1]))
            os.kill(victims[1], signal.SIGSTOP)  # and never again another signal: the end must end it too

    with TaskDispatcher(carrier, silence_seconds=1.0) as tasks:
        tasks.start()
        eventually(lambda: tasks.lanes == 4)
        result = play_match(settings, player, out=tmp_path, tasks=tasks, finished=meddle)
    assert len(victims) == 2
    assert gist(result) == gist(play_match(settings, player))
    numbers = [json.loads(line)["game"] for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert sorted(numbers) == list(range(80))
    assert victims[0] in {each.pid for each in started}
    eventually(lambda: not any(map(running, started)))
    eventually(lambda: not psutil.pid_exists(victims[1]))
    eventually(lambda: segments() <= shared)


@on_ray
@pytest.mark.interpreted_only
@pytest.mark.slow(16)
def test_the_command_on_ray_is_interrupted_and_resumed(tmp_path, psutil):
    arguments = ["match", "random", "first", "--size", "6", "--games", "300", "--out", str(tmp_path)]
    printed = tmp_path / "printed"  # not a pipe: `communicate` loses what `readline` has buffered, perhaps half a line
    with printed.open("w") as stdout:
        process = subprocess.Popen(
            [sys.executable, "-m", "outflank", *arguments, "--cluster", "local:2", "--json"],
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    try:
        eventually(lambda: printed.read_text().count("\n") >= 10)
        started = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to all that were started there
        _, err = process.communicate(timeout=90)
    finally:
        process.kill()
    *_, whole = [json.loads(line) for line in printed.read_text().splitlines()]
    assert (process.returncode, whole["interrupted"]) == (130, True), err
    assert "--resume" in err
    assert len(started) > 2
    eventually(lambda: not any(map(running, started)))
    kept = (tmp_path / "games.jsonl").read_text().splitlines()
    assert 10 <= len(kept) < 300
    settings = small(games=300)
    whole_match = play_match(settings, player, out=tmp_path, resume=True)
    assert [game.number for game in whole_match.games] == list(range(300))
    assert (tmp_path / "games.jsonl").read_text().splitlines()[: len(kept)] == kept


# --- on MPI ---


def mpi_match(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [MPIEXEC, "-n", "2", sys.executable, "-m", "outflank", "match", *arguments, "--cluster", "mpi"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.interpreted_only
@pytest.mark.skipif(not MPIEXEC.exists(), reason="needs the launcher of MPI beside the interpreter")
@pytest.mark.slow(3)
def test_a_match_on_mpi(tmp_path):
    done = mpi_match("random", "first", "--size", "4", "--games", "40", "--out", str(tmp_path), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    *games, whole = [json.loads(line) for line in done.stdout.splitlines()]
    settings = small(start=OthelloBoard.start(4), games=40)
    alone = play_match(settings, player)
    assert {game["game"]: game["moves"] for game in games} == {
        kept.number: list(kept.line.moves) for kept in alone.games
    }
    assert len(games) == 40
    assert whole["complete"]
    resumed = play_match(settings, player, out=tmp_path, resume=True)
    assert resumed.standing == alone.standing


@pytest.mark.interpreted_only
@pytest.mark.skipif(not MPIEXEC.exists(), reason="needs the launcher of MPI beside the interpreter")
@pytest.mark.slow(3)
def test_what_fails_on_the_head_of_mpi_lets_the_others_go():
    done = mpi_match("random", "nobody")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("outflank: unknown player 'nobody'")
    assert done.stderr.count("\n") == 1


@pytest.mark.interpreted_only
def test_only_ranks_of_mpi_serve():
    assert not serve_tasks("local:2", Squares)
    with pytest.raises(OutflankError, match="is no cluster"):
        open_tasks("rays://host:1", Squares)
