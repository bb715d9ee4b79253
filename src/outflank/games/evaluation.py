"""What a search asks of an evaluation: generic over the type of `evaluation`.

An evaluation is a small `NamedTuple`; its type selects the bodies, its fields are read at run
time. It may keep a state that follows the moves (sums that are cheaper to change than to
compute again); the simple ones have none, and need only `value`.

Values are whole numbers for the side to move, within ±`LIMIT`; a search turns them over at every
ply. The opponent's view of the same position is the negative, unless having the move is worth
something to an evaluation.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import isfunction
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from outflank.errors import InvalidOption, UnknownName
from outflank.games.description import GAMES, WON, NamedEvaluation, described, description_of
from outflank.games.rules import score
from outflank.games.search_errors import SearchErrors
from outflank.games.units import Scale
from outflank.kernels.generic import generic, missing
from outflank.plugins import Listed, Registry, Source

LIMIT = 30_000
"""No value lies outside ±LIMIT: it has to fit in an entry of the transposition table."""


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


class Solving(NamedTuple):
    """As `Exact`, with all that the game offers for it (`games/endings.py`), and moves ordered by an estimate."""

    estimate: Any
    """An evaluation; `Exact` itself: there is none."""
    points: int
    """How many points of the estimate make one of the score's units."""


@value.register(Solving)
def _(evaluation, game, position, state):
    return np.int64(0)  # asked only where a line is longer than any search


@final.register(Solving)
def _(evaluation, game, position):
    return np.int64(score(game, position))


# --- chosen by name ---

FROM_FILE = "patterns:"
"""How the name of an evaluation begins whose weights are in a file of the user's."""

_registered: dict[type, dict[str, NamedEvaluation]] = {}
_from_files: dict[type, dict[str, NamedEvaluation]] = {}


def _checked_plugin(name: str, found: object) -> NamedEvaluation:
    if not isinstance(found, NamedEvaluation):
        raise InvalidOption(f"expected a NamedEvaluation, found {found!r}")
    if not name.endswith(f".{found.name}"):
        raise InvalidOption(f"expected the name of its game before its own, as in othello.{found.name}")
    if not isfunction(found.evaluation):
        _check_is_one(found.name, found.evaluation)
    return found


INSTALLED = Registry("evaluation", "outflank.evaluations", {}, check=_checked_plugin)
"""Those of plug-ins, called by their game's name and their own: `othello.corners`."""


def register_evaluation(
    game: type, name: str, evaluation: Any, *, unit: str | None = None, points: int = 1, won: int = WON
) -> None:
    """Let searches of a game choose `evaluation` by `name`; the first one is the default if the game has none.

    `points` of its values make one `unit` to people: tenths of a disc are `unit="discs", points=10`. Without a unit a
    value is told with the evaluation's name. A value beyond `won` is a finished game's. A name belongs to the
    class that took it: defined anew, in a notebook or by a reload, that may take it again, and no other may.
    """
    if not isinstance(game, type):
        raise InvalidOption(f"an evaluation of {game!r}: expected the class of a game, like Othello")
    _check_is_one(name, evaluation)
    taken = _known(game).get(name)
    if taken is not None and _home(taken.evaluation) != _home(evaluation):
        home = ".".join(_home(taken.evaluation))
        raise InvalidOption(f"evaluation {name!r} of {game.__name__} is {home}: choose another name")
    named = NamedEvaluation(name=name, evaluation=evaluation, unit=unit, points=points, won=won)
    _registered.setdefault(game, {})[name] = named


def _check_is_one(name: str, evaluation: Any) -> None:
    if not isinstance(evaluation, tuple):
        found = f"the class {evaluation.__name__}" if isinstance(evaluation, type) else repr(evaluation)
        raise InvalidOption(f"evaluation {name!r}: expected a NamedTuple with a registered `value`, found {found}")


def _known(game: type) -> dict[str, NamedEvaluation]:
    """The evaluations of a class of rules by name: those of its description, then those that were registered."""
    description = described(game)
    own = () if description is None else description.evaluations
    return {each.name: each for each in own} | _registered.get(game, {})


def _home(evaluation: Any) -> tuple[str, str]:
    home = evaluation if isfunction(evaluation) else type(evaluation)
    return home.__module__, home.__qualname__


_made: dict[tuple[Any, str], Any] = {}
"""The evaluations that functions have made, by rules and name."""


def _made_for(game: Any, named: NamedEvaluation) -> Any:
    if not isfunction(named.evaluation):
        return named.evaluation
    key = (type(game), *game), named.name
    if key not in _made:
        made = named.evaluation(game)
        _check_is_one(named.name, made)
        _made[key] = made
    return _made[key]


class _Evaluations(Mapping[str, Any]):
    """Evaluations of some rules by name, each of which is made when it is looked up."""

    def __init__(self, game: Any, known: Mapping[str, NamedEvaluation]) -> None:
        self._game = game
        self._known = known

    def __getitem__(self, name: str) -> Any:
        return _made_for(self._game, self._known[name])

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def evaluations(game: Any) -> Mapping[str, Any]:
    """The evaluations of a game by name, the default first."""
    description = description_of(game)
    known = {name: each for name, each in _known(type(game)).items() if each.suits(game)}
    usual_evaluation = description.usual_evaluation
    usual = next(iter(known), "") if usual_evaluation is None else usual_evaluation(game)
    return _Evaluations(game, dict(sorted(known.items(), key=lambda each: each[0] != usual)))


def is_named(game: Any, evaluation: Any) -> bool:
    """Whether an evaluation is one of those that a game has by name."""
    # By type as well: all evaluations without fields are equal, being empty tuples.
    return any(type(each) is type(evaluation) and each == evaluation for each in evaluations(game).values())


def evaluation_named(game: Any, name: str | None = None) -> Any:
    """The evaluation of a game that is called `name`; the default if there is no name.

    Plug-ins are looked up for a name that is not known otherwise, and for a game that has no evaluation of its own.
    `patterns:FILE` is the one whose weights are in a file that `outflank train` has written.
    """
    if name is not None and name.startswith(FROM_FILE):
        return _from_file(game, name)
    known = evaluations(game)
    if name is None and known:
        return next(iter(known.values()))
    if name is None or name not in known:
        return _installed(game, name, known)
    return known[name]


def _from_file(game: Any, name: str) -> Any:
    description = description_of(game)
    if description.learning is None or not description.learning.suits(game):
        raise InvalidOption(
            f"evaluation {name!r}: {description.describe(game)} has no patterns that could have weights"
        )
    if name == FROM_FILE:
        raise InvalidOption(f"evaluation {name!r}: the name of the file is missing")
    found = description.learning.read(game, name.removeprefix(FROM_FILE))
    _from_files.setdefault(type(game), {})[name] = found  # scales ask for it
    return found.evaluation


def evaluation_chosen(game: Any, chosen: Any) -> Any:
    """An evaluation that is chosen by name, as itself, or not at all: the default."""
    return evaluation_named(game, chosen) if chosen is None or isinstance(chosen, str) else chosen


def _installed(game: Any, name: str | None, known: Iterable[str]) -> Any:
    prefix = f"{description_of(game).name}."
    installed = [each.removeprefix(prefix) for each in INSTALLED.names() if each.startswith(prefix)]
    if name is None and not installed:
        raise UnknownName(f"{description_of(game).title} has no evaluation: register one, or prove scores (exact=True)")
    name = installed[0] if name is None else name
    if name not in installed:
        raise UnknownName.among(f"evaluation of {description_of(game).title}", name, [*known, *installed])
    found = INSTALLED.get(f"{prefix}{name}")
    if not found.suits(game):
        raise InvalidOption(f"evaluation {name!r}: there is none for {description_of(game).describe(game)}")
    _registered.setdefault(type(game), {})[name] = found  # scales ask for it
    return _made_for(game, found)


def list_evaluations() -> list[Listed[NamedEvaluation]]:
    """Those of all games, each called by its game's name and its own, with plug-ins that cannot be used."""
    found: dict[str, Listed[NamedEvaluation]] = {}
    for game in GAMES.listing():
        for each in () if game.part is None else _known(game.part.rules).values():
            package = game.source.package if game.part is not None and each in game.part.evaluations else ""
            name, source = f"{game.name}.{each.name}", Source(place=".".join(_home(each.evaluation)), package=package)
            found[name] = Listed(name=name, source=source, part=each)
    shadowed = []
    for plugin in INSTALLED.listing():
        taken = found.setdefault(plugin.name, plugin)
        if taken.part is not None and taken.part is plugin.part:  # in use already, or not known otherwise
            found[plugin.name] = plugin
        elif taken is not plugin:
            reason = f"evaluation {plugin.name!r} of {plugin.source}: that name belongs to {taken.source}"
            shadowed.append(plugin._replace(part=None, reason=reason))
    return [*found.values(), *shadowed]


def scale_of(game: Any, evaluation: Any) -> Scale:
    """How to read the values that an evaluation gives to positions of a game."""
    unit = description_of(game).unit
    name, points, won = unit.name, 1, 0  # Exact: scores, and nothing else
    if not isinstance(evaluation, Exact | Solving):
        named = _named(game, evaluation)
        name, points, won = named.unit or named.name, named.points, named.won
    score_name = unit.name if unit.scored else None
    decimals = unit.decimals if points > 1 else 0
    found = Scale(unit=name, points=points, decimals=decimals, won=won, score=score_name)
    if name != unit.name:
        return found
    return replace(found, most=None if unit.most is None else unit.most(game), near=round(unit.near * points))


def errors_of(game: Any, evaluation: Any) -> SearchErrors | None:
    """How far searches by an evaluation are off from deeper ones, if that was measured."""
    return _named(game, evaluation).errors(game)


def counted(game: Any) -> Scale:
    """The scale of numbers that are in the game's own unit already: a program's that says discs, a review's."""
    unit = description_of(game).unit
    most = None if unit.most is None else unit.most(game)
    return Scale(unit=unit.name, decimals=unit.decimals, score=unit.name, most=most)


def _named(game: Any, evaluation: Any) -> NamedEvaluation:
    """What is known of an evaluation; of one that nobody has named, the name of its class."""
    for known in (*_known(type(game)).values(), *_from_files.get(type(game), {}).values()):
        # One that has not been made yet is not the one that is asked about.
        its = _made.get(((type(game), *game), known.name)) if isfunction(known.evaluation) else known.evaluation
        # By type as well: all evaluations without fields are equal, being empty tuples.
        if type(its) is type(evaluation) and its == evaluation:
            return known
    return NamedEvaluation(name=type(evaluation).__name__, evaluation=evaluation)


# --- of the right kind ---

_checked: set[tuple[type, ...]] = set()


def check_values(evaluation: Any, game: Any, position: Any) -> None:
    """Refuse an evaluation that gives no whole number: the compiler would cut off what is behind the point.

    Asked of the interpreter, once for each class and the types of its fields.
    """
    kind = (type(evaluation), type(game), *map(type, evaluation))
    if kind in _checked:
        return
    name = type(evaluation).__name__
    if value.dispatch(type(evaluation)) is value.dispatch(object):
        raise InvalidOption(f"evaluation {name}: no body of `value` is registered for it")
    try:
        with np.errstate(all="ignore"):  # words go round in the compiler, without a word
            found = value(evaluation, game, position, begin(evaluation, game, position))
    except Exception:  # whatever it is, who compiles it will explain it; a division by zero is no error there
        return
    if not isinstance(found, Integral | np.bool_):
        how = "scale it, then round or divide by //"
        raise InvalidOption(f"evaluation {name}: its value must be a whole number, found {found!r}: {how}")
    _checked.add(kind)


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
