"""Abalone's kernels against the oracle."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, IllegalMove
from outflank.abalone import geometry
from outflank.abalone.geometry import SPIRAL, cell_name, cells, stepped
from outflank.abalone.layouts import LAYOUTS, RULES, read_rows, start, write_rows
from outflank.abalone.rules import (
    MARBLES,
    SIDEWAYS,
    AbalonePosition,
    Kind,
    cell_of,
    direction_of,
    encoded,
    kind_of,
)
from outflank.games import rules
from tests import entries
from tests.conftest import examples
from tests.drawing import abalone_positions
from tests.oracles import abalone as oracle
from tests.walking import legal

NAMES = {(0, 1): "E", (1, 1): "NE", (1, 0): "NW", (0, -1): "W", (-1, -1): "SW", (-1, 0): "SE"}


def named(word) -> oracle.Marbles:
    return frozenset(cell_name(cell) for cell in cells(word))


def as_move(move: int) -> oracle.Move:
    """The move as the oracle has it: which marbles, which way."""
    kind, direction = int(kind_of(move)), int(direction_of(move))
    rear = SPIRAL[cell_of(move)]
    group = frozenset(cell_name(stepped(rear, direction, step)) for step in range(int(MARBLES[kind])))
    return group, NAMES[geometry.DIRECTIONS[(direction + int(SIDEWAYS[kind])) % 6]]


@examples(300)
@given(abalone_positions())
def test_moves_and_boards_agree_with_the_oracle(drawn):
    game, position = drawn
    moves = legal(game, position)
    expected = oracle.moves(named(position.own), named(position.opp))
    assert len(moves) == len(expected) == entries.count(game, position)
    assert {as_move(move) for move in moves} == set(expected)
    assert bool(entries.over(game, position)) == (not moves)
    for move in moves:
        after = entries.play(game, position, move)
        assert (named(after.opp), named(after.own)) == expected[as_move(move)]


@examples(150)
@given(abalone_positions())
def test_kinds_say_what_a_move_does(drawn):
    game, position = drawn
    for move in legal(game, position):
        kind = Kind(int(kind_of(move)))
        group, _ = as_move(move)
        after = entries.play(game, position, move)
        lost = int(position.opp).bit_count() - int(after.own).bit_count()
        moved = (int(position.opp) & ~int(after.own)).bit_count()
        assert len(group) == int(
            kind.name[-1] if kind.name[0] in "MLR" else {"2": 3}.get(kind.name[-1], 2)
        ) or kind.name.endswith(f"WITH{len(group)}")
        assert lost == kind.name.startswith("OUT")
        assert bool(moved) == kind.name.startswith(("OUT", "PUSH"))
        assert not entries.is_pass(game, move)


@examples(300)
@given(abalone_positions())
def test_no_position_exceeds_the_bound_on_moves(drawn):
    """The steps of the proof beside `most_moves`, on drawn positions."""
    game, position = drawn
    moves = legal(game, position)
    assert len(set(moves)) == len(moves) <= rules.most_moves(game) == 234
    own = int(position.own).bit_count()
    groups = Counter((as_move(move)[1], int(MARBLES[kind_of(move)]), SIDEWAYS[kind_of(move)] != 0) for move in moves)
    for direction in NAMES.values():
        free = groups[direction, 1, False]
        along = sum(groups[direction, marbles, False] for marbles in (1, 2, 3))
        assert along <= own
        assert groups[direction, 2, True] <= max(free - 1, 0)
        assert groups[direction, 3, True] <= max(free - 2, 0)


def test_a_search_for_crowded_positions_stays_far_below_the_bound():
    """Climb towards more moves from random positions: the bound has room to spare."""
    random = np.random.default_rng(1)
    most = 0
    for _ in range(4):
        order = random.permutation(61)
        best = 0
        for _ in range(400):
            trial = order.copy()
            one, two = random.integers(0, 14), random.integers(0, 61)
            trial[[one, two]] = trial[[two, one]]
            own = geometry.board({SPIRAL[cell] for cell in trial[:14]})
            opp = geometry.board({SPIRAL[cell] for cell in trial[14:23]})
            found = entries.count(RULES, AbalonePosition(own, opp))
            if found >= best:
                order, best = trial, found
        most = max(most, best)
    assert 100 < most < 234


def test_a_side_without_marbles_or_moves_has_lost():
    nine = {SPIRAL[cell] for cell in range(9)}
    eight = {SPIRAL[cell] for cell in range(20, 28)}
    lost = AbalonePosition(geometry.board(eight), geometry.board(nine))
    assert legal(RULES, lost) == []
    assert entries.score(RULES, lost) == -1
    assert entries.score(RULES, AbalonePosition(lost.opp, lost.own)) == 1
    # Nine marbles in a corner, behind a wall of the opponent's that is too thick to push.
    own, opp = read_rows("5/6/7/8/9/8/7/6/5")
    own = {(0, 0), (0, 1), (1, 0)}
    opp = {
        (2, 0),
        (3, 0),
        (4, 0),
        (2, 1),
        (3, 2),
        (1, 1),
        (2, 2),
        (1, 2),
        (0, 2),
        (0, 3),
        (1, 3),
        (0, 4),
        (3, 1),
        (4, 1),
    }
    stuck = AbalonePosition(geometry.board(own), geometry.board(opp))
    game = RULES._replace(marbles=14, goal=12)
    assert entries.count(game, stuck) == len(oracle_moves_without_limit(own, opp))


def oracle_moves_without_limit(own, opp):
    one, two = (frozenset(map(cell_name, side)) for side in (own, opp))
    return [
        (group, direction)
        for group in oracle.groups(one)
        for direction in oracle.STEPS
        if oracle.attempt(one, two, group, direction) is not None
    ]


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_layouts_are_read_and_written(layout):
    black, white = read_rows(LAYOUTS[layout])
    assert len(black) == len(white) == 14
    position = start(layout)
    assert write_rows(int(position.own), int(position.opp)) == LAYOUTS[layout]
    assert (named(position.own), named(position.opp)) == oracle.read_rows(LAYOUTS[layout])


def test_the_ring_gives_every_cell_a_bit_of_its_own():
    assert sorted(geometry.BIT.tolist()) == list(range(61))
    assert {cell_name(cell) for cell in SPIRAL} == oracle.CELLS


@given(st.integers(0, 12), st.integers(0, 60), st.integers(0, 5))
def test_codes_of_moves_are_taken_apart_again(kind, cell, direction):
    move = encoded(kind, cell, direction)
    assert (kind_of(move), cell_of(move), direction_of(move)) == (kind, cell, direction)


@pytest.mark.parametrize(
    ("row", "move", "why"),
    [
        ("", "e5e6", "E5 holds no marble of the side to move"),
        ("", "a1e5", "no line of marbles steps so"),
        ("", "a1a2", "5 marbles stand in line there, and 3 move at most"),
        ("", "c3b2", "a marble of the side to move would leave the board"),
        ("", "a1a2b1", "B2 is occupied, and a side step pushes nothing"),
        ("SSSs5", "e1e3d1", "D1 is occupied, and a side step pushes nothing"),
        ("2Ss5", "e3e4", "1 marble cannot push 1 marble"),
        ("2SSssS2", "e3e4", "2 marbles cannot push 2 marbles"),
        ("2SSsS3", "e3e4", "E6 is occupied, behind what would be pushed"),
    ],
)
def test_an_illegal_move_is_told_its_reason(row, move, why):
    board = AbaloneBoard.start()
    if row:
        lost = f"{3 - row.count('S')} {2 - row.count('s')}"
        board = AbaloneBoard.from_line(f"sssss/ssssss/7/8/{row}/s7/7/SSSSSS/SSSSS {lost} b 0 1")
    with pytest.raises(IllegalMove, match=re.escape(why)):
        board.parse_move(move)


def test_moves_are_listed_by_their_cells():
    listed = AbaloneBoard.start().legal_move_texts()
    assert listed == sorted(listed)
    assert len(listed) == 44
