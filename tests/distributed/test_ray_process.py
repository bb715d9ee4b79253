"""Processes of nodes on Ray that stay between commands: who uses them, how they are freed, and who may not use them."""

import pickle
import threading
import time
import weakref
from types import SimpleNamespace
from typing import Any

import pytest

from outflank import OthelloBoard, plugins
from outflank.arena import Settings
from outflank.arena.game_runners import GameWorker
from outflank.distributed.engines import parse_address
from outflank.distributed.engines.on_ray import ray_process, ray_search, ray_tasks
from outflank.distributed.engines.on_ray.ray_process import Lease, Leases, RayNode, RayProcess
from outflank.distributed.engines.on_ray.ray_search import RayFabric
from outflank.distributed.engines.on_ray.ray_tasks import RayTasks
from outflank.distributed.node import NodeSetup
from outflank.distributed.replication import replication_named
from outflank.errors import OutflankError
from outflank.games import evaluation
from outflank.games.evaluation import register_evaluation
from outflank.othello.rules import Othello
from outflank.players.specs import player
from outflank.plugins import any_user_parts
from outflank.search.request import Options
from outflank.search.table import Table
from outflank.user_modules import PickledValue

pytestmark = pytest.mark.interpreted_only


def setup_of(era: int = 1, *, follows: int | None = None, bits: int = 8) -> NodeSetup:
    board = OthelloBoard.start(6)
    return NodeSetup(
        game=board.game,
        position=board.position,
        options=Options(workers=1, table_bits=bits),
        replication=replication_named("none"),
        era=era,
        follows=follows,
    )


def pickled(value: object) -> PickledValue:
    return PickledValue((), pickle.dumps(value))


# --- in the actor ---


class Obedient:
    """A worker whose tasks end when it closes."""

    def __init__(self) -> None:
        self.closed = threading.Event()
        made.append(self)

    def do(self, item: dict[str, Any], stop: object) -> dict[str, Any]:
        began.set()
        assert self.closed.wait(60)
        return {}

    def close(self) -> None:
        self.closed.set()


class Stubborn(Obedient):
    """A worker whose tasks go on after it has closed."""

    def close(self) -> None:
        pass


class Unclosable(Obedient):
    def close(self) -> None:
        raise OSError("cannot close")


made: list[Obedient] = []
began = threading.Event()


@pytest.fixture
def ended(monkeypatch):
    """Users whose commands have ended. No process of a test watches them."""
    users: set[str] = set()
    monkeypatch.setattr(ray_process, "_has_ended", users.__contains__)
    monkeypatch.setattr(RayProcess, "_watch", lambda self: None)
    monkeypatch.setattr(ray_process, "END_SECONDS", 0.2)
    made.clear()
    began.clear()
    return users


@pytest.fixture
def exits(monkeypatch):
    """Counts how often a process would have ended itself, and lets go of its tasks then, as the end would."""
    calls: list[bool] = []

    def end() -> None:
        calls.append(True)
        for worker in made:
            worker.closed.set()

    monkeypatch.setattr(ray_process, "end_process", end)
    return calls


def with_a_task(kind: type[Obedient]) -> tuple[RayProcess, threading.Thread]:
    process = RayProcess("first")
    assert "why" not in process.make_worker(pickled(kind))
    thread = threading.Thread(target=process.run, args=(1, {}), daemon=True)
    thread.start()
    assert began.wait(60)
    return process, thread


def test_a_process_serves_one_command_after_the_other(ended, exits):
    process, task = with_a_task(Obedient)
    assert not process.reserve("second")
    process.release("second")  # which has nothing to release
    assert not process.is_free()
    process.release("first")
    assert process.is_free()
    task.join(60)
    assert not task.is_alive()
    assert process.reserve("second")
    assert process.run(2, {})["why"] == "the process has another user"
    ended.add("second")
    assert process.reserve("third")
    time.sleep(2 * ray_process.END_SECONDS)  # the watchdogs have been called off
    assert not exits


@pytest.mark.parametrize("worker", [Stubborn, Unclosable])
@pytest.mark.parametrize("how", ["released", "reserved"])
def test_a_process_whose_task_does_not_end_ends_itself(ended, exits, worker, how):
    process, _ = with_a_task(worker)
    ended.add("first")
    try:
        process.release("first") if how == "released" else process.reserve("second")
    except OSError:
        assert worker is Unclosable
    assert exits


def test_a_process_is_not_free_while_its_command_still_ends_its_work(ended, exits):
    """A player that cannot be closed holds the thread on which the command, killed meanwhile, has asked for it."""
    closing, go_on = threading.Event(), threading.Event()

    class Slow(Obedient):
        def close(self) -> None:
            closing.set()
            assert go_on.wait(60)

    process = RayProcess("first")
    process._runner = ray_process.TaskRunner(Slow)
    command = threading.Thread(target=process.end_work)
    command.start()
    assert closing.wait(60)
    release = threading.Thread(target=process.release, args=("first",))
    release.start()
    release.join(0.1)
    assert not process.is_free()
    while not exits:
        time.sleep(0.01)
    go_on.set()
    command.join()
    release.join()


def test_a_watch_survives_what_ray_raises(monkeypatch):
    watch = RayProcess._watch
    monkeypatch.setattr(RayProcess, "_watch", lambda self: None)
    process = RayProcess("first")
    answers = iter([False, OSError("no answer"), OSError("no answer"), True])

    def has_ended(user: str) -> bool:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    def sleep(seconds: float) -> None:
        if process.is_free():
            raise KeyboardInterrupt  # the watch has no end of its own

    monkeypatch.setattr(ray_process, "_has_ended", has_ended)
    monkeypatch.setattr(ray_process, "time", SimpleNamespace(sleep=sleep))
    with pytest.raises(KeyboardInterrupt):
        watch(process)


@pytest.mark.parametrize("follower", [None, "second"])
def test_a_node_that_was_made_for_a_killed_command_is_closed(monkeypatch, ended, follower):
    nodes = []

    def make_node(*arguments, **more):
        node = SimpleNamespace(workers=1, closed=False)
        node.close = lambda: setattr(node, "closed", True)
        nodes.append(node)
        if len(nodes) == 1:  # the command is killed while the node loads its kernels
            process.release("first")
            if follower is not None:
                assert process.reserve(follower)
        return node

    monkeypatch.setattr(ray_process, "make_node", make_node)
    process = RayProcess("first")
    process.prepare(1, pickled(setup_of()), 1)
    assert nodes[0].closed
    assert process._node is None
    if follower is not None:
        process.prepare(1, pickled(setup_of()), 1)
        assert process._node is nodes[1]
        process.release(follower)
    process.prepare(1, pickled(setup_of()), 1)  # a call that arrives late
    assert process._node is None
    assert all(node.closed for node in nodes)


def test_a_worker_that_was_made_for_a_killed_command_is_closed(ended):
    class Late(Obedient):
        def __init__(self) -> None:
            super().__init__()
            process.release("first")

    process = RayProcess("first")
    process.make_worker(SimpleNamespace(load=lambda: Late))  # type: ignore[arg-type]
    assert made[0].closed.is_set()
    assert process._runner is None


def test_a_table_that_is_not_used_again_is_freed_before_the_next_is_made(monkeypatch):
    process, previous = RayNode(), []
    make_node = ray_process.make_node

    def noting(number, setup, *arguments, table: Table | None, **more):
        if previous:
            assert (previous[-1]() is not None) == (table is not None)
        node = make_node(number, setup, *arguments, table=table, **more)
        previous.append(weakref.ref(node.root.table))
        return node

    monkeypatch.setattr(ray_process, "make_node", noting)
    process.prepare(1, pickled(setup_of(1)), 1)
    process.prepare(1, pickled(setup_of(2, follows=1)), 1)
    assert previous[0]() is previous[1]() is not None
    process.prepare(1, pickled(setup_of(3)), 1)
    process.prepare(1, pickled(setup_of(4, follows=3, bits=9)), 1)
    assert [table() for table in previous[:-1]] == [None] * 3
    process._close_node()


# --- in the command ---


class FakeActor:
    """An actor whose calls are noted; `answers` has what the calls give that are answered."""

    def __init__(self, name: str, **answers: Any) -> None:
        self.name, self.answers = name, answers
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, call: str) -> Any:
        def remote(*arguments: Any) -> tuple["FakeActor", str]:
            self.calls.append((call, *arguments))
            return self, call

        def options(**more: Any) -> Any:
            return method

        method = SimpleNamespace(remote=remote, options=options)
        return method


class FakeRay:
    """The part of Ray that commands call, with actors that answer at once or never."""

    def __init__(self) -> None:
        self.killed: list[str] = []
        self.started = 0
        self.cloudpickle = pickle
        self.exceptions = SimpleNamespace(RayTaskError=KeyError, RayError=OSError)

    def wait(self, refs: list[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        done = [(actor, call) for actor, call in refs if call in actor.answers]
        return done, [ref for ref in refs if ref not in done]

    def get(self, ref: Any) -> Any:
        actor, call = ref
        if isinstance(actor.answers[call], Exception):
            raise actor.answers[call]
        return actor.answers[call]

    def kill(self, actor: FakeActor, no_restart: bool) -> None:
        self.killed.append(actor.name)

    def remote(self, **more: Any) -> Any:
        return lambda kind: SimpleNamespace(options=lambda **options: SimpleNamespace(remote=self._start))

    def _start(self, user: str | None = None) -> FakeActor:
        self.started += 1
        return FakeActor(f"started {self.started}")

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_job_id=lambda: "me")


@pytest.fixture
def ray(monkeypatch):
    fake = FakeRay()
    for module in (ray_process, ray_search, ray_tasks):
        monkeypatch.setattr(module, "require_ray", lambda: fake)
    for module in (ray_search, ray_tasks):
        monkeypatch.setattr(module, "head_alive", lambda: True)
        monkeypatch.setattr(module, "detach", lambda **more: None)
    monkeypatch.setattr(ray_process, "stays_up", lambda: True)
    monkeypatch.setattr(ray_process, "any_installed", lambda prefix: False)
    monkeypatch.setattr("outflank.user_modules._imported", {})  # other tests have imported some
    monkeypatch.setattr(plugins, "_user_parts", set())
    monkeypatch.setattr(Leases, "_standing", lambda self, places: {place: Lease(ray_actor(), "me") for place in places})
    return fake


def ray_actor() -> FakeActor:
    return FakeActor("stays", report=None)


def test_nodes_of_tasks_whose_work_does_not_end_are_killed(ray):
    long_ago = time.monotonic() - 60
    tasks = RayTasks(parse_address("local:2"), Obedient, 1)
    actors = {
        "ends": (FakeActor("ends", end_work=None), "me", None),
        "goes on": (FakeActor("goes on"), "me", None),
        "fails": (FakeActor("fails", end_work=OSError("no")), "me", None),
        "frozen": (FakeActor("frozen"), "me", long_ago),
        "loads kernels": (FakeActor("loads kernels", end_work=None), "me", long_ago),
        "own": (FakeActor("own", end_work=None), None, None),
        "own, frozen": (FakeActor("own, frozen"), None, long_ago),
    }
    for number, (name, (actor, user, since)) in enumerate(actors.items()):
        tasks._seats[name] = ray_tasks._Seat(name, number, Lease(actor, user), since)
    tasks.close()
    assert ray.killed == ["goes on", "fails", "frozen", "own", "own, frozen"]
    released = [name for name, (actor, _, _) in actors.items() if ("release", "me") in actor.calls]
    assert released == ["ends", "loads kernels"]


def test_silent_nodes_of_a_search_are_killed(ray):
    fabric = RayFabric(local_nodes=0, workers=1)
    actors = [
        FakeActor("well", report=None),
        FakeActor("frozen"),
        FakeActor("slow for a moment"),
        FakeActor("own", report=None),
    ]
    for number, actor in enumerate(actors):
        seat = ray_search._Seat(actor.name, number, Lease(actor, None if actor.name == "own" else "me"))
        seat.heard -= 0 if actor.name == "slow for a moment" else 60
        fabric._seats[actor.name] = seat
    fabric.close()
    assert ray.killed == ["frozen", "own"]
    assert [actor.name for actor in actors if ("release", "me") in actor.calls] == ["well", "slow for a moment"]


class Mine(GameWorker):
    """A user's own worker of tasks."""


def test_values_that_refer_to_a_users_modules():
    board = OthelloBoard.start(6)
    settings = Settings(players=("random", "first"), start=board, games=2)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for value, is_own in (
            (settings, False),
            (player, False),
            (setup_of(), False),
            (GameWorker, False),
            (Mine, True),
        ):
            data = pickle.dumps((value, b"x" * 100), protocol)
            assert PickledValue((), data).needs_user_code == is_own, (value, protocol)
    assert PickledValue(("mine",), pickle.dumps(1)).needs_user_code


@pytest.mark.parametrize("how", ["evaluation", "part"])
def test_what_a_user_registers_needs_nodes_of_its_own(monkeypatch, ray, how):
    monkeypatch.setattr(evaluation, "_registered", {})
    registry = plugins.Registry("tune", "outflank.tunes", {}, check=lambda name, part: part)
    registry.register("own", object(), by="outflank.tunes")
    assert not any_user_parts()
    if how == "evaluation":
        register_evaluation(Othello, "mine", evaluation.Exact())
    else:
        registry.register("mine", object(), by="outflanker.tunes")
    assert any_user_parts()
    assert not Leases(local_nodes=1)._may_stay


def test_a_search_with_user_code_has_nodes_of_its_own(monkeypatch, ray):
    fabric = RayFabric(local_nodes=2, workers=1)
    standing = [seat.lease.actor for seat in fabric._seats.values()]
    fabric.prepare(setup_of(1))
    assert [seat.lease.actor for seat in fabric._seats.values()] == standing
    monkeypatch.setattr(plugins, "_user_parts", {"mine"})
    fabric.prepare(setup_of(2))
    assert all(("release", "me") in actor.calls for actor in standing)
    own = [seat.lease for seat in fabric._seats.values()]
    assert [lease.user for lease in own] == [None, None]
    for lease in own:
        assert [call for call, *_ in lease.actor.calls].count("prepare") == 1
    fabric.prepare(setup_of(3))
    assert [seat.lease for seat in fabric._seats.values()] == own
    fabric.close()
    assert ray.killed == [lease.actor.name for lease in own]


def test_tasks_with_user_code_have_nodes_of_their_own(monkeypatch, ray):
    monkeypatch.setattr(ray_tasks, "enter", lambda address, cores: None)
    for make, user in ((Obedient, None), (GameWorker, "me")):
        tasks = RayTasks(parse_address("local:2"), make, 1)
        monkeypatch.setattr(RayTasks, "_notify_when_done", lambda self, *more: None)
        tasks.open(None)  # type: ignore[arg-type]
        assert [seat.lease.user for seat in tasks._seats.values()] == [user, user]
    with pytest.raises(OutflankError, match="cannot be sent"):
        RayTasks(parse_address("local:2"), lambda: None, 1).open(None)  # type: ignore[arg-type,return-value]
