"""Solving: a search that proves the final score under perfect play, and nothing less."""

from typing import Any, Unpack

from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.search.contract import Limits, Stop
from outflank.search.deepening import search
from outflank.search.keywords import SearchKeywords
from outflank.search.options import asks
from outflank.search.probes import Instrument
from outflank.search.results import Result, Watch
from outflank.search.table import Table

TABLE_BITS = 22
"""128 MiB: a proof visits the same positions again and again, and all that it forgets it finds out once more."""


@asks
def solve(
    board: Board[Any],
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    watch: Watch | None = None,
    **options: Unpack[SearchKeywords],
) -> Result:
    """Prove the final score of a position under perfect play: `search` with `exact` and a larger table.

    With `wld` it only says who wins; `moves` is how many of the best moves' scores are wanted. Where `seconds`, `nodes`
    or `stop` end it before, `exact` of the result is false, and `lower` and `upper` are what is proved so far.

    >>> import outflank
    >>> board = outflank.OthelloBoard.start(4, scoring="discs")
    >>> outflank.solve(board).said, outflank.solve(board, wld=True).said
    ('-8 discs', 'lost')
    """
    if not options.get("exact", True):
        raise InvalidOption("exact=False: solving is exact; outflank.search estimates")
    chosen: SearchKeywords = {"table_bits": TABLE_BITS, **options, "exact": True}
    return search(board, limits, stop=stop, table=table, instrument=instrument, watch=watch, **chosen)
