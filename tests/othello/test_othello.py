"""Othello's kernels against the oracle."""

import numpy as np
import pytest
from hypothesis import given

from outflank.games import rules
from outflank.games.evaluation import value
from outflank.kernels.bits import U64
from outflank.othello.evaluation import FourPart, corners, potential_difference
from outflank.othello.rules import PASS, Othello, OthelloPosition
from outflank.othello.squares import (
    START,
    edge,
    othello,
    scoring_of,
    size_of,
    square_name,
    square_number,
    squares,
)
from tests import entries
from tests.conftest import examples
from tests.drawing import othello_positions
from tests.oracles import othello as oracle
from tests.walking import legal


def as_discs(game: Othello, position: OthelloPosition) -> oracle.Discs:
    """The oracle's board; the side to move is X."""
    first = edge(size_of(game))
    return {
        (square % 8 - first, square // 8 - first): mark
        for mark, word in (("X", position.own), ("O", position.opp))
        for square in squares(8)
        if int(word) >> square & 1
    }


def as_square(game: Othello, move: int) -> oracle.Square | None:
    first = edge(size_of(game))
    return None if move == PASS else (move % 8 - first, move // 8 - first)


@examples(300)
@given(othello_positions())
def test_moves_and_boards_agree_with_the_oracle(drawn):
    game, position = drawn
    size, discs = size_of(game), as_discs(game, position)
    moves = legal(game, position)
    assert [as_square(game, move) for move in moves] == oracle.moves(size, discs, "X")
    assert entries.count(game, position) == len(moves)
    assert bool(entries.over(game, position)) == (not moves)
    for move in moves:
        after = entries.play(game, position, move)
        expected = oracle.play(size, discs, "X", as_square(game, move))
        seen = as_discs(game, after)
        assert {square: oracle.other(disc) for square, disc in seen.items()} == expected
        assert bool(entries.is_pass(game, move)) == (move == PASS)


@examples(200)
@given(othello_positions())
def test_scores_agree_with_the_oracle(drawn):
    game, position = drawn
    takes = scoring_of(game) == "winner-takes-empties"
    expected = oracle.score(size_of(game), as_discs(game, position), "X", winner_takes_empties=takes)
    assert entries.score(game, position) == expected


def test_the_most_moves_leave_one_disc_of_each_side():
    # A position with as many legal squares as the bound says would have two discs; with those
    # no board has more than a few moves. The bound is what the buffers need, not a record.
    assert rules.most_moves(othello()) == 64 - 2
    full_of_moves = OthelloPosition(U64(0), U64(0))
    assert legal(othello(), full_of_moves) == []


@pytest.mark.parametrize("size", [4, 6, 8])
def test_start_is_the_books(size):
    game = othello(size)
    assert as_discs(game, START) == oracle.start(size)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_names_of_squares_go_both_ways(size):
    names = [square_name(size, square) for square in squares(size)]
    assert names[0] == "a1"
    assert names[-1] == f"{'abcdefgh'[size - 1]}{size}"
    assert [square_number(size, name.upper()) for name in names] == squares(size)
    assert square_number(size, "i1") is None
    assert square_number(size, "a10") is None


def test_any_mask_within_the_board_will_do():
    # A board of 5 × 7: the oracle has no such size, the arithmetic of a full game has.
    mask = U64(sum(1 << (8 * row + column) for row in range(7) for column in range(1, 6)))
    game = Othello(mask, 0)
    position, plies = START, 0
    random = np.random.default_rng(7)
    while moves := legal(game, position):
        position = entries.play(game, position, random.choice(moves))
        assert not (int(position.own) | int(position.opp)) & ~int(mask)
        plies += 1
    assert plies > 20


@pytest.mark.interpreted_only
@pytest.mark.parametrize("size", [4, 6, 8])
def test_exact_play_knows_the_corners_of_every_board(size):
    names = {square_name(size, square) for square in squares(8) if int(corners(othello(size))) >> square & 1}
    assert names == {"a1", f"a{size}", f"{'abcdefgh'[size - 1]}1", f"{'abcdefgh'[size - 1]}{size}"}


@pytest.mark.interpreted_only
@examples(30)
@given(othello_positions())
def test_the_weight_of_potential_mobility_falls_with_the_discs(drawn):
    game, position = drawn
    fall = 7 - ((int(position.own | position.opp)).bit_count() + 5) // 10
    with_it, without = (value(FourPart(1, potential=factor), game, position, ()) for factor in (1, 0))
    assert with_it - without == fall * potential_difference(game, position.own, position.opp)
