"""Positions as planes of bits: an array for each side, in the shape of the board."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from outflank.games.description import description_of
from outflank.games.position_loops import Words
from outflank.games.rules import Game

Planes: TypeAlias = npt.NDArray[np.int8]
"""Zeros and ones, in arrays of the shape (2, …) or (positions, 2, …)."""

WORD_BITS = 64


def planes_of(game: Game, words: Words) -> Planes:
    """Return the planes of packed positions: for each, a plane of the first word and one of the second."""
    little = np.ascontiguousarray(words, "<u8")  # so that the lowest bit is the first on every machine
    bits = np.unpackbits(little.view(np.uint8), axis=1, bitorder="little").reshape(-1, 2, WORD_BITS)
    cells = description_of(game).encoding.cells
    if cells is None:
        return bits.view(np.int8)
    places = cells(game)
    planes: Planes = (bits[:, :, places] * (places >= 0)).astype(np.int8)
    return planes
