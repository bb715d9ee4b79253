"""Hand-written Abalone evaluations: `Rings` of the published report 003, with two sets of weights, and `Cohesion`."""

from typing import NamedTuple

import numpy as np

from outflank.abalone.geometry import BOARD, SPIRAL, board
from outflank.abalone.rules import _behind, _behind_left, _behind_right, _edge
from outflank.games.defaults import NamedEvaluation
from outflank.games.evaluation import Evaluation, final, value
from outflank.games.rules import Value, count
from outflank.kernels.bits import U64, Word, popcount
from outflank.kernels.compiler import inner
from outflank.kernels.lanes import Vector, bit_counts, spread, total

LOST = 16_000
"""Value of a won game in the evaluation of report 003's program; a lost game has the negative value."""

MARBLE_LOSS = np.array([0, -800, -1800, -3000, -4400, -6000], np.int64)
"""Value of a side's lost marbles in the evaluation of report 003's program, by their number."""

MARBLE = 400
"""Value of a marble in `Cohesion` and in the learnt evaluation, in points."""

RING = tuple(board(set(SPIRAL[start:end])) for start, end in ((0, 1), (1, 7), (7, 19), (19, 37), (37, 61)))
"""The cells at each distance from the centre, as words."""

RING0, RING1, RING2, RING3, RING4 = RING


def _variation() -> list[int]:
    """Return the small numbers that report 003's program adds to cells' values, so that programs do not all play
    alike."""
    values, running = [0], 0
    for ring, modulus in ((1, 10), (2, 10), (3, 8), (4, 5)):
        for _ in range(6 * ring):
            running += 59
            values.append(running % modulus)
    return values


PLANE0, PLANE1, PLANE2, PLANE3 = (
    board({cell for cell, change in zip(SPIRAL, _variation(), strict=True) if change >> bit & 1}) for bit in range(4)
)
"""Cells in which binary digit 0, 1, 2 or 3 of `_variation` is set, so that four bit counts give the sum of `_variation`
over a set of marbles."""


class Rings(NamedTuple):
    """Evaluation of report 003's program: cells by ring, possible moves, rows of marbles, and lost marbles."""

    centre: int
    first: int
    second: int
    third: int
    edge: int


class Cohesion(NamedTuple):
    """Evaluation by marbles above all, then their closeness to the centre, then adjacent marbles of one side."""


@inner
def _cells(evaluation: Evaluation, marbles: Word) -> Value:
    points = evaluation.centre * popcount(marbles & RING0) + evaluation.first * popcount(marbles & RING1)
    points += evaluation.second * popcount(marbles & RING2) + evaluation.third * popcount(marbles & RING3)
    points += evaluation.edge * popcount(marbles & RING4)
    points += popcount(marbles & PLANE0) + 2 * popcount(marbles & PLANE1)
    return points + 4 * popcount(marbles & PLANE2) + 8 * popcount(marbles & PLANE3)


@inner
def _times(vector: Vector, factor: int) -> Vector:
    return vector * spread(U64(factor), vector)


@inner
def _moves_and_rows(mine: Word, yours: Word) -> Value:
    """Return the value of a side's possible moves and of its rows of marbles."""
    edge = _edge()
    own, opp = spread(mine, edge), spread(yours, edge)
    empty = spread(BOARD & ~(mine | yours), edge)
    empty_ahead = _behind(empty)
    leaves1 = own & _behind(opp & edge)
    leaves2 = own & _behind(opp & _behind(opp & edge))
    yields1 = own & _behind(opp & empty_ahead)
    yields2 = own & _behind(opp & _behind(opp & empty_ahead))
    pair1, triple1 = own & _behind(leaves1), own & _behind(own & _behind(leaves1))
    pushing_pair, pushing_triple = own & _behind(yields1), own & _behind(own & _behind(yields1))
    steps = own & empty_ahead
    pairs = own & _behind(steps)
    left, right = own & _behind_left(empty), own & _behind_right(empty)
    left_pairs, right_pairs = left & _behind(left), right & _behind(right)
    threes = bit_counts(own & _behind(pairs)) + bit_counts(left & _behind(left_pairs))
    threes = threes + bit_counts(right & _behind(right_pairs))
    twos = bit_counts(left_pairs) + bit_counts(right_pairs) + bit_counts(pairs)
    points = _times(bit_counts(own & _behind(own & _behind(leaves2))), 40)
    points = points + _times(bit_counts(triple1) + bit_counts(pair1), 30)
    points = points + _times(bit_counts(own & _behind(own & _behind(yields2))), 15)
    points = points + _times(bit_counts(pushing_triple), 14) + _times(bit_counts(pushing_pair), 13)
    points = points + _times(threes, 5) + _times(twos, 2) + bit_counts(steps)
    # Rows of at least two, three, four and five marbles, from each marble in each direction.
    run2 = own & _behind(own)
    run3 = own & _behind(run2)
    run4 = own & _behind(run3)
    points = points + _times(bit_counts(run2), 2) + _times(bit_counts(run3), 5)
    points = points + _times(bit_counts(run4), 4) + _times(bit_counts(own & _behind(run4)), 3)
    return total(points)


@value.register(Rings)
def _(evaluation, game, position, state):
    own, opp = position.own, position.opp
    least = game.marbles - game.goal
    if popcount(own) <= least:
        return -LOST
    if popcount(opp) <= least:
        return LOST
    if count(game, position) == 0:
        return -LOST
    points = _cells(evaluation, own) - _cells(evaluation, opp)
    points += _moves_and_rows(own, opp) - _moves_and_rows(opp, own)
    return points + MARBLE_LOSS[game.marbles - popcount(own)] - MARBLE_LOSS[game.marbles - popcount(opp)]


@final.register(Rings)
def _(evaluation, game, position):
    least = game.marbles - game.goal
    if popcount(position.opp) <= least and popcount(position.own) > least:
        return LOST
    return -LOST


@inner
def _shape(marbles: Word) -> Value:
    """Return the value of marbles near the centre and of adjacent marbles of one side."""
    points = 60 * popcount(marbles & RING0) + 54 * popcount(marbles & RING1) + 42 * popcount(marbles & RING2)
    points += 24 * popcount(marbles & RING3)
    own = spread(marbles, _edge())
    return points + 4 * total(bit_counts(own & _behind(own)))


@value.register(Cohesion)
def _(evaluation, game, position, state):
    own, opp = position.own, position.opp
    marbles = popcount(own) - popcount(opp)
    return MARBLE * marbles + _shape(own) - _shape(opp)


EVALUATIONS = (
    NamedEvaluation(name="cohesion", evaluation=Cohesion(), unit="marbles", points=MARBLE),
    # A lost marble costs about a thousand points: 800 the first, 1600 the last one before the loss of the game.
    NamedEvaluation(name="rings", evaluation=Rings(70, 60, 40, 10, 1), unit="marbles", points=1000, won=LOST - 1),
    NamedEvaluation(name="rings-lab", evaluation=Rings(45, 35, 25, 10, 0), unit="marbles", points=1000, won=LOST - 1),
)
