"""Report 000's way to know a board again under symmetry: four integers of sixteen squares each, one for every corner.

It numbers the squares so that a quarter turn adds 16: then a turned board has the same four integers, in turn. The
report sorts them, does so for the mirrored board too, and takes the greater. It found that too dear, and dropped it.
"""

SIZE = 8
SQUARES = SIZE * SIZE
BITS = 2
"""Of a square: empty, mine or yours."""


def number_of(row: int, column: int) -> int:
    """The number of a square: columns of the first quarter from the top, each further quarter a turn of the last.

    >>> [number_of(0, column) for column in range(8)]
    [0, 4, 8, 12, 19, 18, 17, 16]
    """
    turns = 0
    while not (row < SIZE // 2 and column < SIZE // 2):
        row, column = SIZE - 1 - column, row  # a quarter turn back
        turns += 1
    return SQUARES // 4 * turns + SIZE // 2 * column + row


NUMBERS = tuple(tuple(number_of(row, column) for column in range(SIZE)) for row in range(SIZE))
"""The report's picture."""


def quads(own: int, opp: int, *, mirrored: bool = False) -> tuple[int, int, int, int]:
    """The four integers of a board that is given as bits of 8 · row + column; `mirrored` at the diagonal."""
    found = [0, 0, 0, 0]
    for square in range(SQUARES):
        row, column = divmod(square, SIZE)
        place = NUMBERS[column][row] if mirrored else NUMBERS[row][column]
        stands = (own >> square & 1) | (opp >> square & 1) << 1
        found[place // 16] |= stands << BITS * (place % 16)
    return found[0], found[1], found[2], found[3]


def sorted_key(own: int, opp: int) -> tuple[int, ...]:
    """As the report says: sorted. It is the same for all eight images of a board, but not for them alone."""
    return max(tuple(sorted(quads(own, opp, mirrored=mirrored), reverse=True)) for mirrored in (False, True))


def turned_key(own: int, opp: int) -> tuple[int, ...]:
    """Turned instead, the greatest first: the same for all eight images of a board, and for no other board."""
    both = (quads(own, opp), quads(own, opp, mirrored=True))
    return max(each[turn:] + each[:turn] for each in both for turn in range(4))
