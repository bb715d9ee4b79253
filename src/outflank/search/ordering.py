"""Which move is tried first.

The table's move always is. Then come killers (moves that cut off a sibling), then what the
game's features promise under the weights of a named ordering, plus the history of cut-offs.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from outflank.errors import InvalidOption, UnknownName
from outflank.games.hints import FEATURES, features, promise
from outflank.games.rules import play
from outflank.kernels.compiler import inner
from outflank.schema import Between, check_fields, kinds_of
from outflank.search.worker import CODES, PLIES, SORT_ALL, SORT_BEST, SORT_NONE
from outflank.words import from_words

ORDERINGS: dict[str, dict[str, int]] = {
    "none": {},
    # Report 000's six, for Othello.
    "stones": {"stones": 1},
    "squares": {"squares": 1},
    "mobility": {"mobility": 1},
    "potential": {"potential": 1},
    "stones+squares": {"stones": 1, "squares": 1},
    # Corners first, then what leaves the opponent few moves. On seven tournament positions at
    # depth 10 this takes 3.2 M nodes, mobility alone 4.0 M, stones+squares 6.5 M.
    "squares+mobility": {"squares": 1, "mobility": 8},
    # Report 003's, for Abalone.
    "kinds": {"kind": 1},
    "reversed": {"generated": 1},
}
"""Weights of features, by the ordering's name; a game knows those whose features it has."""

# On the same positions killers cost Othello a quarter to a third more nodes and history 5 to 25 %.
# In Abalone killers save an eighth (five positions, depth 5); history changes next to nothing there.
DEFAULTS: dict[str, tuple[str, dict[str, bool]]] = {
    "Othello": ("squares+mobility", {}),
    "Abalone": ("kinds", {"killers": True, "history": True}),
}

# Played out to the end, squares count for nothing, and the fewest answers for most.
EXACT_DEFAULTS = {"Othello": "mobility"}

TABLE_MOVE, KILLER = 1 << 40, 1 << 30
HISTORY_LIMIT = 1 << 20

JITTER = 0x3FF
"""What a worker's jitter adds to a score, at most: about four units of a feature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """How moves are ordered, as fields of a worker's record."""

    weights: dict[str, int] = field(default_factory=dict)
    """The features' weights, by name."""
    sort: Literal["all", "best", "none"] = "all"
    """`all` of the moves, or only the `best` first, or `none`."""
    killers: bool = False
    history: bool = False
    from_depth: Annotated[int, Between(0, 1 << 20)] = 2
    """Nodes with less depth left keep the order of generation: sorting there costs more than it saves."""

    def __post_init__(self) -> None:
        check_fields(self)

    def apply(self, game: Any, worker: Any) -> None:
        """Set a worker's options."""
        names = features(game)
        unknown = sorted(set(self.weights) - set(names))
        if unknown:
            raise InvalidOption(f"{type(game).__name__} has no feature {unknown[0]!r} to order by")
        worker.weights[:] = [self.weights.get(name, 0) for name in names] + [0] * (FEATURES - len(names))
        worker.sorting = {"none": SORT_NONE, "best": SORT_BEST, "all": SORT_ALL}[self.sort]
        worker.sort_from = self.from_depth
        worker.killers = int(self.killers)
        worker.history = int(self.history)


def orderings(game: Any) -> list[str]:
    """The names of the orderings that a game has."""
    known = set(features(game))
    return [name for name, weights in ORDERINGS.items() if set(weights) <= known]


def ordering_named(game: Any, name: str | None = None, *, exact: bool = False, **options: Any) -> Ordering:
    """The ordering called `name`, with `Ordering`'s other fields as options or in the name's own words.

    Without a name it is the game's default, which may be another for `exact` play.

    >>> from outflank.games.abalone.kernels import Abalone
    >>> ordering_named(Abalone(marbles=14, goal=6), "kinds:from_depth=1,sort=best").from_depth
    1
    """
    if name is not None:
        name, _, words = name.partition(":")
        options = {**_in_words(name, words), **options}
    if name is None and exact:
        name = EXACT_DEFAULTS.get(type(game).__name__)
    if name is None:
        name, usual = DEFAULTS.get(type(game).__name__, ("none", {"killers": True, "history": True}))
        options = {**usual, **options}
    if name not in orderings(game):
        raise UnknownName.among(f"ordering of {type(game).__name__}", name, orderings(game))
    options.setdefault("sort", "none" if name == "none" and not options else "all")
    return Ordering(weights=ORDERINGS[name], **options)


def _in_words(name: str, words: str) -> dict[str, Any]:
    """Fields as they follow a name: `from_depth=1,sort=best`."""
    kinds = {field: kind for field, kind in kinds_of(Ordering).items() if field != "weights"}
    found = {}
    for word in filter(None, words.split(",")):
        field_, _, text = word.partition("=")
        if field_ not in kinds:
            raise UnknownName.among(f"setting of ordering {name!r}", field_, kinds)
        found[field_] = from_words(kinds[field_], text, f"ordering={name}:{field_}")
    return found


@inner
def weigh(game: Any, position: Any, depth: Any, ply: Any, table_move: Any, start: Any, end: Any, worker: Any) -> Any:
    """Give every move of `worker.moves[start:end]` a score, the highest to be tried first."""
    shallow = depth < worker.sort_from
    for index in range(start, end):
        move = worker.moves[index]
        score = np.int64(0)
        if move == table_move:
            score = np.int64(TABLE_MOVE)
        elif not shallow:
            if worker.killers != 0 and (move == worker.killer[ply, 0] or move == worker.killer[ply, 1]):
                score = np.int64(KILLER)
            score += promise(game, position, move, play(game, position, move), worker.weights) << 8
            if worker.history != 0:
                score += worker.past[move & (CODES - 1)]
            if worker.jitter != 0:
                score += (np.int64(move) + 1) * worker.jitter & JITTER
        worker.scores[index] = score


@inner
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


@inner
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
