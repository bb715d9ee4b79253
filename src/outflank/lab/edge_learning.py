"""How the tables of edges (`othello/edge_table.py`) were learnt: what an edge is worth by itself.

Report 000 tried two ways, and gave up both. An edge is one of 3^8 = 6 561; a full one is worth its discs, which nobody
can turn any more. The others follow from full to empty, the way that the report has from Wolf: the side to move plays
the best of the squares that are open to it, or leaves the edge alone. Whether a square is open, the edge alone does
not say unless discs on it are turned: otherwise it is so with a probability, or always (`brute`).
"""

import numpy as np
import numpy.typing as npt

SQUARES = 8
STATES = 3**SQUARES
EMPTY, MINE, YOURS = 0, 1, 2

WORTH = np.array([30, 10, 10, 10, 10, 10, 10, 30])
"""Of a disc on a full edge: a corner belongs to two of them, and to the diagonal."""

# Of 2 656 positions of 480 tournament games, after 12 to 54 moves: the share in which the side to move could play on an
# empty square of the edge by a move that turns nothing along it. By the square (corner, C, A, B), and by what stands
# beside it: nothing, discs of its own alone, at least one of the other side's.
OPEN = np.array([[0.02, 0.07, 0.08], [0.15, 0.20, 0.60], [0.23, 0.24, 0.72], [0.27, 0.24, 0.77]])

PASSES = 30
"""Over the states of equally many discs, each of which may be left to the other side: the last ones change no value."""

CLOSE = 1e-9

States = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

_powers = 3 ** np.arange(SQUARES)
_digits = np.arange(STATES)[:, None] // _powers % 3


def _index(digits: States) -> States:
    return np.asarray((digits * _powers).sum(axis=1))


def _swapped(digits: States) -> States:
    return np.asarray(np.array([EMPTY, YOURS, MINE])[digits])


def _after(square: int) -> tuple[States, npt.NDArray[np.bool_]]:
    """The state after a move on `square` as the other side sees it, and whether the move turns discs of the edge."""
    found = _digits.copy()
    found[:, square] = MINE
    turns = np.zeros(STATES, bool)
    for step in (-1, 1):
        beyond = range(square + step, SQUARES if step > 0 else -1, step)
        for place, end in enumerate(beyond):
            between = list(beyond)[:place]
            closed = (_digits[:, end] == MINE) & (_digits[:, between] == YOURS).all(axis=1)
            if between:
                turns |= closed
                found[np.ix_(closed, between)] = MINE
    return _index(_swapped(found)), turns


def _open(square: int, turns: npt.NDArray[np.bool_], *, brute: bool) -> Values:
    """How probably the side to move can play there."""
    if brute:
        return np.where(_digits[:, square] == EMPTY, 1.0, 0.0)
    beside = _digits[:, [each for each in (square - 1, square + 1) if 0 <= each < SQUARES]]
    what = np.where((beside == YOURS).any(axis=1), 2, np.where((beside == MINE).any(axis=1), 1, 0))
    probable = OPEN[min(square, SQUARES - 1 - square), what]
    return np.where(_digits[:, square] == EMPTY, np.where(turns, 1.0, probable), 0.0)


def _settled(played: Values, left: Values, best: Values, here: States, other: States) -> Values:
    """The values v of states, and w of the same for the other side, with v = played + left · (v − w) / 2 and so for w.

    Where both would rather wait, waiting is worth what lies in the middle between the moves of both.
    """
    ours, theirs = left[here], left[other]
    waiting = 1 - ours / 2 - theirs / 2
    value = played[here] * (1 - theirs / 2) - played[other] * ours / 2
    return np.where(waiting > CLOSE, value / np.maximum(waiting, CLOSE), (best[here] - best[other]) / 2)


def learnt(*, brute: bool = False) -> npt.NDArray[np.int8]:
    """What every edge is worth, mine minus yours, whoever's turn it is; numbered by sum of digit · 3^square."""
    moves = [_after(square) for square in range(SQUARES)]
    after = np.stack([states for states, _ in moves], axis=1)
    chance = np.stack([_open(square, turns, brute=brute) for square, (_, turns) in enumerate(moves)], axis=1)
    other = _index(_swapped(_digits))
    empty = (_digits == EMPTY).sum(axis=1)
    values: Values = ((_digits == MINE) * WORTH - (_digits == YOURS) * WORTH).sum(axis=1).astype(float)
    values[empty > 0] = 0.0
    for count in range(1, SQUARES + 1):
        here = np.flatnonzero(empty == count)
        worth = np.where(chance[here] > 0, -values[after[here]], -np.inf)
        order = np.argsort(-worth, axis=1, kind="stable")
        worth = np.take_along_axis(worth, order, axis=1)[:, :count]
        chances = np.take_along_axis(chance[here], order, axis=1)[:, :count]
        best = np.zeros(STATES)
        best[here] = worth[:, 0]
        played, left = np.zeros(STATES), np.zeros(STATES)
        for _ in range(PASSES):
            stay = (values[here] - values[other[here]]) / 2
            rest, found = np.ones(len(here)), np.zeros(len(here))
            for place in range(count):
                taken = np.where(worth[:, place] >= stay - CLOSE, rest * chances[:, place], 0.0)
                found += taken * worth[:, place]
                rest -= taken
            played[here], left[here] = found, rest
            values[here] = _settled(played, left, best, here, other[here])
    return np.rint((values - values[other]) / 2).astype(np.int8)
