"""What a search asks of an evaluation: generic over the type of `evaluation`.

An evaluation is a small `NamedTuple`; its type selects the bodies, its fields are read at run
time. It may keep a state that follows the moves (sums that are cheaper to change than to
compute again); the simple ones have none, and need only `value`.

Values are whole numbers for the side to move, within ±`LIMIT`, and the opponent's view of the
same position is the negative: a search turns them over at every ply.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from outflank.errors import UnknownName
from outflank.games.rules import score
from outflank.games.units import Scale, most_of, unit_of
from outflank.kernels.generic import generic, missing

LIMIT = 30_000
"""No value lies outside ±LIMIT: it has to fit in an entry of the transposition table."""

WON = 20_000
"""A finished game is worth this much more than its score to the winner; estimates stay below it."""


@generic
def begin(evaluation: Any, game: Any, position: Any) -> Any:
    """The state for a position, computed from nothing."""
    raise missing(begin, evaluation)


@generic
def after(evaluation: Any, game: Any, state: Any, position: Any, move: Any, child: Any) -> Any:
    """The state for `child`, which `move` made of `position`, from the state for `position`."""
    raise missing(after, evaluation)


@generic
def value(evaluation: Any, game: Any, position: Any, state: Any) -> Any:
    """An estimate of the position for the side to move. It may be asked of finished games too."""
    raise missing(value, evaluation)


@generic
def final(evaluation: Any, game: Any, position: Any) -> Any:
    """The value of a finished game for the side to move."""
    raise missing(final, evaluation)


class Exact(NamedTuple):
    """Nothing is estimated: a finished game is worth its score, and every line is played to its end."""


@value.register(Exact)
def _(evaluation, game, position, state):
    return np.int64(0)  # asked only where a line is longer than any search


@final.register(Exact)
def _(evaluation, game, position):
    return np.int64(score(game, position))


# --- chosen by name ---

_named: dict[type, dict[str, Any]] = {}
_read: dict[tuple[type, str], tuple[str, int, int]] = {}
_usual: dict[type, Callable[[Any], str]] = {}


def register_evaluation(
    game: type, name: str, evaluation: Any, *, unit: str | None = None, points: int = 1, won: int = WON
) -> None:
    """Let searches of a game choose `evaluation` by `name`; the first one is the default.

    `points` of its values make one `unit` to people: tenths of a disc are `unit="discs", points=10`. Without a unit a
    value is told with the evaluation's name. A value beyond `won` is a finished game's.
    """
    _named.setdefault(game, {})[name] = evaluation
    _read[game, name] = unit or name, points, won


def register_usual_evaluation(game: type, name_for: Callable[[Any], str]) -> None:
    """Let the default depend on the rules in force: `name_for(game)` names it."""
    _usual[game] = name_for


def evaluations(game: Any) -> dict[str, Any]:
    """The evaluations of a game by name, the default first."""
    known = _named.get(type(game), {})
    usual = _usual[type(game)](game) if type(game) in _usual else next(iter(known), "")
    return dict(sorted(known.items(), key=lambda each: each[0] != usual))


def evaluation_named(game: Any, name: str | None = None) -> Any:
    """The evaluation of a game that is called `name`; the default if there is no name."""
    known = evaluations(game)
    if not known:
        raise UnknownName(f"{type(game).__name__} has no evaluation: register one")
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise UnknownName.among(f"evaluation of {type(game).__name__}", name, known)
    return known[name]


def scale_of(game: Any, evaluation: Any) -> Scale:
    """How to read the values that an evaluation gives to positions of a game."""
    unit = unit_of(game)
    name, points, won = unit.name, 1, 0  # Exact: scores, and nothing else
    if not isinstance(evaluation, Exact):
        name, points, won = _read.get((type(game), _name_of(game, evaluation)), (type(evaluation).__name__, 1, WON))
    score_name = unit.name if unit.scored else None
    decimals = unit.decimals if points > 1 else 0
    found = Scale(unit=name, points=points, decimals=decimals, won=won, score=score_name)
    if name != unit.name:
        return found
    return replace(found, most=most_of(game), near=round(unit.near * points))


def _name_of(game: Any, evaluation: Any) -> str:
    for name, known in _named.get(type(game), {}).items():
        # By type as well: all evaluations without fields are equal, being empty tuples.
        if type(known) is type(evaluation) and known == evaluation:
            return name
    return ""


# --- what an evaluation without a state inherits ---


@begin.register(object)
def _(evaluation, game, position):
    return ()


@after.register(object)
def _(evaluation, game, state, position, move, child):
    return ()


@final.register(object)
def _(evaluation, game, position):
    won = np.int64(score(game, position))
    if won > 0:
        return WON + won
    if won < 0:
        return won - WON
    return won
