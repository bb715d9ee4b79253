"""Report 000's four integers of a board."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.games.rules import mirror, symmetries
from outflank.lab.report_programs.program_001 import NUMBERS, quads, sorted_key, turned_key
from outflank.lab.report_programs.published_numbers import published
from outflank.othello.rules import OthelloPosition
from outflank.othello.squares import othello

pytestmark = pytest.mark.interpreted_only


def test_the_numbers_are_those_of_the_picture():
    assert [list(row) for row in NUMBERS] == published("000")["tables"]["quads"]["rows"]
    assert sorted(place for row in NUMBERS for place in row) == [*range(64)]


words = st.integers(0, 2**64 - 1)


@given(words, words)
def test_all_images_of_a_board_have_one_key(one, other):
    game, own, opp = othello(), one & ~other, other
    for symmetry in range(symmetries(game)):
        image = mirror(game, OthelloPosition(np.uint64(own), np.uint64(opp)), symmetry)
        here = int(image.own), int(image.opp)
        assert sorted_key(*here) == sorted_key(own, opp)
        assert turned_key(*here) == turned_key(own, opp)


def board_of(*four: int) -> int:
    """The own discs of a board that has these integers."""
    found = 0
    for row, places in enumerate(NUMBERS):
        for column, place in enumerate(places):
            found |= (four[place // 16] >> 2 * (place % 16) & 1) << 8 * row + column
    return found


def test_boards_that_are_no_images_share_a_key_where_the_integers_are_sorted():
    one, other = board_of(4, 16, 64, 4096), board_of(4, 64, 16, 4096)
    assert quads(one, 0) == (4, 16, 64, 4096)
    assert sorted_key(one, 0) == sorted_key(other, 0)
    assert turned_key(one, 0) != turned_key(other, 0)
