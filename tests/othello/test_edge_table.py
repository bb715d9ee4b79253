"""The tables of edges agree with what players know of edges."""

import numpy as np
import pytest

from outflank.othello.edge_table import EDGE_VALUES, STATES, TERNARY

pytestmark = pytest.mark.interpreted_only

PROBABLE, BRUTE = EDGE_VALUES


def worth(edge: str, table=PROBABLE) -> int:
    assert len(edge) == 8
    return int(table[sum(".XO".index(square) * 3**place for place, square in enumerate(edge))])


@pytest.mark.parametrize("table", EDGE_VALUES, ids=("probable", "brute"))
def test_an_edge_is_worth_the_same_mirrored_and_the_negative_to_the_other_side(table):
    digits = np.arange(STATES)[:, None] // 3 ** np.arange(8) % 3
    number = digits @ 3 ** np.arange(8)
    assert STATES == 6561
    assert (number == np.arange(STATES)).all()
    assert (table[digits[:, ::-1] @ 3 ** np.arange(8)] == table).all()
    assert (table[np.array([0, 2, 1])[digits] @ 3 ** np.arange(8)] == -table).all()


def test_edges_are_worth_what_players_say_of_them():
    assert worth("........") == 0
    assert worth("XXXXXXXX") == 120 == -worth("OOOOOOOO")
    assert worth("X.......") > 30 > 0 > worth(".X......")  # a corner is good, the square beside an empty one is bad
    assert worth("XX......") > worth("X.......")
    assert worth("XXXXXXO.") > 100  # whose turn it ever is, the corner takes the disc
    assert worth("XXXXXXO.") > worth("XXXXXXOO")
    assert worth(".X.X....") < 2 * worth("...X....")


def test_bits_become_digits_to_the_base_of_three():
    assert TERNARY[0b10000101] == 1 + 9 + 3**7
