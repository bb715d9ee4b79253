"""Ways to keep a board of Othello in memory, each with the same count of legal moves.

Report 000 weighed the first three: it played with bytes, for their speed, and kept pairs of bits in its table. Ours is
the fourth, where a move generator never looks at a single square.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import popcount
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, record_at
from outflank.othello.rules import legal

Words = npt.NDArray[np.uint64]

SQUARES = 64
EMPTY, MINE, YOURS = 0, 1, 2


MATRIX = np.dtype([("cells", np.uint8, (8, 8))])
BYTES = np.dtype([("cells", np.uint8, SQUARES)])
PAIRS = np.dtype([("cells", np.uint32, 4)])
BOARDS = np.dtype([("own", np.uint64), ("opp", np.uint64)])


class Matrix(NamedTuple):
    """Rows of squares, a byte each."""

    address: int


class Bytes(NamedTuple):
    """A byte a square."""

    address: int


class Pairs(NamedTuple):
    """Two bits a square, in four words of 32 bits."""

    address: int


class Boards(NamedTuple):
    """A bit a square for each side: two words of 64 bits."""

    address: int


@generic
def square(storage: Any, number: Any, row: Any, column: Any) -> Any:
    """What stands on a square of board `number`: `EMPTY`, `MINE` or `YOURS`."""
    raise missing(square, storage)


@square.register(Matrix)
def _(storage, number, row, column):
    return record_at(storage.address + 64 * number, MATRIX).cells[row, column]


@square.register(Bytes)
def _(storage, number, row, column):
    return record_at(storage.address + 64 * number, BYTES).cells[8 * row + column]


@square.register(Pairs)
def _(storage, number, row, column):
    place = 8 * row + column
    word = record_at(storage.address + 16 * number, PAIRS).cells[place >> 4]
    return (word >> np.uint32(2 * (place & 15))) & np.uint32(3)


@generic
def legal_count(storage: Any, number: Any) -> Any:
    """How many squares the side to move can play on."""
    raise missing(legal_count, storage)


@inner
def _captures(storage: Any, number: Any, row: Any, column: Any, down: Any, right: Any) -> Any:
    """Whether discs of the other side lie that way, and then one's own."""
    row, column = row + down, column + right
    length = 0
    while 0 <= row < 8 and 0 <= column < 8:
        found = square(storage, number, row, column)
        if found != YOURS:
            return found == MINE and length > 0
        length += 1
        row, column = row + down, column + right
    return False


@legal_count.register(object)
def _(storage, number):
    found = 0
    for row in range(8):
        for column in range(8):
            if square(storage, number, row, column) == EMPTY:
                open_ = False
                for way in range(9):
                    if way != 4 and not open_:
                        open_ = _captures(storage, number, row, column, way // 3 - 1, way % 3 - 1)
                if open_:
                    found += 1
    return found


@legal_count.register(Boards)
def _(storage, number):
    board = record_at(storage.address + 16 * number, BOARDS)
    return popcount(legal(board.own, board.opp))


@kernel
def count_all(storage, count, repeats):
    """The legal moves of so many boards together, counted so many times over."""
    found = 0
    for _ in range(repeats):
        for number in range(count):
            found += np.int64(legal_count(storage, number))
    return found


@count_all.sample
def _count_all_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for storage in STORAGES.values() if every else (Boards,):
        found, _memory = stored(storage, np.zeros((1, 2), np.uint64))
        yield found, 1, 1


STORAGES: dict[str, type] = {
    "matrix of bytes": Matrix,
    "array of bytes": Bytes,
    "two bits a square": Pairs,
    "two 64-bit words": Boards,
}


def stored(storage: type, boards: Words) -> tuple[Any, npt.NDArray[Any]]:
    """Boards, two words each, kept in another way: for kernels, and the memory, which must be kept as long."""
    bits = (boards[:, :, None] >> np.arange(SQUARES, dtype=np.uint64)) & np.uint64(1)
    memory: npt.NDArray[Any] = np.ascontiguousarray((bits[:, 0] * MINE + bits[:, 1] * YOURS).astype(np.uint8))
    if storage is Pairs:
        pieces = memory.reshape(-1, 4, 16).astype(np.uint32) << (2 * np.arange(16, dtype=np.uint32))
        memory = np.bitwise_or.reduce(pieces, axis=2)
    elif storage is Boards:
        memory = boards
    return storage(address_of(memory)), memory
