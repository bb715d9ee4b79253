"""The boards of a game's nodes, of which the last ones are kept."""

from collections import OrderedDict
from typing import Any

from outflank.boards import Board
from outflank.ui.web.games.tree import KeptGame, path_to

MOST_BOARDS = 32


def first_board(kept: KeptGame) -> Board[Any]:
    """The board at the start of a game."""
    return Board.from_text(kept.start, game=kept.game, **kept.rules)


class Boards:
    """The boards of one game. A node's is always the same: numbers of nodes are not used twice."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, Board[Any]] = OrderedDict()

    def at(self, kept: KeptGame, number: int) -> Board[Any]:
        """The board of a node, with its history; not to be moved on."""
        found = self._known.get(number)
        if found is None:
            path = path_to(kept, number)
            behind = list(path)
            while behind and behind[-1].id not in self._known:
                behind.pop()
            found = self._known[behind[-1].id].copy() if behind else first_board(kept)
            for each in path[max(len(behind), 1) :]:
                found.push(each.move)
        self._known[number] = found
        self._known.move_to_end(number)
        while len(self._known) > MOST_BOARDS:
            self._known.popitem(last=False)
        return found
