"""A cache of the boards of a game's nodes."""

from collections import OrderedDict
from typing import Any

from outflank.boards import Board
from outflank.ui.web.games.tree import SavedGame, path_to

MOST_BOARDS = 32


def first_board(saved: SavedGame) -> Board[Any]:
    """Return the board at the start of a game."""
    return Board.from_text(saved.start, game=saved.game, **saved.rules)


class Boards:
    """The last used boards of one game. A node's board never changes: numbers of nodes are not used twice."""

    def __init__(self) -> None:
        self._boards: OrderedDict[int, Board[Any]] = OrderedDict()

    def at(self, saved: SavedGame, number: int) -> Board[Any]:
        """Return the board of a node, with its history; the caller must not change it."""
        board = self._boards.get(number)
        if board is None:
            path = path_to(saved, number)
            known_path = list(path)
            while known_path and known_path[-1].id not in self._boards:
                known_path.pop()
            board = self._boards[known_path[-1].id].copy() if known_path else first_board(saved)
            for node in path[max(len(known_path), 1) :]:
                board.push(node.move)
        self._boards[number] = board
        self._boards.move_to_end(number)
        while len(self._boards) > MOST_BOARDS:
            self._boards.popitem(last=False)
        return board
