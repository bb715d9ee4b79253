"""Positions for hypothesis to draw: reached by play, or set down anyhow."""

import numpy as np
from hypothesis import strategies as st

from outflank.abalone.geometry import SPIRAL, board
from outflank.abalone.layouts import LAYOUTS, RULES
from outflank.abalone.layouts import start as abalone_start
from outflank.abalone.rules import AbalonePosition
from outflank.kernels.bits import U64
from outflank.othello.rules import OthelloPosition
from outflank.othello.squares import START, othello, squares
from tests.walking import walk

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def othello_positions(draw):
    """A game and a position of it."""
    size = draw(st.sampled_from([4, 6, 8]))
    game = othello(size, draw(st.sampled_from(["winner-takes-empties", "discs"])))
    if draw(st.booleans()):
        return game, walk(game, START, draw(SEEDS), draw(st.integers(0, size * size)))
    cells = draw(st.lists(st.sampled_from("XO-"), min_size=size * size, max_size=size * size))
    own, opp = (
        sum(1 << square for square, cell in zip(squares(size), cells, strict=True) if cell == mark) for mark in "XO"
    )
    return game, OthelloPosition(U64(own), U64(opp))


@st.composite
def abalone_positions(draw):
    """The game and a position of it."""
    if draw(st.booleans()):
        layout = draw(st.sampled_from(sorted(LAYOUTS)))
        return RULES, walk(RULES, abalone_start(layout), draw(SEEDS), draw(st.integers(0, 60)))
    cells = np.random.default_rng(draw(SEEDS)).permutation(61)
    own, opp = draw(st.integers(8, 14)), draw(st.integers(9, 14))
    return RULES, AbalonePosition(
        board({SPIRAL[cell] for cell in cells[:own]}), board({SPIRAL[cell] for cell in cells[own : own + opp]})
    )


any_positions = st.one_of(othello_positions(), abalone_positions())
