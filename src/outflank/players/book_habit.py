"""The habit of playing from an opening book."""

from typing import Any

from outflank.boards import Board
from outflank.books.book import Book
from outflank.players.player import Choice
from outflank.players.variety import Variety


class BookHabit:
    """The habit of playing from a book."""

    def __init__(self, book: Book, variety: Variety | None = None) -> None:
        self.book, self.variety = book, variety

    def new_game(self, board: Board[Any]) -> None:
        """Do nothing: a book does not change."""

    def choose(self, board: Board[Any]) -> Choice | None:
        """Return the book's best move in this position, or one nearly as good."""
        moves = self.book.look_up(board)
        if not moves:
            return None
        code, value = moves[0]
        if self.variety is not None:
            code = self.variety.pick_weighted(board, moves, self.book.margin)
            value = dict(moves)[code]
        return Choice(move=board.move(code), value=value, scale=self.book.scale, why="book")

    def played(self, board: Board[Any], choice: Choice) -> None:
        """Do nothing: a book does not learn from games."""
