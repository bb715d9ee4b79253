"""The functions through which a search uses an evaluation, dispatched on its type, and the evaluations by name.

An evaluation is a small `NamedTuple`; its type selects the implementations, and its fields are read at run time. It may
have a state that is updated with every move (sums that are cheaper to update than to recompute); a simple evaluation
has no state and needs only `value`.

Values are whole numbers for the side to move, within ±`LIMIT`; a search negates them at every ply. The opponent's value
of the same position is the negative, unless the evaluation has a bonus for the side to move.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import isfunction
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from outflank.errors import InvalidOption, UnknownName
from outflank.games.defaults import NamedEvaluation, SearchErrors
from outflank.games.description import GAMES, described, description_of
from outflank.games.rules import Game, MoveCode, Position, Value, score
from outflank.games.scores import WON, Scale
from outflank.kernels.generic import generic, missing
from outflank.plugins import ListedPart, Registry, Source, note_user_part

LIMIT = 30_000
"""Largest absolute value of an evaluation: values must fit in an entry of the transposition table."""

Evaluation: TypeAlias = Any
"""An evaluation: a `NamedTuple`, whose type selects the implementations."""

State: TypeAlias = Any
"""The data of an evaluation that are updated with every move: a tuple, empty for an evaluation without a state."""


@generic
def begin(evaluation: Evaluation, game: Game, position: Position) -> State:
    """Return the evaluation's state for `position`, computed from scratch."""
    raise missing(begin, evaluation)


@generic
def after(
    evaluation: Evaluation, game: Game, state: State, position: Position, move: MoveCode, child: Position
) -> State:
    """Return the state for `child`, the position after `move`, given the `state` for `position`."""
    raise missing(after, evaluation)


@generic
def value(evaluation: Evaluation, game: Game, position: Position, state: State) -> Value:
    """Return an estimate of `position` for the side to move. Searches may call this for finished games too."""
    raise missing(value, evaluation)


@generic
def final(evaluation: Evaluation, game: Game, position: Position) -> Value:
    """Return the value of a finished game for the side to move."""
    raise missing(final, evaluation)


class Exact(NamedTuple):
    """The evaluation of exact searches: a finished game's value is its score, and there are no estimates."""


@value.register(Exact)
def _(evaluation, game, position, state):
    return np.int64(0)  # called only on a line that is longer than the deepest search


@final.register(Exact)
def _(evaluation, game, position):
    return np.int64(score(game, position))


class Solving(NamedTuple):
    """Like `Exact`, but the search uses the game's functions of `games/endings.py` and orders moves by estimates."""

    estimate: Evaluation
    """The evaluation that orders moves; `Exact`: moves are ordered without one."""
    points: int
    """Number of points of the estimate that make one unit of the score."""


@value.register(Solving)
def _(evaluation, game, position, state):
    return np.int64(0)  # called only on a line that is longer than the deepest search


@final.register(Solving)
def _(evaluation, game, position):
    return np.int64(score(game, position))


# --- evaluations by name ---

FROM_FILE = "patterns:"
"""Prefix in the name of an evaluation with weights from a user's file: `patterns:FILE`."""

_registered: dict[type, dict[str, NamedEvaluation]] = {}
_from_files: dict[type, dict[str, NamedEvaluation]] = {}


def _checked_plugin(name: str, part: object) -> NamedEvaluation:
    if not isinstance(part, NamedEvaluation):
        raise InvalidOption(f"expected a NamedEvaluation, found {part!r}")
    if not name.endswith(f".{part.name}"):
        raise InvalidOption(f"expected the name of its game before its own, as in othello.{part.name}")
    if not isfunction(part.evaluation):
        _check_is_evaluation(part.name, part.evaluation)
    return part


INSTALLED = Registry("evaluation", "outflank.evaluations", {}, check=_checked_plugin)
"""Evaluations of installed plug-ins, with names made of the game's and the evaluation's name: `othello.corners`."""


def register_evaluation(
    game: type, name: str, evaluation: Evaluation, *, unit: str | None = None, points: int = 1, won: int = WON
) -> None:
    """Let searches of a game select `evaluation` by `name`. In a game without evaluations, the first registered
    evaluation is the default.

    `points` points of a value make one `unit`: tenths of a disc are `unit="discs", points=10`. Without a unit a value
    is printed with the evaluation's name. A value beyond ±`won` belongs to a finished game. A name belongs to the class
    that registered it first. Only this class may register it again, for example after it was redefined in a notebook.
    """
    if not isinstance(game, type):
        raise InvalidOption(f"an evaluation of {game!r}: expected the class of a game, like Othello")
    _check_is_evaluation(name, evaluation)
    registered = _known(game).get(name)
    if registered is not None and _home(registered.evaluation) != _home(evaluation):
        home = ".".join(_home(registered.evaluation))
        raise InvalidOption(f"evaluation {name!r} of {game.__name__} is {home}: choose another name")
    named = NamedEvaluation(name=name, evaluation=evaluation, unit=unit, points=points, won=won)
    _registered.setdefault(game, {})[name] = named
    note_user_part(name)  # the games' own evaluations are in their descriptions


def _check_is_evaluation(name: str, evaluation: Evaluation) -> None:
    if not isinstance(evaluation, tuple):
        actual = f"the class {evaluation.__name__}" if isinstance(evaluation, type) else repr(evaluation)
        raise InvalidOption(f"evaluation {name!r}: expected a NamedTuple with a registered `value`, found {actual}")


def _known(game: type) -> dict[str, NamedEvaluation]:
    """Return the evaluations of a class of rules by name: the evaluations of its description, then the registered
    evaluations."""
    description = described(game)
    own = () if description is None else description.search.evaluations
    return {named.name: named for named in own} | _registered.get(game, {})


def _home(evaluation: Evaluation) -> tuple[str, str]:
    home = evaluation if isfunction(evaluation) else type(evaluation)
    return home.__module__, home.__qualname__


_instances: dict[tuple[tuple[object, ...], str], Evaluation] = {}
"""Evaluations made by functions (`NamedEvaluation.evaluation`), by rules and name."""


def _instance_for(game: Game, named: NamedEvaluation) -> Evaluation:
    if not isfunction(named.evaluation):
        return named.evaluation
    key = (type(game), *game), named.name
    if key not in _instances:
        evaluation = named.evaluation(game)
        _check_is_evaluation(named.name, evaluation)
        _instances[key] = evaluation
    return _instances[key]


class _Evaluations(Mapping[str, Evaluation]):
    """The evaluations of a game under given rules by name; each is made when it is first looked up."""

    def __init__(self, game: Game, known: Mapping[str, NamedEvaluation]) -> None:
        self._game = game
        self._known = known

    def __getitem__(self, name: str) -> Evaluation:
        return _instance_for(self._game, self._known[name])

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def evaluations(game: Game) -> Mapping[str, Evaluation]:
    """Return the evaluations of a game by name, the default first."""
    known = {name: named for name, named in _known(type(game)).items() if named.suits(game)}
    default_evaluation = description_of(game).search.default_evaluation
    default = next(iter(known), "") if default_evaluation is None else default_evaluation(game)
    return _Evaluations(game, dict(sorted(known.items(), key=lambda item: item[0] != default)))


def name_of(game: Game, evaluation: Evaluation) -> str | None:
    """Return the name of one of the game's evaluations; None if `evaluation` is none of them."""
    # Types are compared too: evaluations without fields are all equal, because they are empty tuples.
    named = evaluations(game).items()
    return next((name for name, other in named if type(other) is type(evaluation) and other == evaluation), None)


def evaluation_named(game: Game, name: str | None = None) -> Evaluation:
    """Return the evaluation of a game that is called `name`; the default if `name` is None.

    Plug-ins are searched if no other evaluation has the name, or if the game has no evaluation of its own.
    `patterns:FILE` is the evaluation with the weights in a file that `outflank train` has written.
    """
    if name is not None and name.startswith(FROM_FILE):
        return _from_file(game, name)
    known = evaluations(game)
    if name is None and known:
        return next(iter(known.values()))
    if name is None or name not in known:
        return _installed(game, name, known)
    return known[name]


def _from_file(game: Game, name: str) -> Evaluation:
    learning, title = description_of(game).search.learning, description_of(game).describe(game)
    if learning is None or not learning.suits(game):
        raise InvalidOption(f"evaluation {name!r}: {title} has no patterns that could have weights")
    if name == FROM_FILE:
        raise InvalidOption(f"evaluation {name!r}: the name of the file is missing")
    named = learning.read(game, name.removeprefix(FROM_FILE))
    _from_files.setdefault(type(game), {})[name] = named  # so that `scale_of` finds it
    return named.evaluation


def evaluation_chosen(game: Game, choice: Evaluation | str | None) -> Evaluation:
    """Return the evaluation that `choice` names, or `choice` if it is an evaluation itself; None: the default."""
    return evaluation_named(game, choice) if choice is None or isinstance(choice, str) else choice


def _installed(game: Game, name: str | None, known: Iterable[str]) -> Evaluation:
    prefix = f"{description_of(game).name}."
    installed = [full_name.removeprefix(prefix) for full_name in INSTALLED.names() if full_name.startswith(prefix)]
    if name is None and not installed:
        raise UnknownName(f"{description_of(game).title} has no evaluation: register one, or prove scores (exact=True)")
    name = installed[0] if name is None else name
    if name not in installed:
        raise UnknownName.among(f"evaluation of {description_of(game).title}", name, [*known, *installed])
    named = INSTALLED.get(f"{prefix}{name}")
    if not named.suits(game):
        raise InvalidOption(f"evaluation {name!r}: there is none for {description_of(game).describe(game)}")
    _registered.setdefault(type(game), {})[name] = named  # so that `scale_of` finds it
    return _instance_for(game, named)


def list_evaluations() -> list[ListedPart[NamedEvaluation]]:
    """Return the evaluations of all games as listed parts (`othello.corners`), including plug-ins that fail to load."""
    listed: dict[str, ListedPart[NamedEvaluation]] = {}
    for game in GAMES.listing():
        for named in () if game.part is None else _known(game.part.rules).values():
            package = game.source.package if game.part is not None and named in game.part.search.evaluations else ""
            name, source = f"{game.name}.{named.name}", Source(place=".".join(_home(named.evaluation)), package=package)
            listed[name] = ListedPart(name=name, source=source, part=named)
    shadowed = []
    for plugin in INSTALLED.listing():
        existing = listed.setdefault(plugin.name, plugin)
        if existing.part is not None and existing.part is plugin.part:  # the same evaluation under both registries
            listed[plugin.name] = plugin
        elif existing is not plugin:
            reason = f"evaluation {plugin.name!r} of {plugin.source}: that name belongs to {existing.source}"
            shadowed.append(plugin._replace(part=None, reason=reason))
    return [*listed.values(), *shadowed]


def scale_of(game: Game, evaluation: Evaluation) -> Scale:
    """Return the scale of an evaluation's values: their unit, and the values that belong to finished games."""
    scores = description_of(game).scores
    name, points, won = scores.unit, 1, 0  # in exact searches, values are scores
    if not isinstance(evaluation, Exact | Solving):
        named = _named(game, evaluation)
        name, points, won = named.unit or named.name, named.points, named.won
    score_name = scores.unit if scores.scored else None
    decimals = scores.decimals if points > 1 else 0
    scale = Scale(unit=name, points=points, decimals=decimals, won=won, score=score_name)
    if name != scores.unit:
        return scale
    return replace(scale, most=None if scores.most is None else scores.most(game), near=round(scores.near * points))


def errors_of(game: Game, evaluation: Evaluation) -> SearchErrors | None:
    """Return how much the values of shallow and deep searches with `evaluation` differ; None: not measured."""
    return _named(game, evaluation).errors(game)


def unit_scale(game: Game) -> Scale:
    """Return the scale of numbers that are already in the game's unit, such as the values in a review or the values of
    another program."""
    scores = description_of(game).scores
    most = None if scores.most is None else scores.most(game)
    return Scale(unit=scores.unit, decimals=scores.decimals, score=scores.unit, most=most)


def _named(game: Game, evaluation: Evaluation) -> NamedEvaluation:
    """Return the record of an evaluation; an unregistered one gets the name of its class."""
    for known in (*_known(type(game)).values(), *_from_files.get(type(game), {}).values()):
        # A function that was not called yet cannot have made `evaluation`.
        own = _instances.get(((type(game), *game), known.name)) if isfunction(known.evaluation) else known.evaluation
        # Types are compared too, as in `name_of`.
        if type(own) is type(evaluation) and own == evaluation:
            return known
    return NamedEvaluation(name=type(evaluation).__name__, evaluation=evaluation)


# --- checks ---

_checked_kinds: set[tuple[type, ...]] = set()


def check_values(evaluation: Evaluation, game: Game, position: Position) -> None:
    """Raise `InvalidOption` if an evaluation's value is not a whole number: the compiler would drop the fraction.

    The check runs in the interpreter, once for each class of evaluations and each choice of types for its fields.
    """
    kind = (type(evaluation), type(game), *map(type, evaluation))
    if kind in _checked_kinds:
        return
    name = type(evaluation).__name__
    if value.dispatch(type(evaluation)) is value.dispatch(object):
        raise InvalidOption(f"evaluation {name}: no body of `value` is registered for it")
    try:
        with np.errstate(all="ignore"):  # compiled integers wrap around silently
            result = value(evaluation, game, position, begin(evaluation, game, position))
    except Exception:  # the compiler will report any error; a division by zero is no error in compiled code
        return
    if not isinstance(result, Integral | np.bool_):
        advice = "scale it, then round or divide by //"
        raise InvalidOption(f"evaluation {name}: its value must be a whole number, found {result!r}: {advice}")
    _checked_kinds.add(kind)


# --- defaults of evaluations without a state ---


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
