"""Arrays of positions: the same games as on boards, all at once."""

from random import Random
from typing import NamedTuple

import numpy as np
import pytest

import outflank
from outflank import AbaloneBoard, Board, IllegalMove, InvalidOption, InvalidPosition, OthelloBoard, Positions, Side
from outflank.boards import positions as module
from outflank.boards.positions import BLACK, NO_MOVE, WHITE
from outflank.games import rules
from outflank.kernels.bits import U64
from outflank.kernels.compiler import interpreted
from tests.installing import register_game_for_now

GAMES = 3 if interpreted() else 12
PLIES = 200
SHARE = 20 if interpreted() else 1000
"""How often a random choice has each move, on average."""
STARTS = ("othello", "small", "abalone", "noughts")


def start(name: str, monkeypatch: pytest.MonkeyPatch) -> Board:
    if name == "abalone":
        return AbaloneBoard.start("belgian-daisy", repetitions=None, ply_limit=None)
    if name == "noughts":
        return register_game_for_now(monkeypatch, name).start()
    return OthelloBoard.start() if name == "othello" else OthelloBoard.start(4, scoring="discs")


@pytest.mark.slow(10)
@pytest.mark.parametrize("name", STARTS)
def test_the_same_games_are_played_as_on_boards(name, monkeypatch):
    board = start(name, monkeypatch)
    boards = [board.copy() for _ in range(GAMES)]
    positions, random = Positions.of(boards), Random(1)
    for _ in range(PLIES):
        moves = positions.legal_moves()
        result = positions.result()
        assert [list(moves[row]) for row in range(GAMES)] == [[m.code for m in board.legal_moves] for board in boards]
        assert list(moves.counts) == [len(board.legal_moves) for board in boards]
        for row, board in enumerate(boards):
            outcome = board.outcome()
            assert bool(result.over[row]) == (outcome is not None)
            assert result.scores[row] == (outcome.score if outcome else 0)
            winner = outcome.winner if outcome else None
            assert result.winners[row] == {Side.BLACK: 1, Side.WHITE: -1, None: 0}[winner]
        assert positions.boards() == boards
        np.testing.assert_array_equal(positions.to_numpy(), [board.to_numpy() for board in boards])
        if result.over.all():
            break
        numbers = [random.randrange(max(1, len(board.legal_moves))) for board in boards]
        codes = moves.pick(numbers)
        positions.play(codes)
        for board, code in zip(boards, codes, strict=True):
            assert (code == NO_MOVE) == board.is_game_over
            if code != NO_MOVE:
                board.push(board.move(int(code)))


def test_planes_have_the_shape_of_the_board():
    board = OthelloBoard.start(6)
    board.push("c2")  # white is to move
    signs = board.to_text().partition(" ")[0]
    cells = np.array(list(signs)).reshape(6, 6)
    np.testing.assert_array_equal(board.to_numpy(), [cells == "O", cells == "X"])
    assert board.to_numpy().dtype == np.int8


def test_planes_of_abalone_have_a_row_for_each_letter():
    board = AbaloneBoard.start()
    own, opp = board.to_numpy()
    assert own.shape == (9, 9)
    assert [row.sum() for row in own] == [5, 6, 3, 0, 0, 0, 0, 0, 0]  # A1 to C5
    assert [row.sum() for row in opp] == [0, 0, 0, 0, 0, 0, 3, 6, 5]
    assert own[2].nonzero()[0].tolist() == [2, 3, 4]
    assert opp[6].nonzero()[0].tolist() == [4, 5, 6]


def test_the_mask_has_the_legal_codes():
    boards = [OthelloBoard.start(), OthelloBoard.start(), OthelloBoard.start()]
    boards[1].push("f5")
    mask = Positions.of(boards).legal_moves().mask()
    assert mask.shape == (3, 65)
    for row, board in zip(mask, boards, strict=True):
        assert row.nonzero()[0].tolist() == [move.code for move in board.legal_moves]
    assert Positions.of([AbaloneBoard.start()]).legal_moves().mask().shape == (1, 6630)


def test_random_moves_are_all_possible_and_equally_likely():
    boards = [OthelloBoard.start(), AbaloneBoard.start(), Board.from_text("f5d6c3d3c4f4f6")]
    for board in boards:
        number = len(board.legal_moves)
        positions = Positions.of([board] * (number * SHARE))
        codes = positions.random_moves(np.random.default_rng(1))
        picked, times = np.unique(codes, return_counts=True)
        assert picked.tolist() == sorted(move.code for move in board.legal_moves)
        assert abs(times - SHARE).max() < 6 * SHARE**0.5


def test_the_last_fraction_is_the_last_move(monkeypatch):
    class Greatest:
        def random(self, size: int, kind: type) -> "np.typing.NDArray[np.float32]":
            return np.full(size, np.nextafter(np.float32(1), np.float32(0)), kind)

    for board in (OthelloBoard.start(), AbaloneBoard.start()):
        codes = Positions.of([board]).random_moves(Greatest())  # type: ignore[arg-type]
        assert codes.tolist() == [board.legal_moves[-1].code]


@pytest.mark.parametrize(
    "text", ["f5d6c3d3c4f4f6", "OOOOOOOX" + "-" * 56 + " X", "-XXXXXXXXXXXXXX- X", "XO" + "-" * 14 + " O"]
)
def test_a_code_is_legal_if_it_is_listed(text):
    board = Board.from_text(text)
    legal = {move.code for move in board.legal_moves}
    for code in range(70):
        positions = Positions.of([board])
        if code in legal:
            positions.play([code])
        else:
            with pytest.raises(IllegalMove, match=f"position 0: move {code} is not legal"):
                positions.play([code])


def test_an_illegal_move_is_refused_and_nothing_is_played():
    positions = Positions.of([OthelloBoard.start()] * 3)
    before = positions.copy()
    with pytest.raises(IllegalMove, match=r"position 1: move 0 is not legal \(legal: 19 26 37 44\)"):
        positions.play([19, 0, 19])
    with pytest.raises(IllegalMove, match="position 2: 70000 is no move code"):
        positions.play([19, 19, 70000])
    with pytest.raises(InvalidOption, match="a move code for each of 3 positions"):
        positions.play([19])
    with pytest.raises(InvalidOption, match="float64"):
        positions.play([19.0, 19.0, 19.0])
    np.testing.assert_array_equal(positions.words, before.words)
    assert positions.turns.tolist() == [BLACK] * 3


def test_a_number_that_no_move_has_is_refused():
    moves = Positions.of([OthelloBoard.start()] * 2).legal_moves()
    assert moves.pick(3).tolist() == [44, 44]
    with pytest.raises(IndexError, match="position 1 has 4 moves, and no number 4"):
        moves.pick([0, 4])
    with pytest.raises(IndexError, match="position 0 has 4 moves, and no number -1"):
        moves.pick(-1)
    with pytest.raises(InvalidOption, match="float64"):
        moves.pick([0.5, 0.5])


def test_games_without_a_move_stay_as_they_are():
    over = outflank.Board.from_text("-XXXXXXXXXXXXXX- X")
    positions = Positions.of([over, OthelloBoard.start(4)])
    moves = positions.legal_moves()
    assert moves.counts.tolist() == [0, 4]
    codes = moves.pick(0)
    positions.play(codes)
    assert codes[0] == NO_MOVE
    assert positions.boards()[0] == over
    assert positions.turns.tolist() == [BLACK, WHITE]


def test_a_slice_shares_memory_and_a_list_copies():
    positions = Positions.of([OthelloBoard.start()] * 4)
    positions[1:3].play([19, 26])
    assert positions.turns.tolist() == [BLACK, WHITE, WHITE, BLACK]
    positions[[0, 3]].play([19, 26])
    assert positions[positions.turns == WHITE].turns.tolist() == [WHITE, WHITE]
    assert (len(positions), repr(positions)) == (4, "<4 positions of Othello 8×8>")
    with pytest.raises(TypeError, match="a slice, a mask or a list of rows"):
        positions[1]


def test_positions_from_words_are_checked():
    board = OthelloBoard.start()
    words = Positions.of([board, board]).words
    assert Positions(board.game, words, WHITE).boards()[1] == OthelloBoard(board.game, board.position, Side.WHITE)
    with pytest.raises(InvalidPosition, match="position 1: discs lie on each other"):
        Positions(board.game, np.array([words[0], [1, 1]], np.uint64))
    with pytest.raises(InvalidOption, match="int64"):
        Positions(board.game, [[1, 2]])
    with pytest.raises(InvalidOption, match="0 \\(black\\) or 1 \\(white\\)"):
        Positions(board.game, words, [2, 0])
    with pytest.raises(InvalidOption, match="no boards"):
        Positions.of([])
    with pytest.raises(InvalidOption, match="board 1 has other rules"):
        Positions.of([board, OthelloBoard.start(6)])


class Plain(NamedTuple):
    """The rules of a game in plain Python, which the compiler rejects: a number to which each side adds 1 or 2."""

    goal: int


class Number(NamedTuple):
    """The number."""

    reached: np.uint64


@rules.most_moves.register(Plain)
def _(game):
    return 2


STEPS = {"one": 1, "two": 2}
"""No kernel reads a dictionary of this kind."""


@rules.fill.register(Plain)
def _(game, position, moves, start):
    legal = [step for step in STEPS.values() if int(position.reached) + step <= game.goal]
    for index, step in enumerate(legal):
        moves[start + index] = step
    return start + len(legal)


@rules.count.register(Plain)
def _(game, position):
    return min(2, game.goal - int(position.reached))


@rules.play.register(Plain)
def _(game, position, move):
    return Number(U64(int(position.reached) + int(f"{move}")))


@rules.score.register(Plain)
def _(game, position):
    return -1


@rules.pack.register(Plain)
def _(game, position):
    return position.reached, U64(0)


@rules.unpack.register(Plain)
def _(game, first, second):
    return Number(first)


def test_rules_that_are_not_compiled_are_played_by_the_interpreter(monkeypatch):
    notices: list[str] = []
    monkeypatch.setattr(module, "notify", notices.append)
    monkeypatch.setattr(module, "_uncompiled", set())
    positions = Positions.of([Board(Plain(3), Number(U64(0)))] * 2)
    assert positions.legal_moves()[1].tolist() == [1, 2]
    positions.play([1, 2])
    positions.play([2, 1])
    result = positions.result()
    assert result.over.all()
    assert result.winners.tolist() == [-1, -1]  # black would move: it has lost
    assert positions.to_numpy().shape == (2, 2, 64)  # no cells are described
    assert len(notices) == (0 if interpreted() else 1)
    if notices:
        assert notices[0].startswith("Plain: the interpreter plays its positions, because it is not compiled: ")
