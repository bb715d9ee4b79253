"""A book seen as a tree: from a position, move by move, each position once.

A position that several lines lead to belongs to the shortest of them, and stands elsewhere with the name of that one.
What is below a move is counted so too: no position is counted twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from outflank.boards import Board
from outflank.books.book import Book, Key, key_of
from outflank.books.leading import Leads
from outflank.formats.move_lists import write_moves
from outflank.games.rules import is_pass
from outflank.games.sides import Side


@dataclass(slots=True)
class Branch:
    """A move of a book, with what comes after it."""

    line: tuple[int, ...]
    """The moves that lead here from the position at the root, this one last, passes included."""
    side: Side
    """Who makes it."""
    move: str
    value: int
    """For that side."""
    depth: int | None
    """Plies that the position after it was searched to; None: the book does not know it."""
    games: int
    """How many games came there, of those that the book was learnt from."""
    positions: int
    """Of the book, from there on, that do not belong to another line."""
    same_as: str | None = None
    """The line that the position belongs to, if not to this one."""
    branches: list["Branch"] = field(default_factory=list)

    @property
    def is_home(self) -> bool:
        """Whether the book knows the position after it, and no other line has that."""
        return self.depth is not None


def tree_of(book: Book, board: Board[Any], plies: int) -> list[Branch]:
    """The moves of a book from a position on, so many plies deep."""
    leads = Leads(book)
    root = key_of(board)
    below = _below(leads, root)
    homes: dict[Key, str] = {root: ""}
    tops: list[Branch] = []
    coming = [(board, tops)] if root in book.entries else []
    for _ in range(plies):
        following: list[tuple[Board[Any], list[Branch]]] = []
        for position, branches in coming:
            for after, branch in _branches(book, board, position):
                key = key_of(after)
                if key in homes:
                    branch.same_as = homes[key]
                elif (entry := book.entries.get(key)) is not None and not after.is_game_over():
                    homes[key] = write_moves(board.game, branch.line, board.turn)
                    branch.depth, branch.games, branch.positions = entry.depth, entry.games, below[key]
                    following.append((after, branch.branches))
                branches.append(branch)
        coming = following
    return tops


def _branches(book: Book, root: Board[Any], position: Board[Any]) -> Iterator[tuple[Board[Any], Branch]]:
    """The moves of a position, each with the board after it; of those that are each other's image, the first."""
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


def _below(leads: Leads, root: Key) -> dict[Key, int]:
    """How many positions of the book belong to each, itself included: to the first that leads there, ply by ply."""
    parents: dict[Key, Key] = {root: root}
    order = [root] if root in leads.book.entries else []
    for key in order:  # which grows meanwhile
        replies = leads.replies(key)
        for code, _ in leads.book.entries[key].moves:
            if code in replies and replies[code].sign:
                child = replies[code].key
                if child not in parents and child in leads.book.entries:
                    parents[child] = key
                    order.append(child)
    counts = dict.fromkeys(order, 1)
    for key in reversed(order[1:]):
        counts[parents[key]] += counts[key]
    return counts
