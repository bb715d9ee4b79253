"""Correlation of the parts of report 000's evaluation with the results of games, by the discs on the board."""

from collections.abc import Iterable
from math import sqrt
from statistics import correlation, fmean, stdev

import numpy as np

from outflank.arena import Openings
from outflank.games.sides import Side
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.reproduction.published_sections import MeasuredCell
from outflank.lab.studies.edges import finish_game
from outflank.othello.board import OthelloBoard
from outflank.othello.evaluation import CORNERS, EDGES, X_SQUARES
from outflank.othello.rules import legal
from outflank.search.request import Stop

SCORED_DISCS = (12, 28, 44, 56)
"""Numbers of discs on the board at which scores are compared with the result of the game."""

FEW_MOVES = "at most one move"
"""Row of the mean result of the side to move on boards where it has one move or none."""


def scores(games: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield, by number of discs, the correlation of report 000's scores with the result, and the mean number of flips.

    Also yield the mean result of the side to move if it has at most one move. Games are played by report 000's
    evaluation at depth 1, from random openings of 8 plies.
    """
    openings = Openings("random:8", OthelloBoard.start(), seed=2, count=games)
    seen: dict[int, list[tuple[dict[str, int], int]]] = {discs: [] for discs in SCORED_DISCS}
    flips: dict[int, list[int]] = {discs: [] for discs in SCORED_DISCS}
    few: list[int] = []
    for number in range(games):
        board = openings[number]
        assert isinstance(board, OthelloBoard)
        if not finish_game(board, dict.fromkeys(Side, "four-part"), 1, stop):
            raise BrokenOff
        margin = board.discs(board.turn) - board.discs(board.turn.other)
        positions = [(int(own), int(opp)) for own, opp in (*board.positions, board.position)]
        results = [margin if (len(positions) - 1 - ply) % 2 == 0 else -margin for ply in range(len(positions))]
        # Only one board of a game counts, because all boards of a game have the same result.
        few += [result for (own, opp), result in zip(positions, results, strict=True) if _moves(own, opp) <= 1][:1]
        for ply, (own, opp) in enumerate(positions[:-1]):
            discs = (own | opp).bit_count()
            if discs in seen:
                seen[discs].append((_score_parts(own, opp), results[ply]))
                flips[discs].append(opp.bit_count() - positions[ply + 1][0].bit_count())
    for discs, pairs in seen.items():
        margins = [margin for _, margin in pairs]
        for name in pairs[0][0]:
            values = [parts[name] for parts, _ in pairs]
            related = correlation(values, margins) if len(set(values)) > 1 else 0.0
            yield MeasuredCell((name, discs), "correlation", related)
        yield MeasuredCell(("boards", discs), "value", len(pairs))
        yield MeasuredCell(("flipped", discs), "value", fmean(flips[discs]))
    if len(few) > 1:
        yield MeasuredCell((FEW_MOVES,), "result", fmean(few))
        yield MeasuredCell((FEW_MOVES,), "error", stdev(few) / sqrt(len(few)))


def _moves(own: int, opp: int) -> int:
    return int(legal(np.uint64(own), np.uint64(opp))).bit_count()


def _score_parts(own: int, opp: int) -> dict[str, int]:
    """Return report 000's four scores and parts of its square score, each from the view of the side to move."""
    empty = ~(own | opp) & (1 << 64) - 1

    def owned(mask: int | np.uint64) -> int:
        return (own & int(mask)).bit_count() - (opp & int(mask)).bit_count()

    return {
        "stones": own.bit_count() - opp.bit_count(),
        "squares": 90 * owned(CORNERS) - 60 * owned(X_SQUARES) + 5 * owned(EDGES),
        "corners": owned(CORNERS),
        "beside an empty corner": owned(_beside_empty_corners(empty)),
        "mobility": _moves(own, opp) - _moves(opp, own),
        "potential": _exposed(opp, empty) - _exposed(own, empty),
    }


def _beside_empty_corners(empty: int) -> int:
    """Return the squares diagonally next to empty corners."""
    a1, h1, a8, h8 = (empty >> place & 1 for place in (0, 7, 56, 63))
    return a1 << 9 | h1 << 14 | a8 << 49 | h8 << 54


def _exposed(stones: int, empty: int) -> int:
    """Return how many of `stones` are next to an empty square."""
    a, h = 0x0101010101010101, 0x8080808080808080
    sides = (empty & ~h) << 1 | (empty & ~a) >> 1 | empty
    return (stones & (sides | sides << 8 | sides >> 8)).bit_count()
