"""How far the kernels of a search are compiled. This takes up to a minute, once on a machine."""

from outflank.kernels import cache

KERNELS, ENDING_KERNELS = 14, 8
"""Number of kernels that a search of Othello or Abalone needs, and of those that exact searches of Othello need too.
Other games and algorithms need about as many."""

REPORT_SECONDS = 0.5
"""Seconds between two reports of the progress."""

Compiled = tuple[int, int]
"""Number of kernels that are ready, and about how many the search needs."""


class Compilation:
    """The compilation of one search's kernels, which begins when this object is made."""

    def __init__(self, *, exact: bool = False) -> None:
        self.exact = exact
        """Whether exact searches are compiled too."""
        self._ready, self._begun = len(cache.history), len(cache.begun)

    def progress(self) -> Compiled | None:
        """Return the progress, or None if no kernel had to be compiled: those in the cache are loaded in a second."""
        if len(cache.begun) == self._begun:
            return None
        expected = KERNELS + ENDING_KERNELS * self.exact
        return min(len(cache.history) - self._ready, expected), expected
