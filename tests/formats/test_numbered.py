"""Positions of any game by its name and numbers."""

import pytest

from outflank import AbaloneBoard, Board, OthelloBoard, OutflankError
from outflank.formats.numbered import write_numbered
from outflank.games.description import description_of

pytestmark = pytest.mark.interpreted_only


@pytest.mark.parametrize("board", [OthelloBoard.start(6), AbaloneBoard.start(), Board.from_text("f5d6c3")])
def test_what_is_written_is_read(board):
    text = write_numbered(description_of(board.game), board.game, board.position, board.turn, board.ply)
    found = Board.from_text(text)
    assert (found, found.ply) == (board, board.ply)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("othello: 810000000 1008000000 black 0 [184463709551615 1]", "a board is 4×4, 6×6 or 8×8"),
        ("othello: 810000000 1008000000 black 0 [18446744073709551615 7]", "a board is 4×4, 6×6 or 8×8"),
        ("othello: 810000000 810000000 black 0 [18446744073709551615 1]", "discs lie on each other"),
        ("othello: 1 2 black 0 [35604928818740736 1]", "or outside the board"),
        ("othello: 810000000 1008000000 black 0 [-1 1]", "mask=-1 is no number of 64 bits"),
        ("othello: 810000000 1008000000 black 0 [1]", "the rules of Othello are 2 numbers, found 1"),
        ("othello: 810000000 1008000000 black 0 [-- 1]", "two words, black or white"),
        ("abalone: 0 0 white 3 [99999999999999999999 3]", "marbles=99999999999999999999 is no number of 64 bits"),
        ("abalone: ffffffffffffffff 0 white 3 [14 6]", "outside the board"),
        ("abalone: 7 0 white 3 [2 1]", "more than 2 marbles"),
        ("abalone: 0 0 white 3 [0 0]", "14 marbles at most"),
    ],
)
def test_what_is_no_position_is_one_line(text, says):
    with pytest.raises(OutflankError) as error:
        Board.from_text(text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
