"""What the tests of all engines have in common: drawn positions with their values, and what a cluster leaves behind."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from outflank import AbaloneBoard, Limits, OthelloBoard
from outflank.boards import Board
from outflank.distributed import connect
from outflank.distributed.cluster import Cluster, SplittingName
from outflank.distributed.head import Tuning
from outflank.othello.squares import START, othello
from outflank.search.whole_search import search
from tests.oracles.example_games import drawn as drawn_example
from tests.oracles.example_games import value
from tests.rank_recorder import report
from tests.walking import walk

POLICIES = ("none", "batch:batch=50", "depth:depth=5", "depth:plies=3", "async:depth=3,batch=20")


def drawn(number: int, *, deeper: int = 0) -> Iterator[tuple[Board, int]]:
    """Positions of both games, with a depth that has something to divide."""
    for seed in range(number):
        game = othello(8)
        yield OthelloBoard(game, walk(game, START, 31 * seed, 6 + 7 * seed % 40)), 7 + deeper
        board = AbaloneBoard.start("belgian-daisy")
        yield AbaloneBoard(board.game, walk(board.game, board.position, seed, 4 + seed % 20)), 4 + deeper // 2


def check_values(cluster: Cluster, nodes: tuple[int, ...]) -> int:
    """Every policy on every number of nodes gives the value and the move of one worker; how many searches that were.

    Each number of nodes meets both games, all sizes of jobs, and all ways to divide that the engine offers.
    """
    schemes: tuple[SplittingName, ...] = (
        ("ybw", "stealing", "tds") if cluster.fabric.keeps_nodes else ("ybw", "stealing")
    )
    boards = [(board, depth, search(board, Limits(depth=depth), workers=1)) for board, depth in drawn(1)]
    for first, policy in enumerate(POLICIES):
        for second, used in enumerate(nodes):
            board, depth, alone = boards[(first + second) % len(boards)]
            threshold = (3, 4, 5)[(first + 2 * second) % 3]
            scheme = schemes[(first + second // 2) % len(schemes)]
            cluster.fabric.use(used)
            found = cluster.search(
                board, Limits(depth=depth), workers=1, replication=policy, threshold=threshold, parallel=scheme
            )
            assert (found.value, found.move, found.depth) == (alone.value, alone.move, alone.depth), (policy, used)
            assert cluster.head is not None
            assert len(cluster.head.members) == used
    return len(POLICIES) * len(nodes)


def mpiexec(
    ranks: int, *command: str, seconds: float = 120.0, record: Path | None = None, **more
) -> subprocess.CompletedProcess[str]:
    """Run a Python program on so many ranks. How each ended is kept in the folder `record`: see `rank_recorder`."""
    launcher = Path(sys.executable).with_name("mpiexec")
    if record is not None:
        record.mkdir()
        command = ("-m", "tests.rank_recorder", str(record), *command)
    try:
        return subprocess.run(
            [str(launcher), "-n", str(ranks), sys.executable, *command],
            capture_output=True,
            text=True,
            timeout=seconds,
            cwd=Path(__file__).parent.parent,
            **more,
        )
    except subprocess.TimeoutExpired:
        if record is None:
            raise
        raise AssertionError(f"no end after {seconds:g} s\n{report(record)}") from None


def leaked(before: set[str] | None = None, seconds: float = 10.0) -> set[str]:
    """The names of shared memory segments that no process has; compared with those before, after waiting a while."""
    folder = Path("/dev/shm")
    deadline = time.monotonic() + seconds
    while True:
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        left = names - _mapped(names)
        if before is None or left <= before or time.monotonic() > deadline:
            return left
        time.sleep(0.2)


def _mapped(names: set[str]) -> set[str]:
    found = set()
    for maps in Path("/proc").glob("[0-9]*/maps") if names else ():
        try:
            text = maps.read_text()
        except OSError:
            continue
        found |= {name for name in names if f"/dev/shm/{name}" in text}
    return found


def children(pid: int) -> list[int]:
    """All processes below one, on Linux."""
    found = []
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended
        return []
    for task in tasks:
        try:
            below = [int(word) for word in (task / "children").read_text().split()]
        except OSError:
            continue
        for child in below:
            found += [child, *children(child)]
    return found


def gone(pids: list[int], seconds: float = 20.0) -> bool:
    """Whether these processes have all ended, after waiting for that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(_alive(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


OWN_GAME = """
import sys

sys.path.insert(0, {examples!r})

from nim import Nim, start
from outflank.games.description import GameDescription, register_game

register_game(GameDescription(name="matches", title="Matches", rules=Nim, start=lambda: start(3, 4, 5)))
"""

OWN_SEARCH = """
from outflank import Limits
from outflank.distributed import connect
from outflank.distributed.head import Tuning
from outflank.games.description import game_named
from outflank.search.whole_search import search
from outflank.user_modules import import_user_module

if __name__ == "__main__":
    import_user_module({module!r})  # as --import does
    board = game_named("matches").start()
    with connect({cluster!r}, tuning=Tuning(alone_seconds=0.0)) as cluster:
        found = cluster.search(board, Limits(depth=4), workers=1, threshold=2)
        jobs = sum(member.jobs for member in cluster.head.members.values())
    print(found.value == search(board, Limits(depth=4), workers=1).value, jobs > 0, len(cluster.head.members))
"""


def search_own_game(folder: Path, cluster: str) -> str:
    """A program that searches a game of a user's own on two nodes, and says whether all went well."""
    module, program = folder / "matches_game.py", folder / "program.py"
    module.write_text(OWN_GAME.format(examples=str(Path(__file__).parent.parent / "examples")))
    program.write_text(OWN_SEARCH.format(module=str(module), cluster=cluster))
    return str(program)


ALL_WELL = "True True 2\n"


# --- the games of `examples/` ---

UNDECIDED = {  # positions that some plies do not decide
    "connect-four": "connect-four: c080 200101 black 6 [4]",
    "breakthrough": "breakthrough: 510 1208000000 black 0 [5]",
}


def search_on(cluster: str) -> list[tuple[bool, bool]]:
    """Both games, by the nodes of a cluster: whether the value is right, and whether they had something to do."""
    found = []
    with connect(cluster, workers=1, tuning=Tuning(alone_seconds=0.0, patience_seconds=60.0)) as nodes:
        for text in UNDECIDED.values():
            board = Board.from_text(text)
            value_found = nodes.search(board, Limits(depth=4), workers=1, threshold=2).value
            assert nodes.head is not None
            jobs = sum(member.jobs for member in nodes.head.members.values())
            found.append((value_found == value(drawn_example(board), 4), jobs > 0))
    return found
