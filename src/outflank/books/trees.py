"""A book as a tree of moves from one position, in which each position is listed once.

A position that several lines reach belongs to the shortest of them, and the other lines refer to that one. It is
counted only in that line.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from outflank.boards import Board
from outflank.books.book import Book, Key, key_of
from outflank.books.move_graph import MoveGraph
from outflank.formats.movetext import write_moves
from outflank.games.rules import is_pass
from outflank.games.sides import Side


@dataclass(slots=True)
class Branch:
    """A move of a book, with the moves that follow it."""

    line: tuple[int, ...]
    """Moves from the root to the position after this move, passes included."""
    side: Side
    """Side that makes the move."""
    move: str
    value: int
    """Value of the move for `side`."""
    depth: int | None
    """Search depth of the position after the move; None if it is not in the book or belongs to another line."""
    games: int
    """Number of games that reached the position after the move; 0 if it was not learnt from games."""
    positions: int
    """Number of the book's positions that follow this move, without those that belong to another line."""
    same_as: str | None = None
    """Moves of the line that the position after this move belongs to, if it is another line."""
    branches: list["Branch"] = field(default_factory=list)

    @property
    def is_home(self) -> bool:
        """Whether the position after the move is in the book and belongs to this line."""
        return self.depth is not None


def tree_of(book: Book, board: Board, plies: int) -> list[Branch]:
    """Return the moves of a book from the position on `board`, as a tree of `plies` levels."""
    graph = MoveGraph(book)
    root = key_of(board)
    below = _below(graph, root)
    homes: dict[Key, str] = {root: ""}
    tops: list[Branch] = []
    current = [(board, tops)] if root in book.entries else []
    for _ in range(plies):
        next_level: list[tuple[Board, list[Branch]]] = []
        for position, branches in current:
            for after, branch in _branches(book, board, position):
                key = key_of(after)
                if key in homes:
                    branch.same_as = homes[key]
                elif (entry := book.entries.get(key)) is not None and not after.is_game_over():
                    homes[key] = write_moves(board.game, branch.line, board.turn)
                    branch.depth, branch.games, branch.positions = entry.depth, entry.games, below[key]
                    next_level.append((after, branch.branches))
                branches.append(branch)
        current = next_level
    return tops


def _branches(book: Book, root: Board, position: Board) -> Iterator[tuple[Board, Branch]]:
    """Yield the book's moves in `position`, each with the board after the move; of symmetric moves only the first."""
    seen: set[Key] = set()
    for code, value in book.look_up(position):
        after = position.copy()
        after.push(after.move(code))
        key = key_of(after)
        while not after.is_game_over() and is_pass(after.game, after.legal_moves[0].code):
            after.push(after.legal_moves[0])
        if key not in seen:
            seen.add(key)
            line = tuple(move.code for move in after.moves[len(root.moves) :])
            yield after, Branch(line, position.turn, str(position.move(code)), value, None, 0, 0)


def _below(graph: MoveGraph, root: Key) -> dict[Key, int]:
    """Return the size of each position's subtree. A position belongs to its first parent in breadth-first order."""
    parents: dict[Key, Key] = {root: root}
    order = [root] if root in graph.book.entries else []
    for key in order:  # grows during the loop
        replies = graph.replies(key)
        for code, _ in graph.book.entries[key].moves:
            if code in replies and replies[code].sign:
                child = replies[code].key
                if child not in parents and child in graph.book.entries:
                    parents[child] = key
                    order.append(child)
    counts = dict.fromkeys(order, 1)
    for key in reversed(order[1:]):
        counts[parents[key]] += counts[key]
    return counts
