"""Packed positions as arrays of words for a GPU, and one-line errors for invalid positions."""

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption
from outflank.games.description import description_of
from outflank.games.endings import batch_tables, free_cells
from outflank.games.rules import Game, unpack
from outflank.gpu.ending_kernels import MOST_FREE
from outflank.validation.values import excerpt

Words = npt.NDArray[np.uint64]
"""Packed positions, a row of two words for each."""

WORD_BITS = 64


def cells_of(game: Game) -> np.uint64:
    """Return the cells of the game's board as bits; raise `InvalidOption` if a GPU cannot solve its endgames."""
    description_of(game)  # registers the game's endgame functions
    tables = batch_tables(game)
    if tables is None:
        raise InvalidOption("device gpu: it solves endings only of games whose moves are cells of a board")
    return np.uint64(free_cells(game, tables, unpack(game, np.uint64(0), np.uint64(0))))


def free_counts(game: Game, words: Words) -> npt.NDArray[np.uint8]:
    """Return the number of free cells of each position."""
    counts: npt.NDArray[np.uint8] = np.bitwise_count(cells_of(game) & ~(words[:, 0] | words[:, 1]))
    return counts


def checked_positions(positions: npt.ArrayLike, game: Game) -> Words:
    """Return `positions` as packed words; raise `InvalidOption` if one is invalid or has too many free cells."""
    board, words = cells_of(game), _words(positions)
    if words.size == 0:
        return words.reshape(-1, 2)
    if words.ndim != 2 or words.shape[1] != 2:
        raise InvalidOption(f"positions of shape {words.shape}: expected a row of two words for each")
    occupied = words[:, 0] | words[:, 1]
    wrong = np.flatnonzero((words[:, 0] & words[:, 1]) | (occupied & ~board))
    if len(wrong):
        raise InvalidOption(f"position {wrong[0]}: two pieces on one cell, or one outside the board")
    free = free_counts(game, words)
    if free.max() > MOST_FREE:
        number = int(free.argmax())
        raise InvalidOption(
            f"position {number}: {free[number]} free cells; a device solves endings with at most {MOST_FREE}"
        )
    return words


def _words(positions: npt.ArrayLike) -> Words:
    """Return the integers in `positions` as words. NumPy alone would truncate fractions, and parse digits in text."""
    try:
        # Values that are not in an array become objects: NumPy would convert words to floats if one is negative.
        array = np.asarray(positions, None if hasattr(positions, "__array__") else object)
    except (TypeError, ValueError):
        raise InvalidOption(f"positions: expected a row of two words for each, found {excerpt(positions)}") from None
    if array.size == 0:
        return np.zeros(array.shape, np.uint64)
    if array.dtype.kind not in "iuO":
        raise InvalidOption(f"positions of type {array.dtype}: expected words, numpy.uint64")
    if array.dtype.kind == "O":
        _check_objects(array)
    elif array.dtype.kind == "i" and array.dtype.itemsize * 8 < WORD_BITS and array.min() < 0:
        # The sign of a 64-bit number is the highest bit of a word; in narrower types it is not a bit of a position.
        raise InvalidOption(f"positions of type {array.dtype} below 0: expected words, numpy.uint64")
    return np.ascontiguousarray(array, np.uint64)


def _check_objects(array: npt.NDArray[np.object_]) -> None:
    """Raise `InvalidOption` if an object is not an integer that fits into a word."""
    for value in array.flat:
        if isinstance(value, list | tuple | np.ndarray):
            raise InvalidOption("positions in rows that are not alike: expected a row of two words for each")
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < 1 << WORD_BITS:
            raise InvalidOption(f"positions: expected words, whole numbers of {WORD_BITS} bits, found {excerpt(value)}")
