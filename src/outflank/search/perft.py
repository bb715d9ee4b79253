"""perft: counting the leaves of a game tree, the usual test of a game's rules and their speed."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from outflank.boards import Board, Move
from outflank.errors import InvalidOption, keep_partial_result
from outflank.games.rules import MOVE, Game, Position, count, fill, most_moves, pack, play, unpack
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.compiler import Samples, kernel
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.workers import run_workers
from outflank.machine import MOST_WORKERS
from outflank.search.python_arguments import check_board
from outflank.validation.values import Between, conform

ROOM = 1 << 14
"""Capacity of a worker's move stack: the moves of all nodes on its current line."""

WORKER = record_type({"leaves": np.int64, "moves": (MOVE, ROOM)})
SHARED = record_type({"next": np.int64, "done": np.int64, "stop": np.int64}, own_lines=("next", "done"))

JOBS_PER_WORKER = 48
"""Number of jobs per worker: enough that all workers end at about the same time."""


@kernel
def leaves(game, position, depth, ended, worker, start, shared):
    """Return the number of leaves `depth` plies below `position`; a game that ends earlier counts as `ended` leaves.

    `worker.moves` is free from `start` on. Once `shared.stop` is set the result is worthless.
    """
    if depth == 1:
        return count(game, position) or ended
    if depth > 3 and load(shared, "stop", "relaxed") != 0:
        return 0
    end = fill(game, position, worker.moves, start)
    if end == start:
        return ended
    total = 0
    for index in range(start, end):
        child = play(game, position, worker.moves[index])
        if depth == 2:
            # Moves of the last ply are counted, not played. They are counted here, because a recursive call for each
            # child costs a third more.
            total += count(game, child) or ended
        else:
            total += leaves(game, child, depth - 1, ended, worker, end, shared)
    return total


@kernel
def count_jobs(game, jobs, depths, counts, ended, worker, shared):
    """Take jobs (two words of a position, and a depth) until none is left. Write the leaves of each to `counts`."""
    while load(shared, "stop", "relaxed") == 0:
        job = fetch_add(shared, "next", 1, "relaxed")
        if job >= len(jobs):
            break
        position = unpack(game, jobs[job, 0], jobs[job, 1])
        start = np.int64(0)  # a literal 0 would be a type of its own, and another compilation
        leaf_count = 1 if depths[job] == 0 else leaves(game, position, depths[job], ended, worker, start, shared)
        if load(shared, "stop", "relaxed") != 0:
            break  # the job was cut short: its result is not a count
        counts[job] = leaf_count
        worker.leaves += leaf_count
        fetch_add(shared, "done", 1, "relaxed")


@leaves.sample
def _leaves_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, position, 2, 1, allocate(WORKER, 1)[0], 0, allocate(SHARED, 1)[0]


@count_jobs.sample
def _jobs_sample(game: Game, position: Position, every: bool) -> Samples:
    jobs, depths = _job_arrays(game, [Subtree(position, 2, 0)])
    yield game, jobs, depths, np.zeros_like(depths), 1, allocate(WORKER, 1)[0], allocate(SHARED, 1)[0]


@dataclass(frozen=True, slots=True)
class Subtree:
    """A subtree to count, below root move number `root`."""

    position: Position
    depth: int
    root: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Perft:
    """Result of `perft`."""

    leaves: int
    seconds: float
    """Time of the count in seconds, without compilation."""
    workers: int
    """Number of threads that counted; 1 if a GPU counted."""
    divide: dict[Move, int]
    """Number of leaves below each root move (`str(move)` is its text); empty if the depth is 0, or if the game is over
    at the root."""
    device: Literal["cpu", "gpu"] = "cpu"
    """Device that counted."""


def perft(
    board: Board,
    depth: int,
    *,
    workers: int = 1,
    finished: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Perft:
    """Count the leaves of the game tree `depth` plies below `board`; a pass counts as a ply.

    A game that ends earlier counts as one leaf if `finished`, else not at all. Rules about a game's history, such as
    draws by repetition, are ignored: positions have no history. `progress(done, total)` receives the number of finished
    jobs. Ctrl-C raises `KeyboardInterrupt`; its attribute `partial_result` is a `Perft` of the finished jobs.

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
    no_jobs = _job_arrays(game, [])
    count_jobs(game, *no_jobs, no_jobs[1].copy(), ended, records[0], shared)  # compiles or loads the kernel
    shared["next"] = 0

    started = time.perf_counter()
    finished_jobs, todo = _split_tree(game, position, roots, depth, job_count=JOBS_PER_WORKER * workers)
    jobs, depths = _job_arrays(game, todo)
    counts = np.zeros(len(todo), np.int64)

    def result() -> Perft:
        seconds = time.perf_counter() - started
        divide = dict.fromkeys(roots, 0)
        for job, leaf_count in zip(todo, counts, strict=True):
            divide[roots[job.root]] += int(leaf_count)
        for job in finished_jobs:
            divide[roots[job.root]] += ended
        by_move = {board.move(code): leaf_count for code, leaf_count in divide.items()}
        return Perft(leaves=sum(divide.values()), seconds=seconds, workers=workers, divide=by_move)

    with keep_partial_result(result):
        run_workers(
            count_jobs,
            [(game, jobs, depths, counts, ended, record, shared) for record in records],
            stop=lambda: store(shared, "stop", 1),
            watch=progress and (lambda: progress(int(load(shared, "done")), len(todo))),
        )
    return result()


def checked_depth(board: Any, depth: object, progress: object) -> int:
    """Return `depth` as an integer. Raise an error if `perft` cannot use one of these arguments."""
    check_board(board, "perft")
    plies: int = conform(int, depth, "depth")
    deepest = ROOM // most_moves(board.game)
    if not 0 <= plies <= deepest:
        raise InvalidOption(f"depth {plies}: perft counts 0 to {deepest} plies here")
    if progress is not None and not callable(progress):
        raise InvalidOption(f"progress={progress!r}: expected a function of how many jobs are done, and of how many")
    return plies


def moves_of(game: Game, position: Position) -> list[int]:
    """Return the codes of a position's moves."""
    buffer = np.zeros(most_moves(game), MOVE)
    return [int(move) for move in buffer[: fill(game, position, buffer, 0)]]


def _split_tree(
    game: Game, position: Position, roots: list[int], depth: int, *, job_count: int
) -> tuple[list[Subtree], list[Subtree]]:
    """Return the games that end above the subtrees, and the subtrees: at least `job_count`, unless the tree is too
    shallow."""
    todo = [Subtree(play(game, position, move), depth - 1, root) for root, move in enumerate(roots)]
    finished: list[Subtree] = []
    while len(todo) < job_count and todo and todo[0].depth > 4:
        children = list(_children(game, todo, finished))
        if not children:
            return finished, []
        todo = children
    return finished, todo


def _children(game: Game, jobs: list[Subtree], finished: list[Subtree]) -> Iterator[Subtree]:
    for job in jobs:
        moves = moves_of(game, job.position)
        if not moves:
            finished.append(job)
        for move in moves:
            yield Subtree(play(game, job.position, move), job.depth - 1, job.root)


def _job_arrays(game: Game, jobs: list[Subtree]) -> tuple[Any, Any]:
    """Return the positions (two words each) and the depths of jobs as arrays for the kernel."""
    words = np.array([pack(game, job.position) for job in jobs], np.uint64).reshape(-1, 2)
    return words, np.array([job.depth for job in jobs], np.int64)
