"""The searches of `outflank bench`. The sum of their node counts is a signature, which changes if the search changes.

The signature depends on the rules, evaluations, move ordering, pruning and the transposition table. It does not depend
on the machine, because every search has one worker, a fixed depth and an empty table of a fixed size. A change that
only makes the code faster leaves the signature unchanged.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Unpack

from outflank.games.description import game_named
from outflank.search.keywords import OptionKeywords
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.search.solving import solve
from outflank.search.whole_search import search

TABLE_BITS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchSearch:
    """One search of the benchmark."""

    game: str
    position: str
    """Name of a position of the game, as in `outflank lab`."""
    depth: int | None
    """Search depth in plies, or None to solve the position."""
    options: OptionKeywords = field(default_factory=OptionKeywords)

    @property
    def name(self) -> str:
        """Description of the search in one line: `othello early1, depth 12, mtdf`."""
        how = "solved" if self.depth is None else f"depth {self.depth}"
        words = [f"{self.game} {self.position}", how, *(str(value) for value in self.options.values())]
        return ", ".join(words)

    def run(self, stop: Stop | None = None) -> Result:
        """Run the search with one worker and an empty transposition table."""
        board = game_named(self.game).lab.positions[self.position]()
        options: OptionKeywords = {"workers": 1, "table_bits": TABLE_BITS, **self.options}
        if self.depth is None:
            return solve(board, stop=stop, **options)
        return search(board, Limits(depth=self.depth), stop=stop, **options)


def _searches(game: str, depth: int, *positions: str, **options: Unpack[OptionKeywords]) -> tuple[BenchSearch, ...]:
    return tuple(
        BenchSearch(game=game, position=position, depth=depth or None, options=options) for position in positions
    )


SEARCHES: tuple[BenchSearch, ...] = (
    *_searches("othello", 11, "start", "opening1", "early1", "early2", "middle1", "middle2", "late1"),
    *_searches("othello", 18, "early3", "middle3", selectivity=73),
    *_searches("othello", 10, "opening2", algorithm="mtdf"),
    *_searches("othello", 10, "middle4", algorithm="alphabeta"),
    *_searches("othello", 6, "opening3", algorithm="minimax"),
    *_searches("othello", 0, "ending1", "ending2", "ffo21", "ffo22", "ffo40"),
    *_searches("abalone", 6, "start", "midgame1", "midgame2", "belgian-daisy"),
    *_searches("abalone", 5, "endgame", algorithm="mtdf"),
)
"""The searches of the benchmark. A test contains their node-count signature and must be changed with them."""


def run_bench(
    searches: Sequence[BenchSearch] = SEARCHES,
    *,
    stop: Stop | None = None,
    begin: Callable[[BenchSearch], None] | None = None,
) -> Iterator[tuple[BenchSearch, Result]]:
    """Run the searches until `stop` is called, and yield each with its result. `begin` is called before each search."""
    for entry in searches:
        if begin is not None:
            begin(entry)
        result = entry.run(stop)
        if stop is not None and stop.called:
            return
        yield entry, result
