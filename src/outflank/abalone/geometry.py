"""The 61 cells of an Abalone board, laid on a ring of 61 bits.

A hexagon of radius 4 tiles the plane, and the tiling's pattern is a ring: if the cell (row, column) has the bit
`13·row + column (mod 61)`, all 61 cells get different bits, and a step in a direction is the same rotation of the ring
from every cell: 1, 13 or 14 places forwards or back. A marble that leaves the board arrives at a cell on the other
side, where a mask removes it. Three axes, constant shifts, one word.

(A plain stride of 8 needs 73 bits; one copy of the board per axis makes every move more expensive; a ring of 64, whose
rotation is one instruction, does not exist: for no pair of factors do the 61 cells get different bits.)

Rows are A (0) to I (8), columns 1 (0) to 9 (8), as players name the cells. Cells are numbered in a spiral from the
centre, E5, outwards; directions are numbered from east in steps of a sixth of a turn: both as in the lab program that
report 003 started from.
"""

from math import sqrt
from typing import Final

import numpy as np

from outflank.kernels.bits import U64

Cell = tuple[int, int]
"""(row, column), from 0."""

RING: Final = 61
CELLS: Final = 61

DIRECTIONS: Final[tuple[Cell, ...]] = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
"""East, north-east, north-west, west, south-west, south-east: steps in (row, column)."""

CENTRE: Final[Cell] = (4, 4)


def on_board(cell: Cell) -> bool:
    """Return whether `cell` is one of the 61."""
    row, column = cell
    return 0 <= row <= 8 and 0 <= column <= 8 and abs(row - column) <= 4


def stepped(cell: Cell, direction: int, steps: int = 1) -> Cell:
    """Return the cell `steps` further on, which may be off the board."""
    row, column = DIRECTIONS[direction]
    return cell[0] + steps * row, cell[1] + steps * column


def centre_of(cell: Cell) -> tuple[float, float]:
    """Return the centre of a cell, relative to the board's centre; neighbours are 1 apart."""
    row, column = cell[0] - CENTRE[0], cell[1] - CENTRE[1]
    return column - row / 2, -row * sqrt(3) / 2


def _spiral() -> tuple[Cell, ...]:
    """Return the cells from the centre out; each ring starts in the east and goes round through the north."""
    cells = [CENTRE]
    for ring in range(1, 5):
        cell = stepped(CENTRE, 0, ring)
        for side in range(6):
            for _ in range(ring):
                cells.append(cell)
                cell = stepped(cell, (side + 2) % 6)
    return tuple(cells)


SPIRAL: Final = _spiral()
"""The cells by number."""

NUMBER: Final = {cell: number for number, cell in enumerate(SPIRAL)}


def _bit(cell: Cell) -> int:
    return (13 * cell[0] + cell[1]) % RING


BIT: Final = np.array([_bit(cell) for cell in SPIRAL], np.uint64)
"""The bit of each cell, by the cell's number."""

CELL_OF_BIT: Final = np.argsort(BIT).astype(np.uint16)
"""The number of the cell of each bit."""

BOARD: Final = U64((1 << RING) - 1)
"""All cells."""


def board(cells: set[Cell]) -> np.uint64:
    """Return the word with the bits of `cells`."""
    return U64(sum(1 << _bit(cell) for cell in cells))


def cells(word: int | np.uint64) -> set[Cell]:
    """Return the cells whose bits are set in `word`."""
    return {cell for cell in SPIRAL if int(word) >> _bit(cell) & 1}


FORWARD: Final = tuple((13 * row + column) % RING for row, column in DIRECTIONS)
"""The rotation of the ring for one step, by direction."""

INSIDE: Final = tuple(board({cell for cell in SPIRAL if on_board(stepped(cell, direction))}) for direction in range(6))
"""The cells that have a neighbour on the board, by direction."""

ROTATION: Final = np.array(
    [[steps * FORWARD[direction] % RING for steps in range(6)] for direction in range(6)], np.uint64
)
"""The rotation of the ring for several steps, by direction and steps."""


def _symmetry(number: int, cell: Cell) -> Cell:
    """Return the image of `cell` under symmetry `number`: rotations by sixths; from 6 on, reflected first."""
    row, column = cell[0] - CENTRE[0], cell[1] - CENTRE[1]
    if number >= 6:
        row, column = column, row  # swaps east with north-west, north-east stays
    for _ in range(number % 6):
        row, column = column, column - row  # one direction on: east to north-east, and so on
    return row + CENTRE[0], column + CENTRE[1]


SYMMETRIES: Final = 12

CELL_IMAGE: Final = np.array(
    [[NUMBER[_symmetry(number, cell)] for cell in SPIRAL] for number in range(SYMMETRIES)], np.uint16
)
"""The number of the image of a cell, by symmetry and the cell's number."""

BIT_IMAGE: Final = np.array([[BIT[image[CELL_OF_BIT[bit]]] for bit in range(RING)] for image in CELL_IMAGE], np.uint64)
"""The bit of the image of a cell, by symmetry and bit."""


def _direction_image(number: int, direction: int) -> int:
    row, column = _symmetry(number, stepped(CENTRE, direction))
    return DIRECTIONS.index((row - CENTRE[0], column - CENTRE[1]))


DIRECTION_IMAGE: Final = np.array(
    [[_direction_image(number, direction) for direction in range(6)] for number in range(SYMMETRIES)],
    np.uint16,
)
"""The image of a direction, by symmetry and direction."""


def cell_name(cell: Cell) -> str:
    """Return the cell as players write it.

    >>> cell_name(CENTRE)
    'E5'
    """
    return "ABCDEFGHI"[cell[0]] + str(cell[1] + 1)
