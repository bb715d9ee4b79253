"""perft: the leaves of a game tree, the classic check of a game's rules and of their speed."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from outflank.boards import Board, Move
from outflank.errors import InvalidOption
from outflank.games.rules import MOVE, count, fill, most_moves, pack, play, unpack
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.compiler import kernel
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.workers import run_workers
from outflank.kinds import Between
from outflank.machine import MOST_WORKERS
from outflank.schema import conform
from outflank.search.options import check_board

ROOM = 1 << 14
"""Moves that a worker can keep for the line it is in."""

WORKER = record_type({"leaves": np.int64, "moves": (MOVE, ROOM)})
SHARED = record_type({"next": np.int64, "done": np.int64, "stop": np.int64}, apart=("next", "done"))

JOBS_PER_WORKER = 48
"""How finely the tree is cut: the last job of each worker ends about together with the others'."""


@kernel
def leaves(game, position, depth, ended, worker, start, shared):
    """Leaves `depth` plies below `position`; a game that is over before counts `ended`.

    `worker.moves` is free from `start` on. Once `shared.stop` is set the answer is worthless.
    """
    if depth == 1:
        return count(game, position) or ended
    if depth > 3 and load(shared, "stop", "relaxed") != 0:
        return 0
    end = fill(game, position, worker.moves, start)
    if end == start:
        return ended
    found = 0
    for index in range(start, end):
        child = play(game, position, worker.moves[index])
        if depth == 2:
            # The last ply is counted, never played; and counted here: as a call it costs a third more.
            found += count(game, child) or ended
        else:
            found += leaves(game, child, depth - 1, ended, worker, end, shared)
    return found


@kernel
def count_jobs(game, jobs, depths, counts, ended, worker, shared):
    """Take jobs (two words each) until none is left; write the leaves of each to `counts`."""
    while load(shared, "stop", "relaxed") == 0:
        job = fetch_add(shared, "next", 1, "relaxed")
        if job >= len(jobs):
            break
        position = unpack(game, jobs[job, 0], jobs[job, 1])
        start = np.int64(0)  # a literal 0 would be a type of its own, and another compilation
        found = 1 if depths[job] == 0 else leaves(game, position, depths[job], ended, worker, start, shared)
        if load(shared, "stop", "relaxed") != 0:
            break  # the job was cut short: what it found is not a count
        counts[job] = found
        worker.leaves += found
        fetch_add(shared, "done", 1, "relaxed")


@leaves.sample
def _leaves_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield game, position, 2, 1, allocate(WORKER, 1)[0], 0, allocate(SHARED, 1)[0]


@count_jobs.sample
def _jobs_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    jobs, depths = _packed(game, [Subtree(position, 2, 0)])
    yield game, jobs, depths, np.zeros_like(depths), 1, allocate(WORKER, 1)[0], allocate(SHARED, 1)[0]


@dataclass(frozen=True, slots=True)
class Subtree:
    """A subtree to count, below root move number `root`."""

    position: Any
    depth: int
    root: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Perft:
    """What a count found."""

    leaves: int
    seconds: float
    """Time of the count itself, without compiling."""
    workers: int
    """Threads that counted; on a GPU, those that told it what to count."""
    divide: dict[Move, int]
    """Leaves below each move of the root (`str(move)` is its text); empty if the game is over there."""
    device: Literal["cpu", "gpu"] = "cpu"
    """Where they were counted."""


def perft(
    board: Board[Any],
    depth: int,
    *,
    workers: int = 1,
    finished: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Perft:
    """Count the leaves of the game tree `depth` plies below `board`, a pass being a ply.

    A game that ends earlier counts as one leaf if `finished`, else not at all. Rules that look
    at a game's history, such as draws by repetition, do not count here: positions have none.
    `progress(done, total)` is told how many of the jobs are done. Ctrl-C raises `KeyboardInterrupt`; its attribute
    `found` is a `Perft` of the jobs that were done.

    >>> perft(Board.from_text("f5"), 3).leaves
    61
    """
    depth = checked_depth(board, depth, progress)
    workers = conform(Annotated[int, Between(1, MOST_WORKERS)], workers, "workers")
    game, position = board.game, board.position
    ended = int(finished)
    roots = moves_of(game, position)
    if depth == 0 or not roots:
        return Perft(leaves=1 if depth == 0 else ended, seconds=0.0, workers=workers, divide={})

    records, shared = allocate(WORKER, workers), allocate(SHARED, 1)[0]
    nothing = _packed(game, [])
    count_jobs(game, *nothing, nothing[1].copy(), ended, records[0], shared)  # compiles, or loads
    shared["next"] = 0

    started = time.perf_counter()
    finished_jobs, todo = _cut(game, position, roots, depth, wanted=JOBS_PER_WORKER * workers)
    jobs, depths = _packed(game, todo)
    counts = np.zeros(len(todo), np.int64)

    def result() -> Perft:
        seconds = time.perf_counter() - started
        divide = dict.fromkeys(roots, 0)
        for job, found in zip(todo, counts, strict=True):
            divide[roots[job.root]] += int(found)
        for job in finished_jobs:
            divide[roots[job.root]] += ended
        by_move = {board.move(code): found for code, found in divide.items()}
        return Perft(leaves=sum(divide.values()), seconds=seconds, workers=workers, divide=by_move)

    try:
        run_workers(
            count_jobs,
            [(game, jobs, depths, counts, ended, record, shared) for record in records],
            stop=lambda: store(shared, "stop", 1),
            watch=progress and (lambda: progress(int(load(shared, "done")), len(todo))),
        )
    except KeyboardInterrupt as interrupt:
        # Not a class of our own: only for this very one a script ends as others do that are interrupted.
        interrupt.found = result()  # type: ignore[attr-defined]  # exceptions take what they are given
        raise
    return result()


def checked_depth(board: Any, depth: Any, progress: Any) -> int:
    """The depth of a count that can be done; one line that says why if it cannot."""
    check_board(board, "perft")
    plies: int = conform(int, depth, "depth")
    deepest = ROOM // most_moves(board.game)
    if not 0 <= plies <= deepest:
        raise InvalidOption(f"depth {plies}: perft counts 0 to {deepest} plies here")
    if progress is not None and not callable(progress):
        raise InvalidOption(f"progress={progress!r}: expected a function of how many jobs are done, and of how many")
    return plies


def moves_of(game: Any, position: Any) -> list[int]:
    """The codes of a position's moves."""
    buffer = np.zeros(most_moves(game), MOVE)
    return [int(move) for move in buffer[: fill(game, position, buffer, 0)]]


def _cut(game: Any, position: Any, roots: list[int], depth: int, *, wanted: int) -> tuple[list[Subtree], list[Subtree]]:
    """Games that ended on the way, and at least `wanted` subtrees unless the tree is too shallow."""
    todo = [Subtree(play(game, position, move), depth - 1, root) for root, move in enumerate(roots)]
    finished: list[Subtree] = []
    while len(todo) < wanted and todo and todo[0].depth > 4:
        children = list(_children(game, todo, finished))
        if not children:
            return finished, []
        todo = children
    return finished, todo


def _children(game: Any, jobs: list[Subtree], finished: list[Subtree]) -> Iterator[Subtree]:
    for job in jobs:
        moves = moves_of(game, job.position)
        if not moves:
            finished.append(job)
        for move in moves:
            yield Subtree(play(game, job.position, move), job.depth - 1, job.root)


def _packed(game: Any, jobs: list[Subtree]) -> tuple[Any, Any]:
    """The jobs as arrays for the kernel: two words and a depth each."""
    words = np.array([pack(game, job.position) for job in jobs], np.uint64).reshape(-1, 2)
    return words, np.array([job.depth for job in jobs], np.int64)
