"""Which move is tried first.

The table's move always is. Then come killers (moves that cut off a sibling), then what the
game's features promise under the weights of a named ordering, plus the history of cut-offs.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from outflank.errors import InvalidOption, UnknownName
from outflank.games.description import OrderingWeights, description_of
from outflank.games.hints import FEATURES, STAGES, features, promise, stage
from outflank.games.rules import play
from outflank.kernels.compiler import apart, inlined, inner
from outflank.kinds import Between
from outflank.schema import check_fields, kinds_of
from outflank.search.sorting import sorting_address
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
)
from outflank.words import from_words

TABLE_MOVE, KILLER = 1 << 40, 1 << 30
HISTORY_LIMIT = 1 << 20

JITTER = 0x3FF
"""What a worker's jitter adds to a score, at most: about four units of a feature."""

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
    """How moves are ordered, as fields of a worker's record."""

    weights: dict[str, int] = field(default_factory=dict)
    """The features' weights, by name."""
    by_stage: tuple[dict[str, int], ...] = ()
    """Instead of `weights`, those for each of the `STAGES` of a game, its start first."""
    sort: Literal["all", "best", "none", "insertion", "backwards", "merge", "heap"] = "all"
    """`all` of the moves, each when it is its turn, or only the `best` first, or `none`. The others sort all of them
    at once, to the same order (`insertion`, `merge`) or with equals in another: `backwards`, or as a `heap` has it."""
    killers: bool = False
    history: bool = False
    from_depth: Annotated[int, Between(0, 1 << 20)] = 2
    """Nodes with less depth left keep the order of generation: sorting there costs more than it saves."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.by_stage and (len(self.by_stage) != STAGES or self.weights):
            raise InvalidOption(f"an ordering by_stage has {STAGES} dictionaries of weights, and no weights besides")

    def apply(self, game: Any, worker: Any) -> None:
        """Set a worker's options."""
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
"""Moves as the rules make them."""


def orderings(game: Any) -> list[str]:
    """The names of the orderings that a game has."""
    return list(_named(game))


def _named(game: Any) -> dict[str, OrderingWeights]:
    return {"none": NONE, **description_of(game).orderings}


def ordering_named(game: Any, name: str | None = None, *, exact: bool = False, **options: Any) -> Ordering:
    """The ordering called `name`, with `Ordering`'s other fields as options or in the name's own words.

    Without a name it is the game's default, which may be another for `exact` play.

    >>> from outflank.abalone.rules import Abalone
    >>> ordering_named(Abalone(marbles=14, goal=6), "kinds:from_depth=1,sort=best").from_depth
    1
    """
    if name is not None:
        name, _, words = name.partition(":")
        options = {**_in_words(name, words), **options}
    usual = description_of(game).usual_ordering
    if name is None and exact and usual.exact is not None:
        name = usual.exact
    if name is None:
        name = usual.name
        options = {"killers": usual.killers, "history": usual.history, **options}
    known = _named(game)
    if name not in known:
        raise UnknownName.among(f"ordering of {description_of(game).title}", name, known)
    options.setdefault("sort", "none" if name == "none" and not options else "all")
    found = known[name]
    if found.by_stage:
        return Ordering(by_stage=tuple(dict(row) for row in found.by_stage), **options)
    return Ordering(weights=dict(found.weights), **options)


def _in_words(name: str, words: str) -> dict[str, Any]:
    """Fields as they follow a name: `from_depth=1,sort=best`."""
    kinds = {field: kind for field, kind in kinds_of(Ordering).items() if field not in ("weights", "by_stage")}
    found = {}
    for word in filter(None, words.split(",")):
        field_, _, text = word.partition("=")
        if field_ not in kinds:
            raise UnknownName.among(f"setting of ordering {name!r}", field_, kinds)
        found[field_] = from_words(kinds[field_], text, f"ordering={name}:{field_}")
    return found


@inner
def stage_of_weights(game: Any, position: Any, worker: Any) -> Any:
    """Which of a worker's `weights` count where the game has come as far as in `position`."""
    return np.int64(0) if worker.staged == 0 else np.int64(stage(game, position))


@inner
def weights_at(game: Any, position: Any, worker: Any) -> Any:
    """The weights of the features there."""
    return worker.weights[stage_of_weights(game, position, worker)]


@inner
def weigh(game: Any, position: Any, depth: Any, ply: Any, table_move: Any, start: Any, end: Any, worker: Any) -> Any:
    """Give every move of `worker.moves[start:end]` a score, the highest to be tried first."""
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


@apart
def bring_best(index: Any, end: Any, worker: Any) -> Any:
    """Move the highest score of the rest to `index`, keeping the order of the others."""
    best = index
    for other in range(index + 1, end):
        if worker.scores[other] > worker.scores[best]:
            best = other
    if best != index:
        move, score = worker.moves[best], worker.scores[best]
        for other in range(best, index, -1):
            worker.moves[other] = worker.moves[other - 1]
            worker.scores[other] = worker.scores[other - 1]
        worker.moves[index] = move
        worker.scores[index] = score


@inlined
def reward(move: Any, depth: Any, ply: Any, worker: Any) -> Any:
    """Remember that `move` made an end of a node."""
    if worker.killers != 0 and ply < PLIES and worker.killer[ply, 0] != move:
        worker.killer[ply, 1] = worker.killer[ply, 0]
        worker.killer[ply, 0] = move
    if worker.history != 0:
        code = move & (CODES - 1)
        worker.past[code] += depth * depth
        if worker.past[code] > HISTORY_LIMIT:
            for other in range(CODES):
                worker.past[other] >>= 1
