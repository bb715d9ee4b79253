"""How an evaluation of a game is learnt, and weights that a user has learnt: evaluations that are called by a file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank.errors import OutflankError, reason_of
from outflank.games.description import NamedEvaluation, description_of
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.pattern_weights import read_weights
from outflank.games.search_errors import SearchErrors

_kept: dict[tuple[Any, ...], LoadedPatterns] = {}
"""All that were ever loaded, by their rules, their file and its state: an evaluation is an address, and nobody knows
who has one of them still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """What `outflank train` has to know of a game beside its rules."""

    patterns: Callable[[Any], PatternSet]
    """What is looked at, under some rules."""
    suits: Callable[[Any], bool] = lambda game: True
    """Whether there are patterns under some rules."""
    first: str | None = None
    """The evaluation, by name, that plays the first games: for a game that has no end when moves are drawn by lot.
    None: they are drawn."""
    rival: str | None = None
    """The evaluation, by name, that the first weights play a match against; None: the game's usual one."""
    result: Callable[[Any, Any], float] | None = None
    """What the last position of a game is worth to the side to move there, in the game's unit, be it over or cut off;
    None: its score, or where games are only won or lost the largest value of the patterns; cut off, nothing."""
    longest: int = 200
    """Moves after which a game is cut off."""

    def read(self, game: Any, path: str) -> NamedEvaluation:
        """The evaluation by the weights in a file. A file that was written anew is read anew."""
        if "\0" in path:
            raise OutflankError(f"{path!r}: the name of a file has no NUL character")
        try:
            state = Path(path).stat()
            key = (type(game), *game, path, state.st_mtime_ns, state.st_size)
            if key not in _kept:
                patterns = self.patterns(game)
                _kept[key] = LoadedPatterns(patterns, read_weights(patterns, Path(path).read_bytes(), path))
        except OSError as error:
            raise OutflankError(f"{path}: {reason_of(error)}") from None
        loaded = _kept[key]
        return NamedEvaluation(
            name=f"patterns:{path}",
            evaluation=loaded.evaluation,
            unit=description_of(game).unit.name,
            points=loaded.patterns.points,
            errors=lambda rules: _errors_beside(path),
            suits=lambda rules: (type(rules), *rules) == (type(game), *game),
        )


ERRORS = ".depths.json"
"""What is added to the name of a file of weights: how far searches by them are off."""


def _errors_beside(path: str) -> SearchErrors | None:
    """The formula in the document beside a file of weights, if there is one."""
    try:
        return SearchErrors.read(Path(path + ERRORS).read_bytes(), path + ERRORS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutflankError(f"{path}{ERRORS}: {reason_of(error)}") from None
