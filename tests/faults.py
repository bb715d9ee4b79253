"""Nodes of a Ray cluster killed, frozen and cut off at random moments of searches:
`python -m tests.faults [SEARCHES] [SEED]`.

CI runs one of each kind; this runs as many as it is told, and says what happened to each.
"""

import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outflank import AbaloneBoard, Limits, OthelloBoard
from outflank.boards import Board
from outflank.distributed.cluster import Cluster, SplittingName
from outflank.distributed.engines.on_ray import membership, ray_connection
from outflank.distributed.engines.on_ray.ray_search import RayFabric
from outflank.distributed.engines.on_ray.ray_start import processes_in, psutil
from outflank.distributed.head import Tuning
from outflank.othello.squares import START, othello
from outflank.search.results import Result
from outflank.search.whole_search import search
from tests.walking import walk

PATIENCE = 2.0
TUNING = Tuning(patience_seconds=PATIENCE)

KINDS = ("worker", "node", "pushing", "frozen", "apart")
"""What is done: kill -9 of a node's process, of a machine's raylet, of a process that is pushing entries; SIGSTOP of a
node's process, and of all processes of a machine, which is then as if it were cut off."""

REPLICATION = {
    "worker": "async",
    "node": "async",
    "pushing": "batch:depth=7,batch=1",
    "frozen": "async",
    "apart": "async",
}
"""With `batch` a node waits for each entry to be delivered: whenever it is killed, it is in the middle of pushing."""


SCHEME: dict[str, SplittingName] = {
    "worker": "stealing",
    "node": "ybw",
    "pushing": "ybw",
    "frozen": "stealing",
    "apart": "ybw",
}
"""Whether nodes steal from each other: in every second search, in each kind in turn."""


class Machines:
    """A head and joined nodes, as on so many machines, all here."""

    def __init__(self, nodes: int) -> None:
        self.head = membership.up(port=0, cores=1)
        self.joined = [membership.join(self.head.address, cores=1) for _ in range(nodes - 1)]

    def other(self, chance: random.Random) -> membership.Member:
        """Return a joined machine that is not the driver's."""
        import ray  # not above: whoever collects the tests would wait for it

        own = ray._private.worker.global_worker.node.raylet_socket_name
        return chance.choice([member for member in self.joined if not own.startswith(member.directory)])

    def kill(self, chance: random.Random) -> None:
        """Kill the raylet of a machine: nothing of it is told that it ends."""
        victim = self.other(chance)
        self.joined.remove(victim)
        for pid in raylets(victim):
            os.kill(pid, signal.SIGKILL)

    def cut_off(self, chance: random.Random, wait: Callable[[], object]) -> None:
        """Stop all processes of a machine while `wait` waits."""
        stopped = [process.pid for process in processes_in(Path(self.other(chance).directory))]
        send(signal.SIGSTOP, stopped)
        wait()
        send(signal.SIGCONT, stopped)

    def complete(self, nodes: int) -> None:
        """Let others join in the place of those that were killed or given up."""
        self.joined = [member for member in self.joined if raylets(member)]
        while len(self.joined) < nodes - 1:
            self.joined.append(membership.join(self.head.address, cores=1))


def raylets(member: membership.Member) -> list[int]:
    """Return the processes that are the raylet of a machine: at most one."""
    found = []
    for process in processes_in(Path(member.directory)):
        with suppress(psutil().Error):  # one that has ended in the meantime
            if any("raylet/raylet" in word for word in process.cmdline()):
                found.append(process.pid)
    return found


def send(number: signal.Signals, pids: list[int]) -> None:
    """Send a signal to those of the processes that have not ended."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@contextmanager
def machines(nodes: int) -> Iterator[tuple[Machines, Cluster]]:
    """A cluster of so many machines with a search engine on it; all gone at the end."""
    place = Machines(nodes)
    try:
        ray_connection.attach(place.head.address)
        with Cluster(RayFabric(local_nodes=None, workers=1), tuning=TUNING) as cluster:
            yield place, cluster
    finally:
        membership.down()


def processes(cluster: Cluster) -> list[int]:
    """The processes of the nodes that take part."""
    assert cluster.head is not None
    return [int(member.where.rpartition(":")[2]) for member in cluster.head.members.values() if member.gone is None]


def search_with(
    kind: str,
    place: Machines,
    cluster: Cluster,
    board: Board,
    depth: int,
    seconds: float,
    chance: random.Random,
    *,
    scheme: SplittingName | None = None,
) -> Result:
    """Search, and let something happen to a node after a random part of `seconds`."""
    ended = threading.Event()

    def strike() -> None:
        while cluster.head is None or cluster.head is before or not processes(cluster):
            if ended.wait(0.005):
                return
        # The processes of a machine notice only after two seconds that their raylet is dead.
        if ended.wait(chance.random() * seconds * (0.2 if kind == "node" else 1.0)):
            return
        if kind == "node":
            place.kill(chance)
            return
        if kind == "apart":
            place.cut_off(chance, lambda: ended.wait(chance.choice((0.5, 2.5)) * PATIENCE))
            return
        victim = chance.choice(processes(cluster))
        if kind == "frozen":
            os.kill(victim, signal.SIGSTOP)
            ended.wait(chance.choice((0.5, 2.5)) * PATIENCE)
            os.kill(victim, signal.SIGCONT)
        else:
            os.kill(victim, signal.SIGKILL)

    before = cluster.head
    thread = threading.Thread(target=strike, daemon=True)
    thread.start()
    try:
        return cluster.search(
            board,
            Limits(depth=depth),
            workers=1,
            replication=REPLICATION[kind],
            parallel=scheme or SCHEME[kind],
            table_bits=18,
        )
    finally:
        ended.set()
        thread.join()


def boards(kind: str, seed: int) -> tuple[Board, int]:
    """A position, and a depth that takes a second or two; more, where it takes longer until a loss is noticed."""
    if seed % 3 == 2:
        board = AbaloneBoard.start("belgian-daisy")
        return AbaloneBoard(board.game, walk(board.game, board.position, seed, 4 + seed % 10)), 6 + (kind == "node")
    game = othello(8)
    return OthelloBoard(game, walk(game, START, seed, 8 + seed % 12)), 13 + 2 * (kind == "node")


def run(searches: int, seed: int, tell: Callable[[str], None]) -> int:
    """So many searches, each with a fault; how many gave a wrong value."""
    chance = random.Random(seed)
    wrong = struck = 0
    with machines(3) as (place, cluster):
        for number in range(searches):
            kind = KINDS[number % len(KINDS)]
            board, depth = boards(kind, seed + number)
            alone = search(board, Limits(depth=depth), workers=1, table_bits=18)
            place.complete(3)
            began = time.perf_counter()
            scheme: SplittingName = "stealing" if (number + number // len(KINDS)) % 2 else "ybw"
            found = search_with(kind, place, cluster, board, depth, alone.seconds, chance, scheme=scheme)
            assert cluster.head is not None
            right = (found.value, found.depth, found.stopped) == (alone.value, depth, False) or found.exact
            wrong += not right
            struck += bool(cluster.head.losses)
            tell(
                f"{number + 1} {kind}, {scheme}: {'right' if right else 'WRONG'} {found.value:+d} "
                f"(one worker {alone.value:+d}), "
                f"{time.perf_counter() - began:.1f} s, {'; '.join(cluster.head.losses) or 'nobody was lost'}"
            )
    tell(f"{searches} searches, {struck} of them lost a node or gave one up, {wrong} wrong values")
    return wrong


def main() -> int:
    searches, seed = (int(word) for word in (*sys.argv[1:], *("50", "1")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"XDG_CONFIG_HOME": f"{home}/config", "XDG_STATE_HOME": f"{home}/state"}
        return 1 if run(searches, seed, lambda line: print(line, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
