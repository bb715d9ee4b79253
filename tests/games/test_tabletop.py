"""Boards as they lie on a table: what a hand does is what the rules say."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, Board, OthelloBoard, OutflankError, Side
from outflank.boards import board_tabletop
from outflank.boards.board_tabletop import tabletop_of
from outflank.games.presentation import Gesture


def played(board: Board, choices: list[int]) -> Board:
    for choice in choices:
        if board.legal_moves:
            board.push(board.legal_moves[choice % len(board.legal_moves)])
    return board


starts = st.sampled_from(
    [
        OthelloBoard.start,
        lambda: OthelloBoard.start(4, scoring="discs"),
        lambda: AbaloneBoard.start("belgian-daisy"),
        lambda: AbaloneBoard.start("the-wall"),
    ]
)


@given(starts, st.lists(st.integers(0, 200), max_size=20))
def test_what_lies_on_a_table_is_the_position(start: Any, choices: list[int]) -> None:
    board = played(start(), choices)
    table = tabletop_of(board)
    assert table.board_from_pieces is not None
    again = table.board_from_pieces(table.pieces(board), board.turn)
    assert again == board
    assert len({(place.x, place.y) for place in table.places}) == len(table.pieces(board))


@given(starts, st.lists(st.integers(0, 200), max_size=20))
def test_a_gesture_does_what_the_move_does(start: Any, choices: list[int]) -> None:
    board = played(start(), choices)
    table = tabletop_of(board)
    names = [place.name for place in table.places]
    own = "X" if board.turn is Side.BLACK else "O"
    gestures = [table.gesture(board, move) for move in board.legal_moves]
    assert len({(each.to, each.picked) for each in gestures}) == len(gestures)
    for move, gesture in zip(board.legal_moves, gestures, strict=True):
        before = dict(zip(names, table.pieces(board), strict=True))
        after = board.copy()
        after.push(move)
        now = dict(zip(names, table.pieces(after), strict=True))
        if not gesture.goes:  # a disc is put down, or nothing
            assert not gesture.to or (before[gesture.to], now[gesture.to]) == (".", own)
            continue
        assert {before[name] for name in gesture.picked} == {own}
        assert set(gesture.picked) <= {begin for begin, _ in gesture.goes}
        moved = before | {begin: "." for begin, _ in gesture.goes}
        moved |= {end: before[begin] for begin, end in gesture.goes if end is not None}
        assert moved == now
        where = {place.name: (place.x, place.y) for place in table.places}
        for begin, end in gesture.goes:
            if end is not None and gesture.way is not None:
                ways = [to - at for at, to in zip(where[begin], where[end], strict=True)]
                assert ways == pytest.approx(list(gesture.way))


def test_two_gestures_are_never_told_apart_by_less_than_cells_and_way() -> None:
    board = AbaloneBoard.start("belgian-daisy")
    table = tabletop_of(board)
    gestures = [table.gesture(board, move) for move in board.legal_moves]
    assert len({(frozenset(each.picked), each.way) for each in gestures}) == len(gestures) == 52


@given(st.lists(st.integers(0, 200), max_size=20))
def test_othello_needs_no_tabletop_of_its_own(choices: list[int]) -> None:
    """Discs that are turned over are part of no gesture, nor is a pass."""
    board = played(OthelloBoard.start(4, scoring="discs"), choices)
    own, derived = tabletop_of(board), board_tabletop._from_diagram(board)
    cells = {mine.name: theirs.name for mine, theirs in zip(own.places, derived.places, strict=True)} | {"": ""}
    for move in board.legal_moves:
        assert derived.gesture(board, move) == Gesture(to=cells[own.gesture(board, move).to])


def test_moves_that_no_gesture_can_show_are_made_by_name() -> None:
    """Several marbles move at once."""
    board = AbaloneBoard.start()
    derived = board_tabletop._from_diagram(board)
    assert {len(derived.gesture(board, move).picked) for move in board.legal_moves} == {0, 1}


@pytest.mark.parametrize("pieces", ["X", "X" * 15 + "." * 46, "Q" * 61, "X" * 61])
def test_what_is_no_position_is_refused(pieces: str) -> None:
    for board in (AbaloneBoard.start(), OthelloBoard.start()):
        table = tabletop_of(board)
        assert table.board_from_pieces is not None
        with pytest.raises(OutflankError):
            table.board_from_pieces(pieces, Side.WHITE)
