"""Weights that come with a game, in the folder `weights` of its package: loaded when they are first asked for."""

from importlib.resources import files

from outflank.games.learnt import ERRORS
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.pattern_weights import read_weights
from outflank.games.search_errors import SearchErrors

_kept: list[LoadedPatterns] = []
"""All that were ever loaded: an evaluation is an address, and nobody knows who has one of them still."""


def keep(loaded: LoadedPatterns) -> LoadedPatterns:
    """See that weights stay where they are."""
    _kept.append(loaded)
    return loaded


class OwnWeights:
    """The weights of a game's patterns."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.loaded: dict[str, LoadedPatterns] = {}
        """By the names of the patterns."""
        self._errors: dict[str, SearchErrors] = {}

    def of(self, patterns: PatternSet) -> LoadedPatterns:
        """Those for some patterns."""
        if patterns.name not in self.loaded:
            data, name = self._read(f"{patterns.name}.weights")
            self.loaded[patterns.name] = keep(LoadedPatterns(patterns, read_weights(patterns, data, name)))
        return self.loaded[patterns.name]

    def errors(self, patterns: PatternSet) -> SearchErrors:
        """How far searches by them are off."""
        if patterns.name not in self._errors:
            self._errors[patterns.name] = SearchErrors.read(*self._read(f"{patterns.name}{ERRORS}"))
        return self._errors[patterns.name]

    def _read(self, name: str) -> tuple[bytes, str]:
        return (files(self._package) / "weights" / name).read_bytes(), name
