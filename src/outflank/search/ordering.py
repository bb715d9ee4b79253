"""Move ordering: scores of moves, their sorting, and the named orderings of a game.

The table's move is always first. Killers come next (the last moves that cut off another node of the same ply). The
other moves are ordered by their *promise*, which is the weighted sum of a move's features, plus the history of
cut-offs.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption, UnknownName
from outflank.games.defaults import OrderingWeights
from outflank.games.description import description_of
from outflank.games.hints import FEATURES, STAGES, features, promise, stage
from outflank.games.rules import Game, MoveCode, Position, play
from outflank.kernels.bits import Int
from outflank.kernels.compiler import Samples, inlined, inner, kernel, never_inlined
from outflank.kernels.late import address_for
from outflank.kernels.record_types import allocate
from outflank.search.worker import (
    CODES,
    PLIES,
    SORT_ALL,
    SORT_BACKWARDS,
    SORT_BEST,
    SORT_HEAP,
    SORT_INSERTION,
    SORT_MERGE,
    SORT_NONE,
    WORKER,
    Worker,
)
from outflank.validation.text import from_words
from outflank.validation.values import Between, check_fields, kinds_of

# Complete sorts of moves by score, for comparison. They differ in the order of moves with equal scores.
#
# The search itself selects the next best move each time (`bring_best`), which costs nothing for moves that a cut-off
# skips. The resulting order is the same as with `insertion` and `merge`, which keep equal moves as they were generated.


@kernel
def sort_moves(sort, start, end, worker):
    """Sort `worker.moves[start:end]` by score, the highest first; entries from `end` on may be overwritten.

    Searches call this kernel by its address in the worker's record, so that it is compiled only if it is used.
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
    """Return the value for a worker's `sort_at`: the address of `sort_moves`, or 0 if the worker does not use it."""
    return address_for(sort_moves, 0, 0, 0, worker) if worker.sorting > SORT_ALL else 0


@inner
def _insertion(start: int, end: int, worker: Worker, backwards: bool) -> None:
    """Sort stably; with `backwards`, moves with equal scores end in reverse order."""
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
    """Sort stably: merge runs of doubling length into the room above `end`, and copy them back."""
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
    """Heapsort with the lowest score on top; the heap decides the order of moves with equal scores."""
    count = end - start
    for top in range(count // 2 - 1, -1, -1):
        _sift(start, top, count, worker)
    for last in range(count - 1, 0, -1):
        _swap(start, start + last, worker)
        _sift(start, 0, last, worker)


@inner
def _sift(start: int, top: int, count: int, worker: Worker) -> None:
    """Move the node `top` of the heap down until no child has a lower score."""
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


TABLE_MOVE, KILLER = 1 << 40, 1 << 30
HISTORY_LIMIT = 1 << 20

JITTER = 0x3FF
"""Maximum number that a worker adds to a move's score to vary the order of moves: about four units of a feature."""

SORTS = {
    "none": SORT_NONE,
    "best": SORT_BEST,
    "all": SORT_ALL,
    "insertion": SORT_INSERTION,
    "backwards": SORT_BACKWARDS,
    "merge": SORT_MERGE,
    "heap": SORT_HEAP,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """Settings of move ordering, which `apply` copies to a worker's record."""

    weights: dict[str, int] = field(default_factory=dict)
    """Weight of each feature, by its name."""
    by_stage: tuple[dict[str, int], ...] = ()
    """Weights for each of the `STAGES` of a game, from its start on; they replace `weights`."""
    sort: Literal["all", "best", "none", "insertion", "backwards", "merge", "heap"] = "all"
    """`all`: select the next best move each time; `best`: only put the best move first; `none`: moves stay as
    generated. The other values sort all moves at once: in the same order as `all` (`insertion`, `merge`), or with equal
    moves in another order (`backwards`, `heap`)."""
    killers: bool = False
    history: bool = False
    from_depth: Annotated[int, Between(0, 1 << 20)] = 2
    """Remaining depth below which moves stay as generated, except for the table's move. At smaller depths, sorting
    costs more than it saves."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.by_stage and (len(self.by_stage) != STAGES or self.weights):
            raise InvalidOption(f"an ordering by_stage has {STAGES} dictionaries of weights, and no weights besides")

    def apply(self, game: Game, worker: Worker) -> None:
        """Copy these settings to a worker's record."""
        names = features(game)
        rows = self.by_stage or (self.weights,) * STAGES
        unknown = sorted({name for row in rows for name in row} - set(names))
        if unknown:
            raise InvalidOption(f"{description_of(game).title} has no feature {unknown[0]!r} to order by")
        for stage_, weights in enumerate(rows):
            worker.weights[stage_] = [weights.get(name, 0) for name in names] + [0] * (FEATURES - len(names))
        worker.staged = int(bool(self.by_stage))
        worker.sorting = SORTS[self.sort]
        worker.sort_at = sorting_address(worker)
        worker.sort_from = self.from_depth
        worker.killers = int(self.killers)
        worker.history = int(self.history)


NONE = OrderingWeights()
"""Ordering without weights: moves stay as generated."""


def orderings(game: Game) -> list[str]:
    """Return the names of a game's orderings."""
    return list(_named(game))


def _named(game: Game) -> dict[str, OrderingWeights]:
    return {"none": NONE, **description_of(game).search.orderings}


def ordering_named(game: Game, name: str | None = None, *, exact: bool = False, **options: Any) -> Ordering:
    """Return the ordering called `name`. Fields of `Ordering` are set by `options`, or after a colon in `name`.

    Without a name, return the game's default ordering, or its default for `exact` play.

    >>> from outflank.abalone.rules import Abalone
    >>> ordering_named(Abalone(marbles=14, goal=6), "kinds:from_depth=1,sort=best").from_depth
    1
    """
    if name is not None:
        name, _, words = name.partition(":")
        options = {**_settings(name, words), **options}
    default_ordering = description_of(game).search.default_ordering
    if name is None and exact and default_ordering.exact is not None:
        name = default_ordering.exact
    if name is None:
        name = default_ordering.name
        options = {"killers": default_ordering.killers, "history": default_ordering.history, **options}
    known = _named(game)
    if name not in known:
        raise UnknownName.among(f"ordering of {description_of(game).title}", name, known)
    options.setdefault("sort", "none" if name == "none" and not options else "all")
    ordering = known[name]
    if ordering.by_stage:
        return Ordering(by_stage=tuple(dict(row) for row in ordering.by_stage), **options)
    return Ordering(weights=dict(ordering.weights), **options)


def _settings(name: str, words: str) -> dict[str, object]:
    """Return the settings in the text after a name and a colon, such as `from_depth=1,sort=best`."""
    kinds = {field: kind for field, kind in kinds_of(Ordering).items() if field not in ("weights", "by_stage")}
    settings = {}
    for word in filter(None, words.split(",")):
        field_, _, text = word.partition("=")
        if field_ not in kinds:
            raise UnknownName.among(f"setting of ordering {name!r}", field_, kinds)
        settings[field_] = from_words(kinds[field_], text, f"ordering={name}:{field_}")
    return settings


@inner
def stage_of_weights(game: Game, position: Position, worker: Worker) -> Int:
    """Return the index of the row of a worker's `weights` for the stage of the game at `position`."""
    return np.int64(0) if worker.staged == 0 else np.int64(stage(game, position))


@inner
def weights_at(game: Game, position: Position, worker: Worker) -> npt.NDArray[np.int64]:
    """Return the weight of each feature at `position`."""
    return worker.weights[stage_of_weights(game, position, worker)]


@inner
def weigh(
    game: Game, position: Position, depth: int, ply: Int, table_move: MoveCode, start: Int, end: int, worker: Worker
) -> None:
    """Write a score for each move of `worker.moves[start:end]` to `worker.scores`; the highest is tried first."""
    shallow = depth < worker.sort_from
    weights = weights_at(game, position, worker)
    for index in range(start, end):
        move = worker.moves[index]
        score = np.int64(0)
        if move == table_move:
            score = np.int64(TABLE_MOVE)
        elif not shallow:
            if worker.killers != 0 and (move == worker.killer[ply, 0] or move == worker.killer[ply, 1]):
                score = np.int64(KILLER)
            score += promise(game, position, move, play(game, position, move), weights) << 8
            if worker.history != 0:
                score += worker.past[move & (CODES - 1)]
            if worker.jitter != 0:
                score += (np.int64(move) + 1) * worker.jitter & JITTER
        worker.scores[index] = score


@never_inlined
def bring_best(index: int, end: int, worker: Worker) -> None:
    """Bring the move with the highest score in `worker.moves[index:end]` to `index`; the other moves keep their
    order."""
    best = index
    for place in range(index + 1, end):
        if worker.scores[place] > worker.scores[best]:
            best = place
    if best != index:
        move, score = worker.moves[best], worker.scores[best]
        for place in range(best, index, -1):
            worker.moves[place] = worker.moves[place - 1]
            worker.scores[place] = worker.scores[place - 1]
        worker.moves[index] = move
        worker.scores[index] = score


@inlined
def record_cutoff(move: MoveCode, depth: int, ply: int, worker: Worker) -> None:
    """Update killers and history after `move` has cut off a node."""
    if worker.killers != 0 and ply < PLIES and worker.killer[ply, 0] != move:
        worker.killer[ply, 1] = worker.killer[ply, 0]
        worker.killer[ply, 0] = move
    if worker.history != 0:
        code = move & (CODES - 1)
        worker.past[code] += depth * depth
        if worker.past[code] > HISTORY_LIMIT:
            for index in range(CODES):
                worker.past[index] >>= 1
