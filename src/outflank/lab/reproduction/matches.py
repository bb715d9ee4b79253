"""Matches that end as soon as a sequential test decides. Each opening is played twice, with colours exchanged."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from outflank.arena.sprt import SequentialTest, Sprt
from outflank.games.sides import Side
from outflank.lab.experiment_report import Cell
from outflank.lab.reproduction.published_sections import MeasuredCell

PAIR_COLUMNS = tuple(f"pairs of {half / 2:g} points" for half in range(5))
"""Columns of a match: the number of pairs in which the first player has 0, 0.5, 1, 1.5 or 2 points."""

Player = TypeVar("Player")


def match_cells(
    players: tuple[Player, Player],
    row: tuple[Cell, ...],
    test: Sprt,
    most_pairs: int,
    play: Callable[[int, dict[Side, Player]], float],
) -> Iterable[MeasuredCell]:
    """Play a match until the test decides, or to `most_pairs` pairs of games, and return its cells.

    `play` takes the number of an opening, counted from 0, and the players of both sides. It returns black's points.
    """
    first, second = players
    running = SequentialTest(test, paired=True)
    counts = [0] * len(PAIR_COLUMNS)
    for number in range(most_pairs):
        as_black = play(number, {Side.BLACK: first, Side.WHITE: second})
        as_white = 1.0 - play(number, {Side.BLACK: second, Side.WHITE: first})
        counts[round(2 * (as_black + as_white))] += 1
        if running.add(round(2 * (as_black + as_white))).decision is not None:
            break
    return [MeasuredCell(row, column, count) for column, count in zip(PAIR_COLUMNS, counts, strict=True)]
