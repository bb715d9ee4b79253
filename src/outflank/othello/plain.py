"""Othello's plain rules: a second implementation for the proof checker, which shares no code with `rules`.

A key encodes the board as a number in base 3, with the digits empty, own and opponent's. Of the numbers of the board's
eight symmetric images, the key is the smallest. A board of up to 40 squares fits in the key's first word.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from outflank.games.plain import (
    NONE,
    can_move,
    expand,
    handed_over,
    key_of,
    key_words,
    left,
    next_child,
    outcome,
    position_of,
)
from outflank.kernels.bits import U64, Word, bit_reverse, lowest, popcount
from outflank.kernels.compiler import inner
from outflank.kernels.memory import address_of, record_at
from outflank.kernels.record_types import Record, Records, allocate, record_type
from outflank.othello.rules import WINNER_TAKES_EMPTIES, Othello

ZERO, ONE, THREE = U64(0), U64(1), U64(3)
BYTE = U64(255)

IN_FIRST = 40
"""Number of squares in a key's first word: 3^40 < 2^64."""

TABLES = record_type(
    {
        "board": np.uint64,  # the squares of the board, as bits
        "squares": np.int64,  # the number of squares
        "square": (np.uint8, 64),  # the squares in the order of a key's digits
        "near": (np.uint64, 64),  # the neighbours of each square
        "ahead": (np.uint64, (64, 4)),  # the rays from each square to the right and in the three directions down
        "behind": (np.uint64, (64, 4)),  # the rays in the opposite directions, on a board rotated by 180°
        "digits": (np.uint64, (8, 2, 8, 256)),  # the part of a key for a row's discs, by symmetry, word and row
    }
)


class PlainOthello(NamedTuple):
    """The plain rules of a game of Othello."""

    tables: np.int64
    """Address of the board's record of type `TABLES`."""
    empties_won: int
    """Whether the winner gets the squares that stay empty (0 or 1)."""


def plain_rules(game: Othello) -> PlainOthello:
    """Return the plain rules that correspond to `game`."""
    return PlainOthello(np.int64(address_of(_tables(int(game.mask)))), int(game.scoring == WINNER_TAKES_EMPTIES))


def _ray(cells: Sequence[tuple[int, int]], column: int, row: int, across: int, down: int) -> list[int]:
    """Return the squares beyond a cell in one direction, the nearest first."""
    squares: list[int] = []
    while (column := column + across, row := row + down) in cells:
        squares.append(8 * row + column)
    return squares


@cache
def _tables(mask: int) -> Records:
    """Return the tables of a board, built square by square. They are cached forever, since rules hold the address of
    the tables."""
    tables = allocate(TABLES, 1)
    cells = [(column, row) for row in range(8) for column in range(8) if mask >> (8 * row + column) & 1]
    board = tables[0]
    board.board, board.squares = mask, len(cells)
    for number, (column, row) in enumerate(cells):
        square = 8 * row + column
        board.square[number] = square
        for direction, (across, down) in enumerate(((1, 0), (-1, 1), (0, 1), (1, 1))):
            ahead, behind = _ray(cells, column, row, across, down), _ray(cells, column, row, -across, -down)
            board.ahead[square, direction] = sum(1 << cell for cell in ahead)
            board.behind[square, direction] = sum(1 << 63 - cell for cell in behind)
            board.near[square] |= U64(sum(1 << cell for cell in (*ahead[:1], *behind[:1])))
    for symmetry in range(8):
        for column, row in cells:
            x, y = (7 - column if symmetry & 1 else column), (7 - row if symmetry & 2 else row)
            number = cells.index((y, x) if symmetry & 4 else (x, y))
            word, digit = divmod(number, IN_FIRST)
            for discs in range(256):
                if discs >> column & 1:
                    board.digits[symmetry, word, row, discs] += U64(3**digit)
    return tables


@inner
def _closed(own: Word, opp: Word, ray: Word) -> Word:
    """Return the opponent's discs at the start of a ray if one of our discs follows them, else 0."""
    beyond = ray & ~opp
    if beyond == ZERO:
        return ZERO
    end = beyond & ~(beyond - ONE)  # the nearest square without a disc of the opponent
    return ray & (end - ONE) if end & own != ZERO else ZERO


@inner
def _flipped(board: Record, own: Word, opp: Word, square: int) -> Word:
    """Return the discs that flip when `own` plays on an empty square; 0: the move is illegal."""
    if board.near[square] & opp == ZERO:
        return ZERO
    ahead, behind = ZERO, ZERO
    mine, theirs = bit_reverse(own), bit_reverse(opp)
    for direction in range(4):
        ahead |= _closed(own, opp, board.ahead[square, direction])
        behind |= _closed(mine, theirs, board.behind[square, direction])
    return ahead | bit_reverse(behind)


@expand.register(PlainOthello)
def _(rules, first, second, children, start):
    board = record_at(rules.tables, TABLES)
    todo, end = board.board & ~(first | second), start
    while todo != ZERO:
        square = U64(lowest(todo))
        todo &= todo - ONE
        turned = _flipped(board, first, second, square)
        if turned != ZERO:
            children.moves[end] = np.uint8(square)
            children.first[end] = second ^ turned
            children.second[end] = first | turned | (ONE << square)
            end += 1
    return end


@next_child.register(PlainOthello)
def _(rules, first, second, place):
    board = record_at(rules.tables, TABLES)
    todo = board.board & ~(first | second)
    while place < 64 and (todo >> U64(place)) != ZERO:
        square = U64(place + lowest(todo >> U64(place)))
        turned = _flipped(board, first, second, square)
        if turned != ZERO:
            return np.int64(square) + 1, second ^ turned, first | turned | (ONE << square)
        place = np.int64(square) + 1
    return np.int64(NONE), ZERO, ZERO


@can_move.register(PlainOthello)
def _(rules, first, second):
    place, _, _ = next_child(rules, first, second, np.int64(0))
    return place != NONE


@handed_over.register(PlainOthello)
def _(rules, first, second):
    return second, first


@outcome.register(PlainOthello)
def _(rules, first, second):
    ahead = popcount(first) - popcount(second)
    if rules.empties_won == 0 or ahead == 0:
        return ahead
    empty = left(rules, first, second)
    return ahead + empty if ahead > 0 else ahead - empty


@left.register(PlainOthello)
def _(rules, first, second):
    return popcount(record_at(rules.tables, TABLES).board & ~(first | second))


@key_words.register(PlainOthello)
def _(rules):
    return 1 if record_at(rules.tables, TABLES).squares <= IN_FIRST else 2


@inner
def _digits(board: Record, symmetry: int, word: int, first: Word, second: Word) -> Word:
    """Return word `word` of the key of a symmetric image of the board: a number in base 3."""
    total = ZERO
    for row in range(8):
        shift = U64(8 * row)
        own, opp = (first >> shift) & BYTE, (second >> shift) & BYTE
        total += board.digits[symmetry, word, row, own] + (board.digits[symmetry, word, row, opp] << ONE)
    return total


@key_of.register(PlainOthello)
def _(rules, first, second):
    board = record_at(rules.tables, TABLES)
    key, key_rest = _digits(board, 0, 0, first, second), ZERO
    if board.squares > IN_FIRST:
        key_rest = _digits(board, 0, 1, first, second)
    for symmetry in range(1, 8):
        image, image_rest = _digits(board, symmetry, 0, first, second), ZERO
        if image <= key and board.squares > IN_FIRST:
            image_rest = _digits(board, symmetry, 1, first, second)
        if image < key or (image == key and image_rest < key_rest):
            key, key_rest = image, image_rest
    return key, key_rest


@position_of.register(PlainOthello)
def _(rules, key, key_rest):
    board = record_at(rules.tables, TABLES)
    first, second = ZERO, ZERO
    for number in range(board.squares):
        if number == IN_FIRST:
            key = key_rest
        digit = key % THREE
        key = key // THREE
        disc = ONE << U64(board.square[number])
        if digit == ONE:
            first |= disc
        elif digit != ZERO:
            second |= disc
    return first, second
