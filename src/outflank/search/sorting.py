"""Whole sorts of moves by their scores, for comparison: they differ in how they order moves with equal scores.

The search itself selects the best of the rest at each move (`bring_best`), which costs nothing for moves that a cut-off
spares; the order is that of `insertion` and `merge`, which keep equals as they were generated.
"""

import numpy as np

from outflank.games.rules import Game, Position
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.late import address_for
from outflank.kernels.record_types import allocate
from outflank.search.worker import SORT_ALL, SORT_BACKWARDS, SORT_HEAP, SORT_MERGE, WORKER, Worker


@kernel
def sort_moves(sort, start, end, worker):
    """Put `worker.moves[start:end]` in order, the highest score first; the room above them may be overwritten.

    It is called by the address in the record of a worker that sorts this way: other searches never wait until it is
    compiled.
    """
    if sort == SORT_HEAP:
        _heap(start, end, worker)
    elif sort == SORT_MERGE:
        _merge(start, end, worker)
    else:
        _insertion(start, end, worker, sort == SORT_BACKWARDS)
    return np.int64(0)


@sort_moves.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    yield SORT_MERGE, 0, 2, allocate(WORKER, 1)[0]


def sorting_address(worker: Worker) -> int:
    """Return the value of a worker's `sort_at`; 0 if it selects the best of the rest, or does not sort."""
    return address_for(sort_moves, 0, 0, 0, worker) if worker.sorting > SORT_ALL else 0


@inner
def _insertion(start: int, end: int, worker: Worker, backwards: bool) -> None:
    """Sort with equals as they were generated; or `backwards`, the last first."""
    moves, scores = worker.moves, worker.scores
    for index in range(start + 1, end):
        move, score = moves[index], scores[index]
        place = index
        while place > start and (scores[place - 1] < score or (backwards and scores[place - 1] == score)):
            moves[place], scores[place] = moves[place - 1], scores[place - 1]
            place -= 1
        moves[place], scores[place] = move, score


@inner
def _merge(start: int, end: int, worker: Worker) -> None:
    """Sort with equals as they were generated. Runs of doubling length are merged into the room above and copied
    back."""
    moves, scores = worker.moves, worker.scores
    width = 1
    while width < end - start:
        left = start
        while left < end:
            middle, right = min(left + width, end), min(left + 2 * width, end)
            left_index, right_index, place = left, middle, end + left - start
            while left_index < middle or right_index < right:
                if right_index >= right or (left_index < middle and scores[left_index] >= scores[right_index]):
                    moves[place], scores[place] = moves[left_index], scores[left_index]
                    left_index += 1
                else:
                    moves[place], scores[place] = moves[right_index], scores[right_index]
                    right_index += 1
                place += 1
            left = right
        for index in range(end - start):
            moves[start + index], scores[start + index] = moves[end + index], scores[end + index]
        width *= 2


@inner
def _heap(start: int, end: int, worker: Worker) -> None:
    """Sort with equals in the heap's order. The lowest is on top, and goes to the end."""
    count = end - start
    for top in range(count // 2 - 1, -1, -1):
        _sift(start, top, count, worker)
    for last in range(count - 1, 0, -1):
        _swap(start, start + last, worker)
        _sift(start, 0, last, worker)


@inner
def _sift(start: int, top: int, count: int, worker: Worker) -> None:
    """Let `top` sink until nothing below it is lower."""
    scores = worker.scores
    while True:
        child = 2 * top + 1
        if child >= count:
            return
        if child + 1 < count and scores[start + child + 1] < scores[start + child]:
            child += 1
        if scores[start + top] <= scores[start + child]:
            return
        _swap(start + top, start + child, worker)
        top = child


@inner
def _swap(first: int, second: int, worker: Worker) -> None:
    moves, scores = worker.moves, worker.scores
    move, score = moves[first], scores[first]
    moves[first], scores[first] = moves[second], scores[second]
    moves[second], scores[second] = move, score
