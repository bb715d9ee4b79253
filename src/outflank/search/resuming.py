"""A search by one worker that is interrupted and resumed many times a second: its root is set up once.

Setting up a root takes 4 ms in Python, a large part of a slice of 20 ms; resuming one takes 1.6 ms.
"""

from typing import Any

from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.search.alone import Alone
from outflank.search.checking import MONTE_CARLO, check
from outflank.search.contract import Known, Limits, Options, Stop
from outflank.search.iterations import Stage
from outflank.search.results import Result, Watch
from outflank.search.root import Root
from outflank.search.table import Table


class Resumable:
    """One position, searched repeatedly with the same options: each time to a depth, or to a proof. Its `table` holds
    the state."""

    def __init__(self, board: Board[Any], options: Options, *, table: Table | None) -> None:
        if options.algorithm in MONTE_CARLO or options.deepen:
            raise InvalidOption("a search that is taken up again searches one depth, by a table")
        check(board.game, options, Limits())
        self._board = board
        self._root = Root(board.game, board.position, options, table=table)
        if table is not None:
            table.new_search()

    def search(self, limits: Limits, *, stop: Stop, watch: Watch | None = None, known: Known | None = None) -> Result:
        """Search until `stop` is called, or until the search is done: then the result is not `stopped`."""
        root = self._root
        root.known = known or Known()
        *_, last = Stage(self._board, root, lambda: Alone(root), None, watch).results(limits, stop, None)
        return last
