"""Othello's board sizes, scoring rules, square names and starting position."""

from typing import Final

from outflank.errors import UnknownName
from outflank.kernels.bits import U64
from outflank.othello.rules import DISCS, PASS, WINNER_TAKES_EMPTIES, Othello, OthelloPosition

SIZES: Final = (4, 6, 8)

SCORINGS: Final = {"winner-takes-empties": WINNER_TAKES_EMPTIES, "discs": DISCS}

START: Final = OthelloPosition(own=U64(1 << 28 | 1 << 35), opp=U64(1 << 27 | 1 << 36))
"""The starting position in the middle of every board size: on 8×8, black has e4 and d5, white d4 and e5."""


def othello(size: int = 8, scoring: str = "winner-takes-empties") -> Othello:
    """Return the rules on a board of `size` × `size` squares.

    >>> hex(othello(4).mask)
    '0x3c3c3c3c0000'
    """
    if size not in SIZES:
        raise UnknownName.among("board size", str(size), map(str, SIZES))
    if scoring not in SCORINGS:
        raise UnknownName.among("scoring", scoring, SCORINGS)
    first = edge(size)
    row = ((1 << size) - 1) << first
    mask = sum(row << 8 * (first + index) for index in range(size))
    return Othello(U64(mask), SCORINGS[scoring])


def edge(size: int) -> int:
    """Return the number of rows (or columns) between the edge of the 8×8 board and a centred board of `size`."""
    return (8 - size) // 2


def size_of(game: Othello) -> int:
    """Return the size of the board: the number of squares along an edge.

    >>> size_of(othello(6))
    6
    """
    return next(size for size in SIZES if size * size == int(game.mask).bit_count())


def scoring_of(game: Othello) -> str:
    """Return the name of the scoring rule of `game`."""
    return next(name for name, code in SCORINGS.items() if code == game.scoring)


def squares(size: int) -> list[int]:
    """Return the numbers of the squares of a board of `size`, row by row, starting with a1."""
    first = edge(size)
    return [8 * row + column for row in range(first, first + size) for column in range(first, first + size)]


def square_name(size: int, move: int) -> str:
    """Return the name of a move on a board of `size`: its square, or `pass`.

    >>> square_name(8, 37), square_name(6, 9), square_name(8, 64)
    ('f5', 'a1', 'pass')
    """
    if move == PASS:
        return "pass"
    first = edge(size)
    return "abcdefgh"[move % 8 - first] + str(move // 8 - first + 1)


def square_number(size: int, name: str) -> int | None:
    """Return the number of the square called `name`, in upper or lower case; None if the board has no such square.

    >>> square_number(8, "F5"), square_number(4, "f5")
    (37, None)
    """
    if len(name) != 2:
        return None
    column, row = "abcdefgh"[:size].find(name[0].lower()), "12345678"[:size].find(name[1])
    if column < 0 or row < 0:
        return None
    return 8 * (row + edge(size)) + column + edge(size)
