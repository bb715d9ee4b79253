"""`Side`: the two sides are also their names."""

import json

import pytest

from outflank import AbaloneBoard, OthelloBoard, Side, UnknownName

pytestmark = pytest.mark.interpreted_only


def test_a_side_is_equal_to_its_name():
    board = OthelloBoard.start()
    assert board.turn == "black"
    assert board.turn != "white"
    assert {Side.WHITE: 2}["white"] == 2
    assert json.dumps([board.turn]) == '["black"]'
    assert (str(board.turn), repr(board.turn)) == ("black", "<Side.BLACK: 'black'>")


def test_boards_take_a_side_by_its_name():
    board = OthelloBoard.from_text("f5")
    assert (board.discs("white"), board.discs("black")) == (board.discs(Side.WHITE), board.discs(Side.BLACK)) == (1, 4)
    assert AbaloneBoard.start().lost("white") == 0
    assert OthelloBoard(board.game, board.position, "white").turn is Side.WHITE


def test_another_side_is_refused():
    with pytest.raises(UnknownName, match=r"unknown side 'blakc', did you mean 'black'\? \(known: black, white\)"):
        Side("blakc")
    with pytest.raises(UnknownName, match="unknown side 'Black'"):
        OthelloBoard.start().discs("Black")
