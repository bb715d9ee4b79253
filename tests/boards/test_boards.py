"""Boards as values and as games."""

import copy
import pickle
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outflank
from outflank import (
    AbaloneBoard,
    AbaloneMove,
    Board,
    IllegalMove,
    InvalidPosition,
    Kind,
    OthelloBoard,
    OthelloMove,
    Side,
)
from outflank.abalone.rules import Abalone
from outflank.kernels.bits import U64
from outflank.othello.rules import OthelloPosition
from tests.conftest import examples
from tests.drawing import SEEDS, any_positions

NAMES = {"OthelloBoard": OthelloBoard, "AbaloneBoard": AbaloneBoard}
SIDES = st.sampled_from(list(Side))


def board_of(drawn, side) -> Board:
    game, position = drawn
    kind = AbaloneBoard if isinstance(game, Abalone) else OthelloBoard
    return kind(game, position, side)


def play_on(board: Board, seed: int, plies: int) -> None:
    for _ in range(plies):
        if board.is_game_over:
            break
        board.push(board.legal_moves[seed % len(board.legal_moves)])
        seed = (seed * 1103515245 + 12345) % 2**31


@examples(100)
@given(any_positions, SIDES)
def test_repr_and_text_round_trip(drawn, side):
    board = board_of(drawn, side)
    assert eval(repr(board), NAMES) == board
    again = Board.from_text(board.to_text())
    assert (again.position, again.turn, type(again)) == (board.position, board.turn, type(board))


@examples(60)
@given(any_positions, SIDES, SEEDS, st.integers(1, 12))
def test_push_and_pop_undo_each_other(drawn, side, seed, plies):
    board = board_of(drawn, side)
    before = board.copy()
    play_on(board, seed, plies)
    played = board.moves
    while board.moves:
        board.pop()
    assert board == before
    assert (board.position, board.ply, board.turn) == (before.position, before.ply, before.turn)
    for move in played:
        assert board.push(str(move)) == move
    with pytest.raises(IndexError):
        before.pop()


class Annotated(OthelloBoard):
    """A class of somebody else's, with more to remember and other arguments."""

    def __init__(self, *arguments, note="", **more):
        super().__init__(*arguments, **more)
        self.note = note


COPIES = {
    "copy": lambda board: board.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda board: pickle.loads(pickle.dumps(board)),
}


@pytest.mark.interpreted_only
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("start", [OthelloBoard.start, lambda: AbaloneBoard.start(ply_limit=9), Annotated.start])
def test_copies_go_their_own_way(way, start):
    board = start()
    board.note = "mine"
    first, second = board.legal_moves[:2]
    board.push(first)
    reply = board.legal_moves[0]
    before = (board.position, board.moves, board.turn, board.ply, board.legal_moves)
    twin = COPIES[way](board)
    assert (type(twin), twin, twin.moves, twin.note, repr(twin)) == (
        type(board),
        board,
        board.moves,
        "mine",
        repr(board),
    )
    twin.push(reply)
    assert twin != board
    assert (twin.pop(), twin.pop()) == (reply, first)
    twin.push(second)
    twin.note = "another's"
    assert (board.position, board.moves, board.turn, board.ply, board.legal_moves) == before
    assert board.note == "mine"
    assert board.pop() == first
    assert board == start()


@pytest.mark.interpreted_only
def test_a_board_derived_from_ours_is_turned_with_what_it_added():
    board = Annotated.start()
    board.note = "mine"
    board.push("f5")
    turned = board.symmetric(1)
    assert (type(turned), turned.note, turned.ply, turned.moves) == (Annotated, "mine", 1, ())
    assert board.moves == (OthelloMove(37),)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("board", [OthelloBoard.start(), AbaloneBoard.start()])
def test_a_position_has_a_hash_and_a_board_which_changes_has_none(board):
    with pytest.raises(TypeError, match="unhashable"):
        hash(board)
    seen = {board.position: "the start"}
    move = board.push(board.legal_moves[0])
    assert board.position not in seen
    assert board.pop() == move
    assert seen[board.position] == "the start"


def test_boards_of_different_games_or_rules_differ():
    assert OthelloBoard.start() != OthelloBoard.start(scoring="discs")
    assert OthelloBoard.start() != OthelloBoard.start(6)
    assert OthelloBoard.start() != AbaloneBoard.start()
    assert OthelloBoard.start() != "a board"
    assert eval(repr(OthelloBoard.start(scoring="discs")), NAMES) == OthelloBoard.start(scoring="discs")


@pytest.mark.interpreted_only
@pytest.mark.parametrize("board", [OthelloBoard.start(), AbaloneBoard.start()])
def test_what_is_no_move_at_all_is_told(board):
    for wrong in (3, None, ["f5"]):
        with pytest.raises(IllegalMove, match=r"is no move: expected text, or one of legal_moves"):
            board.push(wrong)


@pytest.mark.parametrize("move", ["a1", "z9", "", "pass", "f5 ", OthelloMove(0), OthelloMove(37, 6)])
def test_illegal_moves_leave_the_board_as_it_was(move):
    board = OthelloBoard.start()
    if move == "f5 ":
        assert board.push(move) == OthelloMove(37)
        return
    with pytest.raises(outflank.OutflankError):
        board.push(move)
    assert board == OthelloBoard.start()
    assert board.moves == ()


def test_an_illegal_move_is_answered_with_the_legal_ones():
    with pytest.raises(IllegalMove, match=r"'a1' is not a legal move here \(legal: d3 c4 f5 e6\)"):
        OthelloBoard.start().push("a1")


def test_a_whole_game_of_othello_and_its_result():
    # The shortest way to lose everything: black wipes white out at move nine.
    board = Board.from_text("f5f6e6f4e3d6g4d3c3")
    play_on(board, 5, 200)
    assert board.is_game_over
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner is (None if outcome.score == 0 else Side.BLACK if outcome.score > 0 else Side.WHITE)
    assert board.result() == outcome.result
    assert board.legal_moves == ()


def test_the_winner_takes_the_empty_squares_unless_told_otherwise():
    line = "XXX------------- O"
    takes, discs = OthelloBoard.from_line(line), OthelloBoard.from_line(line, scoring="discs")
    for board, score in ((takes, 16), (discs, 3)):
        outcome = board.outcome()
        assert outcome is not None
        assert (outcome.winner, outcome.score, outcome.reason) == (Side.BLACK, score, "neither side can move")
        assert board.result() == "1-0"
    assert Board.from_text(line, scoring="discs") == Board.from_text(line, game="othello", scoring="discs") == discs
    assert Board.from_text(line, scoring=None) == Board.from_text(line, size=4) == takes
    with pytest.raises(outflank.InvalidOption, match=r"^size=8: the position given has 4 × 4 squares$"):
        Board.from_text(line, size=8)
    empty = OthelloBoard.from_line("---------------- X").outcome()
    assert empty is not None
    assert (empty.result, empty.score) == ("1/2-1/2", 0)


def test_a_pass_is_the_only_move_of_a_side_that_has_none():
    board = OthelloBoard.from_line("XO-------------- O")
    assert [str(move) for move in board.legal_moves] == ["pass"]
    assert board.push("pa").is_pass
    assert [str(move) for move in board.legal_moves] == ["c1"]
    assert board.moves[0].square is None


def test_the_third_repetition_draws_an_abalone_game():
    board = AbaloneBoard.start()
    shuffle = ["C3D3", "G7F7", "D3C3", "F7G7"]
    for move in shuffle * 2:
        assert not board.is_game_over
        board.push(move)
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.score, outcome.reason) == (None, 0, "the same position 3 times")
    assert board.result() == "1/2-1/2"
    assert board.legal_moves == ()
    board.pop()
    assert not board.is_game_over
    endless = AbaloneBoard.start(repetitions=None)
    for move in shuffle * 4:
        endless.push(move)
    assert not endless.is_game_over
    twice = AbaloneBoard.start(repetitions=2)
    for move in shuffle:
        twice.push(move)
    assert twice.is_game_over
    assert twice.copy().is_game_over


def test_whether_the_game_is_over_is_no_method():
    board = OthelloBoard.start(4)
    assert board.is_game_over is False  # as a method, it would be true wherever it is not called
    with pytest.raises(TypeError, match="'bool' object is not callable"):
        board.is_game_over()


def test_the_ply_limit_draws_an_abalone_game():
    board = AbaloneBoard.start(ply_limit=3)
    for move in ("C3D3", "G7F7", "D3C3"):
        board.push(move)
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.reason == "3 moves without a winner"
    assert eval(repr(board), NAMES).ply_limit == 3


def test_the_sixth_marble_wins_an_abalone_game():
    board = AbaloneBoard.from_line("5/6/7/8/5SSSs/8/ssssss1/SSSSSS/SS1ss 3 5 b 0 40", ply_limit=79)
    assert (board.lost(Side.BLACK), board.lost(Side.WHITE), board.ply) == (3, 5, 78)
    move = board.push("E6E7")
    assert (move.kind, move.takes, move.pushed, move.marbles, move.line) == (Kind.OUT1_WITH3, True, 1, 3, ("E6", "E8"))
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.score, outcome.reason) == (Side.BLACK, 1, "white has lost 6 marbles")
    assert board.legal_moves == ()


def test_moves_are_values():
    board = AbaloneBoard.start()
    moves = board.legal_moves
    assert sorted(moves)[0].code == min(move.code for move in moves)
    assert len({*moves, *AbaloneBoard.start().legal_moves}) == 44
    side_step = board.parse_move("C3C4D3")
    assert isinstance(side_step, AbaloneMove)
    assert side_step.kind in (Kind.LEFT2, Kind.RIGHT2)
    assert board.parse_move(side_step.nacre) == side_step
    assert repr(side_step) in ("<AbaloneMove C3C4D3>", "<AbaloneMove C4C3D4>")


@examples(40)
@given(any_positions, SIDES)
def test_symmetric_boards_share_a_canonical_one(drawn, side):
    board = board_of(drawn, side)
    boards = board.symmetries()
    assert boards[0] == board
    assert len({other.canonical().position for other in boards}) == 1
    assert len({len(other.legal_moves) for other in boards}) == 1
    with pytest.raises(IndexError):
        board.symmetric(12)


@examples(40)
@given(any_positions, SIDES, SEEDS)
def test_pictures_are_well_formed_and_show_every_piece(drawn, side, seed):
    board = board_of(drawn, side)
    play_on(board, seed, 1)
    for picture, width in ((board.svg(), "400"), (board.svg(width=123), "123"), (board._repr_svg_(), "400")):
        root = ElementTree.fromstring(picture)
        assert root.get("width") == width
        fills = [circle.get("fill") for circle in root.iter("{http://www.w3.org/2000/svg}circle")]
        own, opp = (int(word).bit_count() for word in board.position)
        black, white = (own, opp) if board.turn is Side.BLACK else (opp, own)
        assert (fills.count("#1c1c1c"), fills.count("#fafafa")) == (black, white)
    drawing = str(board)
    assert drawing.count("X") == black
    assert drawing.count("O") == white


def test_impossible_boards_are_refused():
    with pytest.raises(InvalidPosition):
        OthelloBoard(OthelloBoard.start().game, OthelloPosition(U64(1), U64(1)))
    with pytest.raises(InvalidPosition):
        OthelloBoard(OthelloBoard.start(4).game, OthelloPosition(U64(1), U64(2)))
    with pytest.raises(InvalidPosition):
        AbaloneBoard(AbaloneBoard.start().game, AbaloneBoard.start().position._replace(opp=U64(1 << 62)))


def test_more_impossible_boards_and_moves():
    everywhere = AbaloneBoard.start().position._replace(own=U64((1 << 30) - 1), opp=U64(0))
    with pytest.raises(InvalidPosition, match="more than 14"):
        AbaloneBoard(AbaloneBoard.start().game, everywhere)
    with pytest.raises(IllegalMove, match="AbaloneMove 8191"):
        AbaloneBoard.start().push(AbaloneMove(8191))
    with pytest.raises(InvalidPosition, match="4×4, 6×6 or 8×8"):
        OthelloBoard(OthelloBoard.start().game._replace(mask=U64(0x0F0F0F0F)), OthelloPosition(U64(0), U64(0)))


@pytest.mark.interpreted_only
@pytest.mark.parametrize("kind", [OthelloBoard, AbaloneBoard, Board])
@pytest.mark.parametrize("wrong", [3, None, b"f5", ["f5"]])
def test_only_text_names_a_move(kind, wrong):
    first = AbaloneBoard.start() if kind is AbaloneBoard else OthelloBoard.start()
    board = kind(first.game, first.position)  # a game that nobody made a class for has a plain board
    with pytest.raises(IllegalMove, match=r"is no move: expected text$"):
        board.parse_move(wrong)
    with pytest.raises(IllegalMove, match=r"is no move: expected text, or one of legal_moves$"):
        board.push(wrong)


def test_half_moves_and_moves_survive_a_line():
    line = "sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS 0 0 b 37 60"
    board = AbaloneBoard.from_line(line)
    assert board.to_text() == Board.from_text(line).to_text() == board.copy().to_text() == line
    board.push("C3D3")
    assert board.to_text().endswith(" 0 0 w 38 60")
    assert eval(repr(board), NAMES).to_text() == board.to_text()


def test_the_public_names_are_all_there():
    for name in outflank.__all__:
        assert getattr(outflank, name) is not None
    assert set(outflank.__all__) <= set(dir(outflank))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        outflank.nothing  # noqa: B018
