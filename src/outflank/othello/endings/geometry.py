"""What is known of squares and lines before any game: tables in plain Python, copied into the workspaces of workers."""

from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

RAYS: Final = 4
"""The first words of a square's row: what lies beyond it along its row, its column and both diagonals, towards higher
squares. Towards lower ones it is the same on the board turned half round."""

NEIGHBOURS, DIAGONAL, ANTIDIAGONAL, QUADRANT = np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(7)
"""The other words: the squares beside it; its diagonals, itself included; a bit for its quarter of the board."""

_STEPS: Final = ((1, 0), (0, 1), (-1, 1), (1, 1))


def _ray(square: int, across: int, down: int) -> int:
    """The squares beyond `square` in one direction."""
    column, row = square % 8 + across, square // 8 + down
    found = 0
    while 0 <= column < 8 and 0 <= row < 8:
        found |= 1 << 8 * row + column
        column, row = column + across, row + down
    return found


def _row(square: int) -> list[int]:
    column, row = square % 8, square // 8
    beside = sum(
        1 << 8 * y + x
        for y in range(max(row - 1, 0), min(row + 2, 8))
        for x in range(max(column - 1, 0), min(column + 2, 8))
        if (x, y) != (column, row)
    )
    diagonal = _ray(square, 1, 1) | _ray(square, -1, -1) | 1 << square
    antidiagonal = _ray(square, -1, 1) | _ray(square, 1, -1) | 1 << square
    quadrant = 1 << column // 4 + 2 * (row // 4)
    return [*(_ray(square, *step) for step in _STEPS), beside, diagonal, antidiagonal, quadrant]


@cache
def squares() -> npt.NDArray[np.uint64]:
    """A row for each square, of one cache line."""
    return np.array([_row(square) for square in range(64)], np.uint64)


_WORTH: Final = ((18, 4, 16, 12), (4, 2, 6, 8), (16, 6, 10, 8), (12, 8, 8, 0))
"""What a square promises by itself, by its distances from the edges: corners much, what is beside them little."""


@cache
def worth(size: int) -> npt.NDArray[np.int64]:
    """What each square of a board in the middle of 8×8 promises by itself."""
    first = (8 - size) // 2
    found = np.zeros((8, 8), np.int64)
    for row in range(size):
        for column in range(size):
            found[row + first, column + first] = _WORTH[min(row, size - 1 - row)][min(column, size - 1 - column)]
    return found.reshape(64)


@cache
def quarters() -> npt.NDArray[np.uint64]:
    """By bits of quarters: the squares in them."""
    bits = squares()[:, int(QUADRANT)]
    return np.array([sum(1 << s for s in range(64) if int(bits[s]) & chosen) for chosen in range(16)], np.uint64)


GROUPS: Final = 6


@cache
def groups(size: int) -> npt.NDArray[np.uint64]:
    """By bits of odd quarters: the squares in the order in which they are tried without looking at what they do.

    Those of odd quarters first; of these the corners, and last the squares diagonally beside corners. With the corners
    first there were 6 % fewer nodes than by parity alone, with the others last 2 % less.
    """
    first, last = (8 - size) // 2, (8 + size) // 2 - 1
    corners = sum(1 << 8 * row + column for row in (first, last) for column in (first, last))
    beside = sum(1 << 8 * row + column for row in (first + 1, last - 1) for column in (first + 1, last - 1))
    whole = (1 << 64) - 1
    kinds = corners, whole ^ corners ^ beside, beside
    found = [[half & kind for half in (odd, whole ^ odd) for kind in kinds] for odd in map(int, quarters())]
    return np.array(found, np.uint64)


@cache
def stable_from(size: int) -> npt.NDArray[np.int64]:
    """By empty squares: the alpha from which stability is asked whether it can be exceeded at all.

    The lower alpha, the more of the opponent's discs would have to be stable. Where a search goes on below, stability
    is asked again soon: 8×8 endings took 2 % less time with these numbers than where it was asked from 2 n - 2 on, and
    had as many nodes. Further up an answer saves more.
    """
    found = [
        18 if empties == 4 else 2 * empties + 8 if empties <= 10 else min(2 * empties - 4, empties + 11)
        for empties in range(65)
    ]
    return np.array(found, np.int64) * (size * size) // 64


@cache
def _between() -> npt.NDArray[np.uint8]:
    """By place and discs of a line of eight: the squares between the place and the next disc on each side of it."""
    found = np.zeros((8, 256), np.uint8)
    for place in range(8):
        for discs in range(256):
            above = next((end for end in range(place + 1, 8) if discs >> end & 1), place + 1)
            below = next((end for end in range(place - 1, -1, -1) if discs >> end & 1), place - 1)
            found[place, discs] = sum(1 << square for square in range(below + 1, above) if square != place)
    return found


@cache
def _ends() -> npt.NDArray[np.int64]:
    """By place and discs of a line: the next squares on each side of the place that have none of these discs."""
    found = np.zeros((8, 256), np.int64)
    for place in range(8):
        for discs in range(256):
            above = next((end for end in range(place + 1, 8) if not discs >> end & 1), None)
            below = next((end for end in range(place - 1, -1, -1) if not discs >> end & 1), None)
            found[place, discs] = sum(1 << end for end in (above, below) if end is not None)
    return found


@cache
def last_counts() -> npt.NDArray[np.uint8]:
    """By place and own discs of a line: how many of the opponent's turn if they have all the other squares of it."""
    return np.bitwise_count(_between())


@cache
def stable_edges(size: int) -> npt.NDArray[np.uint8]:
    """By own and the opponent's discs on an edge of the board: those of its own that no play along the edge ever turns.

    Whoever plays a free square of the edge, whenever it is, turns what it outflanks along the edge: what is left of the
    own discs after all that can follow is stable. Edges with fewer free squares come first. The squares outside a small
    board are nobody's, as on the board itself.
    """
    first = (8 - size) // 2
    whole = ((1 << size) - 1) << first
    own, opp = np.array([(a, b) for a in range(256) for b in range(256) if not a & b and not (a | b) & ~whole]).T
    found = np.zeros((256, 256), np.uint8)
    between, ends = _between().astype(np.int64), _ends()
    taken = np.bitwise_count(own | opp)
    for discs in range(size, -1, -1):
        mine, yours = own[taken == discs], opp[taken == discs]
        stable = mine.astype(np.uint8)
        for place in range(first, first + size):
            disc = 1 << place
            free = (mine | yours) & disc == 0
            a, b = mine[free], yours[free]
            turned = between[place, ends[place, b] & a]
            stable[free] &= found[a | turned | disc, b ^ turned]
            turned = between[place, ends[place, a] & b]
            stable[free] &= found[a ^ turned, b | turned | disc]
        found[mine, yours] = stable
    return found


def edge_fields(mask: int, size: int) -> dict[str, Any]:
    """Where the edges of a board of `size` in the middle of 8×8 are, as its stability is read off them."""
    first = (8 - size) // 2
    last = first + size - 1
    columns = sum(1 << 8 * row + column for row in range(8) for column in (first, last)) & mask
    rows = sum(1 << 8 * row + column for row in (first, last) for column in range(8)) & mask
    return {
        "top": 8 * first,
        "bottom": 8 * last,
        "left": first,
        "right": last,
        "side_columns": columns,
        "end_rows": rows,
        "border": columns | rows,
        "corners": columns & rows,
    }
