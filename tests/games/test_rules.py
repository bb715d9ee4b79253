"""What every game promises its searches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.games import rules
from outflank.kernels.compiler import interpreted
from tests import entries
from tests.conftest import examples
from tests.drawing import any_positions
from tests.walking import legal


@examples(300)
@given(any_positions)
def test_words_give_the_position_back(drawn):
    game, position = drawn
    words = entries.pack(game, position)
    assert len(words) == 2
    assert entries.unpack(game, *words) == position


@examples(200)
@given(any_positions, st.data())
def test_a_mirrored_move_leads_to_the_mirrored_position(drawn, data):
    game, position = drawn
    symmetry = data.draw(st.integers(0, rules.symmetries(game) - 1))
    mirrored = entries.mirror(game, position, symmetry)
    moves = legal(game, position)
    images = [int(entries.mirror_move(game, rules.MOVE(move), symmetry)) for move in moves]
    assert sorted(images) == sorted(legal(game, mirrored))
    for move, image in zip(moves, images, strict=True):
        after = entries.play(game, position, move)
        assert entries.mirror(game, after, symmetry) == entries.play(game, mirrored, image)


@examples(100)
@given(any_positions)
def test_symmetries_are_a_group_and_agree_on_a_canonical_form(drawn):
    game, position = drawn
    number = rules.symmetries(game)
    images = [entries.mirror(game, position, symmetry) for symmetry in range(number)]
    assert images[0] == position
    for image in images:
        assert {entries.mirror(game, image, symmetry) for symmetry in range(number)} == set(images)
        best = entries.mirror(game, image, entries.canonical(game, image))
        assert best == min(images)


def test_the_number_of_symmetries_is_the_boards():
    from outflank.abalone.layouts import RULES
    from outflank.abalone.layouts import start as abalone_start
    from outflank.othello.squares import START, othello
    from tests.walking import walk

    for game, first, number in ((othello(), START, 8), (RULES, abalone_start(), 12)):
        crooked = walk(game, first, 3, 21)
        assert len({entries.mirror(game, crooked, symmetry) for symmetry in range(number)}) == number
        assert rules.symmetries(game) == number


@examples(150)
@given(any_positions, st.data())
def test_filling_writes_only_where_it_may(drawn, data):
    game, position = drawn
    start = data.draw(st.integers(0, 5))
    buffer = np.full(start + rules.most_moves(game) + 5, 60_000, np.uint16)
    end = entries.fill(game, position, buffer, start)
    assert end - start == entries.count(game, position)
    assert (buffer[:start] == 60_000).all()
    assert (buffer[end:] == 60_000).all()


@pytest.mark.compiled
@examples(150)
@given(any_positions)
def test_interpreter_and_compiler_agree(drawn):
    game, position = drawn
    assert not interpreted()
    one, two = (np.zeros(rules.most_moves(game), np.uint16) for _ in range(2))
    end = entries.fill(game, position, one, 0)
    assert end == rules.fill(game, position, two, 0)
    assert (one == two).all()
    assert entries.count(game, position) == rules.count(game, position)
    assert entries.score(game, position) == rules.score(game, position)
    assert entries.canonical(game, position) == rules.canonical(game, position)
    for move in one[:end]:
        assert entries.play(game, position, move) == rules.play(game, position, move)


def test_a_type_without_rules_is_refused_by_name():
    with pytest.raises(TypeError, match="count: nothing registered for int"):
        rules.count(5, None)


@pytest.mark.compiled
def test_the_compiler_refuses_it_by_name_too():
    from numba.core.errors import TypingError

    with pytest.raises(TypingError, match="count: nothing registered for int64"):
        entries.count(5, 1)
