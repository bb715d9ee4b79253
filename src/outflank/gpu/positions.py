"""Positions as a device takes them, arrays of words; what is wrong with others is told in a line."""

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption
from outflank.games.description import description_of
from outflank.games.endings import batch_tables, free_cells
from outflank.games.rules import unpack
from outflank.gpu.endings import MOST_FREE
from outflank.kinds import shown

Words = npt.NDArray[np.uint64]
"""Positions: what `pack` makes of each, a row of two words."""

WORD_BITS = 64


def cells_of(game: Any) -> np.uint64:
    """The cells of the board, as bits, of a game that has a solver for many endings."""
    description_of(game)  # what knows more of its endings is registered then
    tables = batch_tables(game)
    if tables is None:
        raise InvalidOption("device gpu: it solves endings only of games whose moves are cells of a board")
    return np.uint64(free_cells(game, tables, unpack(game, np.uint64(0), np.uint64(0))))


def free_counts(game: Any, words: Words) -> npt.NDArray[np.uint8]:
    """How many cells are free in each position."""
    found: npt.NDArray[np.uint8] = np.bitwise_count(cells_of(game) & ~(words[:, 0] | words[:, 1]))
    return found


def checked_positions(positions: npt.ArrayLike, game: Any) -> Words:
    """Positions of a game that has a solver for many endings, none of them too long for it."""
    board, words = cells_of(game), _words(positions)
    if words.size == 0:
        return words.reshape(-1, 2)
    if words.ndim != 2 or words.shape[1] != 2:
        raise InvalidOption(f"positions of shape {words.shape}: expected a row of two words for each")
    taken = words[:, 0] | words[:, 1]
    wrong = np.flatnonzero((words[:, 0] & words[:, 1]) | (taken & ~board))
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
    """Whole numbers as words, from whatever holds them: NumPy alone would cut fractions off, and read digits."""
    try:
        # What is no array yet stays as it is: NumPy would make floats of words beside negative numbers.
        given = np.asarray(positions, None if hasattr(positions, "__array__") else object)
    except (TypeError, ValueError):
        raise InvalidOption(f"positions: expected a row of two words for each, found {shown(positions)}") from None
    if given.size == 0:
        return np.zeros(given.shape, np.uint64)
    if given.dtype.kind not in "iuO":
        raise InvalidOption(f"positions of type {given.dtype}: expected words, numpy.uint64")
    if given.dtype.kind == "O":
        _check_each(given)
    elif given.dtype.kind == "i" and given.dtype.itemsize * 8 < WORD_BITS and given.min() < 0:
        # One of 64 bits is a word whose highest bit is taken for a sign; in others it is no bit of a position.
        raise InvalidOption(f"positions of type {given.dtype} below 0: expected words, numpy.uint64")
    return np.ascontiguousarray(given, np.uint64)


def _check_each(given: npt.NDArray[np.object_]) -> None:
    """Objects must be whole numbers that a word holds, in rows of two."""
    for each in given.flat:
        if isinstance(each, list | tuple | np.ndarray):
            raise InvalidOption("positions in rows that are not alike: expected a row of two words for each")
        if isinstance(each, bool) or not isinstance(each, int | np.integer) or not 0 <= each < 1 << WORD_BITS:
            raise InvalidOption(f"positions: expected words, whole numbers of {WORD_BITS} bits, found {shown(each)}")
