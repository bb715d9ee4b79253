"""The steps of an analysis: deeper and deeper, surer and surer, and a proof where there is an end to come to."""

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

SOON_SECONDS = 0.3
"""What an ending may be expected to take that is proved as soon as there is a first estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One iteration."""

    depth: int | None
    """None: as far as it comes."""
    selectivity: Selectivity = 100
    exact: bool = False


def steps_of(board: Board[Any], *, algorithm: str, depth: int | None, exact: bool) -> Iterator[Step]:
    """What to search, one after the other, until a value is exact."""
    if algorithm in MONTE_CARLO:
        yield Step(depth=None)
        return
    chosen: PlayerKeywords = {"algorithm": algorithm}  # type: ignore[typeddict-item]  # checked with the rest
    selectivity = usual_selectivity(board.game, chosen).get("selectivity", 100)
    horizon = min(deepest(board.game), board.moves_left + 1)
    if exact or (depth is None and algorithm not in TABLELESS and _is_near(board)):
        yield from (Step(depth=each, selectivity=selectivity) for each in range(1, min(GUESSED, horizon)))
        yield Step(depth=None, exact=True)
        return
    last = min(horizon, depth or horizon)
    to_the_end = selectivity < 100 and board.moves_left <= PLAYED_OUT and last == horizon
    yield from (Step(depth=each, selectivity=selectivity) for each in range(1, last - AT_ONCE if to_the_end else last))
    yield Step(depth=last, selectivity=selectivity)
    if to_the_end:
        yield from (Step(depth=last, selectivity=each) for each in PASSES if each > selectivity)
        yield Step(depth=None, exact=True)


def _is_near(board: Board[Any]) -> bool:
    return board.moves_left <= description_of(board.game).ending_time.moves_within(SOON_SECONDS)


USUAL = Options().algorithm
