"""Names of openings: those that players use, whatever the order of the moves and the orientation of the board."""

import pytest

from outflank import AbaloneBoard, Board, OthelloBoard
from outflank.books.book import Book
from outflank.games.rules import unpack
from outflank.othello.opening_names import OPENINGS

pytestmark = pytest.mark.interpreted_only

Cells = dict[tuple[int, int], str]
STEPS = [(across, down) for across in (-1, 0, 1) for down in (-1, 0, 1) if across or down]


def after(moves: str) -> tuple[Cells, str]:
    """The discs after some moves and the side to move, by rules that know no bits."""
    cells, turn = {(3, 3): "O", (4, 4): "O", (4, 3): "X", (3, 4): "X"}, "X"
    for place in range(0, len(moves), 2):
        column, row = ord(moves[place]) - ord("a"), int(moves[place + 1]) - 1
        assert (column, row) not in cells
        flipped = []
        for across, down in STEPS:
            line = []
            at = (column + across, row + down)
            while cells.get(at, turn) != turn:
                line.append(at)
                at = (at[0] + across, at[1] + down)
            flipped += line if at in cells else []
        assert flipped, f"{moves}: {moves[place : place + 2]} is not legal"
        cells |= dict.fromkeys([(column, row), *flipped], turn)
        turn = "XO"[turn == "X"]
    return cells, turn


def images(cells: Cells) -> set[frozenset[tuple[tuple[int, int], str]]]:
    """The eight images of a position."""
    found = set()
    for number in range(8):
        image = {}
        for (column, row), sign in cells.items():
            x, y = 7 - column if number & 1 else column, 7 - row if number & 2 else row
            image[(y, x) if number & 4 else (x, y)] = sign
        found.add(frozenset(image.items()))
    return found


def checked_names() -> dict[tuple[frozenset[tuple[tuple[int, int], str]], str], str]:
    """The name of each image of a named position; each has one name."""
    names: dict[tuple[frozenset[tuple[tuple[int, int], str]], str], str] = {}
    for name, moves in OPENINGS.items():
        cells, turn = after(moves)
        for image in images(cells):
            assert (image, turn) not in names, f"{name} is {names[(image, turn)]}"
            names[(image, turn)] = name
    return names


def cells_of(board: Board) -> frozenset[tuple[tuple[int, int], str]]:
    """The discs of a board as its line tells them."""
    line = board.to_text().partition(" ")[0]
    return frozenset(((place % 8, place // 8), sign) for place, sign in enumerate(line) if sign != "-")


def test_every_position_of_the_book_has_the_name_of_a_list_checked_by_other_rules():
    names, named = checked_names(), 0
    start = OthelloBoard.start()
    book = Book.read(start.game, "own")
    assert len(book.entries) > 2_000
    for key in book.entries:
        for turn in "XO":
            board = OthelloBoard(start.game, unpack(start.game, *key), {"X": "black", "O": "white"}[turn])
            expected = names.get((cells_of(board), turn), "")
            assert board.opening == expected
            named += expected != ""
    assert named > 40


@pytest.mark.parametrize(
    ("moves", "name"),
    [
        ("f5d6", "Perpendicular"),
        ("f5f6", "Diagonal"),
        ("f5f4", "Parallel"),
        ("f5d6c3d3c4", "Tiger"),
        ("f5d6c3d3c4b3", "Aubrey / Tanaka"),
        ("f5d6c3d3c4f4c5b3c2", "Rose-Bill"),
        ("f5d6c3d3c4f4f6", "Stephenson"),
        ("f5d6c3d3c4f4f6f3", "Comp'Oth"),
        ("f5d6c5f4e3c6d3f6e6d7", "Rose"),
        ("f5d6c5f4e3c6e6", "Inoue"),
        ("f5f6e6f4e3", "Cow"),
        ("f5f6e6f4g5", "Heath / Tobidashi"),
        ("f5d6c4d3c5", "Cat"),
    ],
)
def test_players_know_it_by_this_name(moves, name):
    board = Board.from_text(moves)
    assert board.opening == name
    for image in board.symmetries():
        assert image.opening == name  # each has no history, so it is the position that is known


def test_the_opening_stays_after_its_last_move_and_goes_with_it():
    board = Board.from_text("f5d6c3d3c4f4f6")
    for _ in range(6):
        board.push(board.legal_moves[-1])
    assert board.opening
    while board.ply > 2:
        board.pop()
    assert board.opening == "Perpendicular"
    board.pop()
    assert board.opening == ""
    assert OthelloBoard.start().opening == Board.from_text("f5").opening == ""


def test_a_position_is_known_by_another_order_of_the_moves():
    # The Tiger's moves in two orders: d3 is answered to c3, or c4 first.
    assert Board.from_text("f5d6c4d3c3").opening == Board.from_text("f5d6c3d3c4").opening == "Tiger"


def test_small_boards_have_no_names():
    assert OthelloBoard.start(6).opening == ""
    board = OthelloBoard.start(6)
    board.push(board.legal_moves[0])
    assert board.opening == ""


def test_an_opening_of_abalone_is_its_start():
    board = AbaloneBoard.start("belgian-daisy")
    board.push(board.legal_moves[0])
    assert (board.opening, AbaloneBoard.start().opening) == ("Belgian Daisy", "Standard")
    assert board.symmetries()[3].opening == ""  # a position of the middle game, without the moves that led to it
