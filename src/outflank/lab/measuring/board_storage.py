"""Seven layouts of an Othello board in memory, each with a function that counts the legal moves.

The published report 000 compared a matrix, an array of bytes and pairs of bits. The report's program played on an array
of bytes, for speed, and stored two bits per square in its table. In Java, the rows of a matrix are separate objects
with an address and a length each, and every access checks its index against the length. Accesses to an array are
checked, too. This package uses the last layout; its move generator never reads a single square.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.games.rules import Game, Position
from outflank.kernels.bits import popcount
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, read_word, record_at
from outflank.othello.rules import legal
from outflank.search.many_endings import Words

SQUARES = 64
EMPTY, MINE, YOURS = 0, 1, 2


MATRIX = np.dtype([("cells", np.uint8, (8, 8))])
ROW = np.dtype([("cells", np.uint8, 8)])
BYTES = np.dtype([("cells", np.uint8, SQUARES)])
PAIRS = np.dtype([("cells", np.uint32, 4)])
BOARDS = np.dtype([("own", np.uint64), ("opp", np.uint64)])


class Matrix(NamedTuple):
    """Boards of eight rows of eight squares, one byte per square."""

    address: int


class Rows(NamedTuple):
    """Like `Matrix`, but the rows of a board are in separate places and are found by their addresses."""

    address: int


class CheckedRows(NamedTuple):
    """Like `Rows`, but each board begins with the count of its rows, and each row with the count of its squares. Every
    access checks its indices against these counts."""

    address: int


class CheckedBytes(NamedTuple):
    """Like `Bytes`, but each board begins with the count of its squares, and every access checks its index against that
    count."""

    address: int


class Bytes(NamedTuple):
    """Boards of 64 squares, one byte per square."""

    address: int


class Pairs(NamedTuple):
    """Boards with two bits per square, in four words of 32 bits."""

    address: int


class Boards(NamedTuple):
    """Boards with one bit per square and side, in two words of 64 bits."""

    address: int


Storage = Matrix | Rows | Bytes | CheckedRows | CheckedBytes | Pairs | Boards


@generic
def square(storage: Storage, number: int, row: int, column: int) -> int:
    """Return the content of a square of board `number`: `EMPTY`, `MINE` or `YOURS`."""
    raise missing(square, storage)


@square.register(Matrix)
def _(storage, number, row, column):
    return record_at(storage.address + 64 * number, MATRIX).cells[row, column]


@square.register(Rows)
def _(storage, number, row, column):
    return record_at(np.int64(read_word(storage.address, 8 * number + row)), ROW).cells[column]


@square.register(Bytes)
def _(storage, number, row, column):
    return record_at(storage.address + 64 * number, BYTES).cells[8 * row + column]


@square.register(CheckedRows)
def _(storage, number, row, column):
    place = 9 * number
    if not 0 <= row < read_word(storage.address, place):
        raise IndexError
    address = np.int64(read_word(storage.address, place + 1 + row))
    if not 0 <= column < read_word(address, 0):
        raise IndexError
    return record_at(address + 8, ROW).cells[column]


@square.register(CheckedBytes)
def _(storage, number, row, column):
    index = 8 * row + column
    if not 0 <= index < read_word(storage.address, 9 * number):
        raise IndexError
    return record_at(storage.address + 72 * number + 8, BYTES).cells[index]


@square.register(Pairs)
def _(storage, number, row, column):
    index = 8 * row + column
    word = record_at(storage.address + 16 * number, PAIRS).cells[index >> 4]
    return (word >> np.uint32(2 * (index & 15))) & np.uint32(3)


@generic
def legal_count(storage: Storage, number: int) -> int:
    """Return the number of legal moves on board `number`."""
    raise missing(legal_count, storage)


@inner
def _captures(storage: Storage, number: int, row: int, column: int, down: int, right: int) -> bool:
    """Return whether a move on the square (`row`, `column`) flips discs in the direction (`down`, `right`)."""
    row, column = row + down, column + right
    length = 0
    while 0 <= row < 8 and 0 <= column < 8:
        content = square(storage, number, row, column)
        if content != YOURS:
            return content == MINE and length > 0
        length += 1
        row, column = row + down, column + right
    return False


@legal_count.register(object)
def _(storage, number):
    total = 0
    for row in range(8):
        for column in range(8):
            if square(storage, number, row, column) == EMPTY:
                playable = False
                for direction in range(9):
                    if direction != 4 and not playable:
                        playable = _captures(storage, number, row, column, direction // 3 - 1, direction % 3 - 1)
                if playable:
                    total += 1
    return total


@legal_count.register(Boards)
def _(storage, number):
    board = record_at(storage.address + 16 * number, BOARDS)
    return popcount(legal(board.own, board.opp))


@kernel
def count_all(storage, count, repeats):
    """Return the number of legal moves of the first `count` boards, summed over `repeats` passes."""
    total = 0
    for _ in range(repeats):
        for number in range(count):
            total += np.int64(legal_count(storage, number))
    return total


@count_all.sample
def _count_all_sample(game: Game, position: Position, every: bool) -> Samples:
    for storage in STORAGES.values() if every else (Boards,):
        boards, _memory = stored_boards(storage, np.zeros((1, 2), np.uint64))
        yield boards, 1, 1


STORAGES: dict[str, type] = {
    "matrix of bytes": Matrix,
    "rows of bytes, apart": Rows,
    "array of bytes": Bytes,
    "rows of bytes, apart, indices checked": CheckedRows,
    "array of bytes, index checked": CheckedBytes,
    "two bits a square": Pairs,
    "two 64-bit words": Boards,
}


def _permuted(count: int) -> npt.NDArray[np.int64]:
    """Return the numbers below `count` in random order. Rows that are allocated one by one lie in memory in such an
    order."""
    return np.random.default_rng(1).permutation(count)


def stored_boards(storage: type, boards: Words) -> tuple[Storage, npt.NDArray[np.generic]]:
    """Return `boards` in the layout `storage`, for kernels, and the array that holds them. The caller must keep the
    array alive."""
    bits = (boards[:, :, None] >> np.arange(SQUARES, dtype=np.uint64)) & np.uint64(1)
    memory: npt.NDArray[np.generic] = np.ascontiguousarray((bits[:, 0] * MINE + bits[:, 1] * YOURS).astype(np.uint8))
    if storage is Pairs:
        words = memory.reshape(-1, 4, 16).astype(np.uint32) << (2 * np.arange(16, dtype=np.uint32))
        memory = np.bitwise_or.reduce(words, axis=2)
    elif storage is Rows:
        rows = memory.reshape(-1, 8).view(np.uint64).ravel()
        places = len(rows) + _permuted(len(rows))
        words = np.empty(2 * len(rows), np.uint64)
        words[: len(rows)] = address_of(words) + 8 * places
        words[places] = rows
        memory = words
    elif storage is CheckedRows:
        rows = memory.reshape(-1, 8).view(np.uint64).ravel()
        tops = np.full((len(boards), 9), 8, np.uint64)
        places = tops.size + 2 * _permuted(len(rows))
        words = np.empty(tops.size + 2 * len(rows), np.uint64)
        tops[:, 1:] = (address_of(words) + 8 * places).reshape(-1, 8)
        words[: tops.size] = tops.ravel()
        words[places], words[places + 1] = 8, rows
        memory = words
    elif storage is CheckedBytes:
        words = np.full((len(boards), 9), SQUARES, np.uint64)
        words[:, 1:] = memory.view(np.uint64)
        memory = words
    elif storage is Boards:
        memory = boards
    return storage(address_of(memory)), memory
