"""Report 000's key for symmetric boards: four integers of sixteen squares each, one for every quadrant.

Squares are numbered so that a quarter turn adds 16: a rotated board has the same four integers, rotated. The report
sorts them, does the same for the mirrored board, and takes the greater. It found this too slow, and dropped it.
"""

SIZE = 8
SQUARES = SIZE * SIZE
BITS = 2
"""Bits per square: empty, mine or yours."""


def number_of(row: int, column: int) -> int:
    """Return the number of a square: by columns of the first quadrant, then each quadrant a turn of the one before.

    >>> [number_of(0, column) for column in range(8)]
    [0, 4, 8, 12, 19, 18, 17, 16]
    """
    turns = 0
    while not (row < SIZE // 2 and column < SIZE // 2):
        row, column = SIZE - 1 - column, row  # a quarter turn back
        turns += 1
    return SQUARES // 4 * turns + SIZE // 2 * column + row


NUMBERS = tuple(tuple(number_of(row, column) for column in range(SIZE)) for row in range(SIZE))
"""The numbers of all squares, as in the report's picture."""


def quads(own: int, opp: int, *, mirrored: bool = False) -> tuple[int, int, int, int]:
    """Return the four integers of a board given as bits of 8 · row + column; `mirrored`: at the diagonal."""
    integers = [0, 0, 0, 0]
    for square in range(SQUARES):
        row, column = divmod(square, SIZE)
        number = NUMBERS[column][row] if mirrored else NUMBERS[row][column]
        content = (own >> square & 1) | (opp >> square & 1) << 1
        integers[number // 16] |= content << BITS * (number % 16)
    return integers[0], integers[1], integers[2], integers[3]


def sorted_key(own: int, opp: int) -> tuple[int, ...]:
    """Return the report's key, sorted: equal for all eight images of a board, but also for some other boards."""
    return max(tuple(sorted(quads(own, opp, mirrored=mirrored), reverse=True)) for mirrored in (False, True))


def turned_key(own: int, opp: int) -> tuple[int, ...]:
    """Return the greatest rotation of the integers: equal for all eight images of a board, and for no other board."""
    images = (quads(own, opp), quads(own, opp, mirrored=True))
    return max(image[turn:] + image[:turn] for image in images for turn in range(4))
