"""The geometry of the Abalone board: its 61 cells as a ring of 61 bits, directions, symmetries and names.

A hexagon of radius 4 tiles the plane periodically, so its cells can be arranged in a ring: if the cell (row, column)
has the bit `13·row + column (mod 61)`, all 61 cells have different bits, and a step in a direction is the same rotation
of the ring for every cell, by 1, 13 or 14 places forwards or backwards. A marble that leaves the board arrives at a
cell on the opposite side, where a mask removes it.

Other layouts are worse. A plain stride of 8 needs 73 bits. One copy of the board for each axis makes every move more
expensive. A ring of 64 bits, which one instruction could rotate, does not exist: no pair of factors gives the 61 cells
different bits.

Rows are A (0) to I (8), columns 1 (0) to 9 (8), as players name the cells. Cells are numbered in a spiral from the
centre, E5; directions are numbered anticlockwise from the east. Report 003's original lab program has the same numbers.
"""

from math import sqrt
from typing import Final

import numpy as np

from outflank.kernels.bits import U64

Cell = tuple[int, int]
"""A cell as (row, column), both counted from 0."""

RING: Final = 61
CELLS: Final = 61

DIRECTIONS: Final[tuple[Cell, ...]] = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
"""Steps (row, column) to the east, north-east, north-west, west, south-west and south-east."""

CENTRE: Final[Cell] = (4, 4)


def on_board(cell: Cell) -> bool:
    """Return whether `cell` is one of the 61 cells of the board."""
    row, column = cell
    return 0 <= row <= 8 and 0 <= column <= 8 and abs(row - column) <= 4


def stepped(cell: Cell, direction: int, steps: int = 1) -> Cell:
    """Return the cell that is `steps` steps from `cell` in a direction; it may be off the board."""
    row, column = DIRECTIONS[direction]
    return cell[0] + steps * row, cell[1] + steps * column


def centre_of(cell: Cell) -> tuple[float, float]:
    """Return the coordinates (x, y) of a cell, relative to the board's centre; neighbours are 1 apart."""
    row, column = cell[0] - CENTRE[0], cell[1] - CENTRE[1]
    return column - row / 2, -row * sqrt(3) / 2


def _spiral() -> tuple[Cell, ...]:
    """Return the cells ring by ring from the centre; each ring starts in the east and goes anticlockwise."""
    cells = [CENTRE]
    for ring in range(1, 5):
        cell = stepped(CENTRE, 0, ring)
        for side in range(6):
            for _ in range(ring):
                cells.append(cell)
                cell = stepped(cell, (side + 2) % 6)
    return tuple(cells)


SPIRAL: Final = _spiral()
"""All cells, in the order of their numbers."""

NUMBER: Final = {cell: number for number, cell in enumerate(SPIRAL)}


def _bit(cell: Cell) -> int:
    return (13 * cell[0] + cell[1]) % RING


BIT: Final = np.array([_bit(cell) for cell in SPIRAL], np.uint64)
"""Bit of each cell, by the cell's number."""

CELL_OF_BIT: Final = np.argsort(BIT).astype(np.uint16)
"""Number of the cell of each bit."""

BOARD: Final = U64((1 << RING) - 1)
"""The word with the bits of all cells."""


def board(cells: set[Cell]) -> np.uint64:
    """Return the word with the bits of `cells`."""
    return U64(sum(1 << _bit(cell) for cell in cells))


def cells(word: int | np.uint64) -> set[Cell]:
    """Return the cells of the bits that are set in `word`."""
    return {cell for cell in SPIRAL if int(word) >> _bit(cell) & 1}


FORWARD: Final = tuple((13 * row + column) % RING for row, column in DIRECTIONS)
"""Number of places to rotate the ring for one step, by direction."""

INSIDE: Final = tuple(board({cell for cell in SPIRAL if on_board(stepped(cell, direction))}) for direction in range(6))
"""The cells with a neighbour on the board in a direction, by direction."""

ROTATION: Final = np.array(
    [[steps * FORWARD[direction] % RING for steps in range(6)] for direction in range(6)], np.uint64
)
"""Number of places to rotate the ring, by direction and number of steps."""


def _symmetry(number: int, cell: Cell) -> Cell:
    """Return the image of `cell` under symmetry `number`: 0 to 5 are rotations, 6 to 11 reflect before they rotate."""
    row, column = cell[0] - CENTRE[0], cell[1] - CENTRE[1]
    if number >= 6:
        row, column = column, row  # swaps east with north-west, north-east stays
    for _ in range(number % 6):
        row, column = column, column - row  # rotates by a sixth of a turn: east to north-east, and so on
    return row + CENTRE[0], column + CENTRE[1]


SYMMETRIES: Final = 12

CELL_IMAGE: Final = np.array(
    [[NUMBER[_symmetry(number, cell)] for cell in SPIRAL] for number in range(SYMMETRIES)], np.uint16
)
"""Number of a cell's image, by symmetry and the cell's number."""

BIT_IMAGE: Final = np.array([[BIT[image[CELL_OF_BIT[bit]]] for bit in range(RING)] for image in CELL_IMAGE], np.uint64)
"""Bit of a cell's image, by symmetry and the cell's bit."""


def _direction_image(number: int, direction: int) -> int:
    row, column = _symmetry(number, stepped(CENTRE, direction))
    return DIRECTIONS.index((row - CENTRE[0], column - CENTRE[1]))


DIRECTION_IMAGE: Final = np.array(
    [[_direction_image(number, direction) for direction in range(6)] for number in range(SYMMETRIES)],
    np.uint16,
)
"""Number of a direction's image, by symmetry and direction."""


def cell_name(cell: Cell) -> str:
    """Return the name of a cell as players write it.

    >>> cell_name(CENTRE)
    'E5'
    """
    return "ABCDEFGHI"[cell[0]] + str(cell[1] + 1)
