"""Weights that come with a game, in the folder `weights` of its package: loaded at first use."""

from importlib.resources import files

from outflank.games.defaults import SearchErrors
from outflank.games.learnt import ERRORS
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.pattern_weights import read_weights

_all_loaded: list[LoadedPatterns] = []
"""All weights loaded so far, never freed: an evaluation is an address, and any evaluation may still be in use."""


def keep_loaded(loaded: LoadedPatterns) -> LoadedPatterns:
    """Keep weights in memory for the life of the process, and return them."""
    _all_loaded.append(loaded)
    return loaded


class OwnWeights:
    """The weights of a game's patterns."""

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
