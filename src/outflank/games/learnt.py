"""How an evaluation of a game is learnt, and learnt weights: in users' files, or in a game's folder `weights`."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from outflank.errors import OutflankError, reason_of
from outflank.games.defaults import NamedEvaluation, SearchErrors
from outflank.games.description import description_of
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.pattern_weights import read_weights
from outflank.games.rules import Game, Position

_loaded_patterns: dict[tuple[object, ...], LoadedPatterns] = {}
"""All weights loaded so far, those of users' files by their rules, their file and the file's state. They are never
freed: an evaluation is an address, and any evaluation may still be in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """What `outflank train` needs to know about a game beside its rules."""

    patterns: Callable[[Game], PatternSet]
    """The patterns under given rules."""
    suits: Callable[[Game], bool] = lambda game: True
    """Whether there are patterns under given rules."""
    first: str | None = None
    """The name of the evaluation that plays the first games, for a game that does not end when moves are random. None:
    moves are random."""
    rival: str | None = None
    """The name of the evaluation that the first weights play a match against; None: the game's usual one."""
    result: Callable[[Game, Position], float] | None = None
    """The value of a game's last position to the side to move, in the game's unit, whether the game is over or was cut
    off. None: the score of a finished game, or, where games are only won or lost, plus or minus the largest value of
    the patterns; 0 for a game that was cut off."""
    longest: int = 200
    """Moves after which a game is cut off."""

    def read(self, game: Game, path: str) -> NamedEvaluation:
        """Return the evaluation by the weights in a file. A changed file is read again."""
        if "\0" in path:
            raise OutflankError(f"{path!r}: the name of a file has no NUL character")
        try:
            state = Path(path).stat()
            key = (type(game), *game, path, state.st_mtime_ns, state.st_size)
            if key not in _loaded_patterns:
                patterns = self.patterns(game)
                _loaded_patterns[key] = LoadedPatterns(patterns, read_weights(patterns, Path(path).read_bytes(), path))
        except OSError as error:
            raise OutflankError(f"{path}: {reason_of(error)}") from None
        loaded = _loaded_patterns[key]
        return NamedEvaluation(
            name=f"patterns:{path}",
            evaluation=loaded.evaluation,
            unit=description_of(game).scores.unit,
            points=loaded.patterns.points,
            errors=lambda rules: _errors_beside(path),
            suits=lambda rules: (type(rules), *rules) == (type(game), *game),
        )


ERRORS = ".depths.json"
"""Suffix that is added to the name of a file of weights: the file with the errors of searches by these weights."""


def _errors_beside(path: str) -> SearchErrors | None:
    """Return the formula of the errors that are stored beside a file of weights; None if there are none."""
    try:
        return SearchErrors.read(Path(path + ERRORS).read_bytes(), path + ERRORS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutflankError(f"{path}{ERRORS}: {reason_of(error)}") from None


def keep_loaded(loaded: LoadedPatterns) -> LoadedPatterns:
    """Keep weights in memory for the life of the process, and return them."""
    return _loaded_patterns.setdefault((id(loaded),), loaded)


class OwnWeights:
    """The weights that come with a game, loaded at first use."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.loaded: dict[str, LoadedPatterns] = {}
        """Loaded weights by the names of the patterns."""
        self._errors: dict[str, SearchErrors] = {}

    def of(self, patterns: PatternSet) -> LoadedPatterns:
        """Return the weights for given patterns."""
        if patterns.name not in self.loaded:
            data, name = self._read(f"{patterns.name}.weights")
            self.loaded[patterns.name] = keep_loaded(LoadedPatterns(patterns, read_weights(patterns, data, name)))
        return self.loaded[patterns.name]

    def errors(self, patterns: PatternSet) -> SearchErrors:
        """Return how far searches by these weights differ from deeper ones."""
        if patterns.name not in self._errors:
            self._errors[patterns.name] = SearchErrors.read(*self._read(f"{patterns.name}{ERRORS}"))
        return self._errors[patterns.name]

    def _read(self, name: str) -> tuple[bytes, str]:
        return (files(self._package) / "weights" / name).read_bytes(), name
