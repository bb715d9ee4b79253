"""Levels: what a player of a given strength may look at.

A level is a depth and, in Othello, the number of empty squares from which the game is played out exactly. They grow by
what one level more costs: about twice the time. There is no handicap but the depth: a low level plays its best.
"""

from dataclasses import dataclass

from outflank.errors import InvalidOption

HIGHEST = 20


@dataclass(frozen=True, slots=True)
class Level:
    """How far a player looks."""

    number: int
    othello_depth: int
    exact_empties: int
    """Othello: empty squares from which every move is searched to the end."""
    abalone_depth: int


_TABLE = (
    # level, Othello's depth, exact from, Abalone's depth
    (1, 1, 4, 1),
    (2, 2, 5, 1),
    (3, 3, 6, 2),
    (4, 4, 8, 2),
    (5, 5, 9, 2),
    (6, 6, 10, 3),
    (7, 7, 11, 3),
    (8, 8, 12, 3),
    (9, 9, 12, 4),
    (10, 10, 13, 4),
    (11, 11, 14, 4),
    (12, 12, 14, 5),
    (13, 13, 15, 5),
    (14, 14, 16, 5),
    (15, 15, 16, 6),
    (16, 16, 17, 6),
    (17, 17, 18, 6),
    (18, 18, 18, 7),
    (19, 19, 19, 7),
    (20, 20, 20, 8),
)

LEVELS = {row[0]: Level(*row) for row in _TABLE}


def level(number: int) -> Level:
    """The level with this number."""
    if number not in LEVELS:
        raise InvalidOption(f"level={number}: 1 to {HIGHEST}")
    return LEVELS[number]
