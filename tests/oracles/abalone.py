"""Abalone on sets of cells named as players name them: 'A1' to 'I9'."""

from functools import cache
from itertools import product

ROWS = "ABCDEFGHI"
CELLS = {
    f"{row}{column}"
    for number, row in enumerate(ROWS, 1)
    for column in range(1, 10)
    if column - number <= 4 and number - column <= 4
}
STEPS = {"NE": (1, 1), "E": (0, 1), "SE": (-1, 0), "SW": (-1, -1), "W": (0, -1), "NW": (1, 0)}

Marbles = frozenset[str]
Move = tuple[Marbles, str]  # the own marbles that move, and the direction


def beside(cell: str, direction: str, steps: int = 1) -> str:
    """The cell some steps on, perhaps outside the board."""
    row, column = STEPS[direction]
    number = ROWS.index(cell[0]) + steps * row
    letter = ROWS[number] if 0 <= number < 9 else "?"
    return f"{letter}{int(cell[1:]) + steps * column}"


LINES = {
    line
    for cell, direction, length in product(sorted(CELLS), STEPS, (1, 2, 3))
    if (line := frozenset(beside(cell, direction, step) for step in range(length))) <= CELLS
}
"""Every line of one, two or three cells."""


def groups(own: Marbles) -> list[Marbles]:
    """Every line of one, two or three marbles."""
    return [line for line in LINES if line <= own]


@cache
def ahead_of(cells: Marbles, direction: str) -> Marbles:
    """The same cells one step on, perhaps outside the board."""
    return frozenset(beside(cell, direction) for cell in cells)


def attempt(own: Marbles, opp: Marbles, group: Marbles, direction: str) -> tuple[Marbles, Marbles] | None:
    """Both sides' marbles after the group steps, or None if it may not."""
    goals = ahead_of(group, direction)
    inline = len(group) == 1 or bool(goals & group)
    if not inline:
        free = goals <= CELLS and goals.isdisjoint(own) and goals.isdisjoint(opp)
        return (own - group | goals, opp) if free else None
    (ahead,) = goals - group
    if ahead not in CELLS or ahead in own:
        return None
    pushed = []
    while ahead in opp:
        pushed.append(ahead)
        (ahead,) = ahead_of(frozenset([ahead]), direction)
    if len(pushed) >= len(group) or ahead in own:
        return None
    shifted = ahead_of(frozenset(pushed), direction) & CELLS
    return own - group | goals, opp - frozenset(pushed) | shifted


def moves(own: Marbles, opp: Marbles) -> dict[Move, tuple[Marbles, Marbles]]:
    """Every legal move with the marbles after it; none once a side has lost six."""
    if min(len(own), len(opp)) <= 8:
        return {}
    found = {}
    for group, direction in product(groups(own), STEPS):
        after = attempt(own, opp, group, direction)
        if after is not None:
            found[group, direction] = after
    return found


def perft(own: Marbles, opp: Marbles, depth: int) -> int:
    if depth == 0:
        return 1
    legal = moves(own, opp)
    if not legal:
        return 1
    if depth == 1:
        return len(legal)
    return sum(perft(yours, mine, depth - 1) for mine, yours in legal.values())


def read_rows(text: str) -> tuple[Marbles, Marbles]:
    """Black's and white's marbles of nine rows, I first."""
    black, white = set(), set()
    for letter, row in zip(reversed(ROWS), text.split("/"), strict=True):
        cells = sorted((cell for cell in CELLS if cell[0] == letter), key=lambda cell: int(cell[1]))
        for char in row:
            if char.isdigit():
                cells = cells[int(char) :]
            else:
                (black if char == "S" else white).add(cells.pop(0))
        assert not cells
    return frozenset(black), frozenset(white)
