"""The steps of an analysis: increasing depth, then decreasing selectivity, then an exact solution near the end."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.search.checking import MONTE_CARLO
from outflank.search.contract import TABLELESS, Options, Selectivity
from outflank.search.deepening import PASSES
from outflank.search.iterations import AT_ONCE, GUESSED
from outflank.search.keywords import PlayerKeywords
from outflank.search.root import PLAYED_OUT, deepest
from outflank.search.usual import usual_selectivity

SOLVED_SOON_SECONDS = 0.3
"""An ending with at most this expected solving time is solved right after the first estimates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One iteration of an analysis."""

    depth: int | None
    """None: unlimited."""
    selectivity: Selectivity = 100
    exact: bool = False


def steps_of(board: Board[Any], *, algorithm: str, depth: int | None, exact: bool) -> Iterator[Step]:
    """Yield the steps of an analysis in order; the caller stops when a value is exact."""
    if algorithm in MONTE_CARLO:
        yield Step(depth=None)
        return
    keywords: PlayerKeywords = {"algorithm": algorithm}  # type: ignore[typeddict-item]  # checked with the rest
    selectivity = usual_selectivity(board.game, keywords).get("selectivity", 100)
    horizon = min(deepest(board.game), board.moves_left + 1)
    if exact or (depth is None and algorithm not in TABLELESS and _is_solved_soon(board)):
        yield from (Step(depth=ply, selectivity=selectivity) for ply in range(1, min(GUESSED, horizon)))
        yield Step(depth=None, exact=True)
        return
    last = min(horizon, depth or horizon)
    to_the_end = selectivity < 100 and board.moves_left <= PLAYED_OUT and last == horizon
    yield from (Step(depth=ply, selectivity=selectivity) for ply in range(1, last - AT_ONCE if to_the_end else last))
    yield Step(depth=last, selectivity=selectivity)
    if to_the_end:
        yield from (Step(depth=last, selectivity=level) for level in PASSES if level > selectivity)
        yield Step(depth=None, exact=True)


def _is_solved_soon(board: Board[Any]) -> bool:
    return board.moves_left <= description_of(board.game).ending_time.moves_within(SOLVED_SOON_SECONDS)


DEFAULT_ALGORITHM = Options().algorithm
