"""A review's story, and what is seen of it."""

import io
import json
import random
import sys
from itertools import pairwise
from math import inf
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from outflank import Board, OthelloBoard
from outflank.formats.game_record import Record, Setup
from outflank.games.description import description_of
from outflank.games.rules import is_pass
from outflank.games.scores import Scale
from outflank.games.sides import Side
from outflank.players import review as engine_review
from outflank.players.review import Accuracy, JudgedMove, accuracy_of, story_of
from outflank.search.request import Limits
from outflank.ui.cli import main
from outflank.ui.cli.game_files import review_command
from outflank.ui.cli.game_files.review_view import ReviewedGame, conclusions, show
from outflank.validation.text import how_many

pytestmark = pytest.mark.interpreted_only

GAME = Board.from_text("f5d6c3d3c4f4f6g5")


def judged(ply, best, kept, *, margin=7.0, exact=False):
    """A move with values as black sees them; odd ones are black's."""
    side = Side.BLACK if ply % 2 else Side.WHITE
    sign = 1 if ply % 2 else -1
    move, other = GAME.legal_moves[:2]
    values = {"best_value": sign * best, "value": sign * kept}
    return JudgedMove(ply=ply, side=side, move=move, best=other, exact=exact, depth=8, margin=margin, **values)


def changes(story):
    return [(turn.ply, turn.before, turn.after, turn.blamed is not None) for turn in story.turns]


# Black's values before each move and after it, as its own search saw them. Searches of one move and the next disagree.
TWO_SIDED = [
    (1, 0.0, 0.0), (2, 1.0, 1.0), (3, 0.5, 0.5), (4, 1.5, 2.0), (5, 1.0, 1.0), (6, 2.0, 9.5),
    (7, 8.5, 8.5), (8, 8.0, 8.0), (9, 7.5, 6.9), (10, 5.0, 5.0), (11, 9.0, 9.0), (12, 8.0, 8.0), (13, 12.0, 1.0),
    (14, 4.9, 20.0), (15, 18.0, 18.0),
]  # fmt: skip
SLIDE = [(ply, 0.6 - 4.0 * (ply - 1), 0.6 - 4.0 * (ply - 1)) for ply in range(1, 15)]


def test_a_story_is_one_chain_that_ends_with_the_result():
    story = story_of([judged(*each) for each in TWO_SIDED], 6.0)
    # What black had before move 14 is more than half of the margin: the win was never gone.
    assert changes(story) == [(6, 0, 1, True)]
    moves = [(14, 1.9, 20.0) if each[0] == 14 else each for each in TWO_SIDED]
    story = story_of([judged(*each) for each in moves], 6.0)
    assert changes(story) == [(6, 0, 1, True), (13, 1, 0, True), (14, 0, 1, True)]
    assert story.values[13] == (14, 18.0)  # one value for a position: the next search's
    assert story.states[-1] == 1


def test_a_change_without_a_culprit_is_told_as_one():
    story = story_of([judged(*each) for each in SLIDE], -64.0)
    assert changes(story) == [(2, 0, -1, False)]
    assert story.values[-1] == (14, -64.0)
    found = ReviewedGame(
        board=GAME, record=record(), judged=[], marks=description_of(GAME.game).play.marks, story=story, stopped=False
    )  # fmt: skip
    told = "by move 2 the game had gone from level to white winning; no single move is to blame at this depth"
    assert told in conclusions(found)


def test_a_result_that_no_search_saw_is_the_last_state():
    assert changes(story_of([judged(1, 1.0, 1.0)], -2.0)) == [(1, 0, -1, False)]
    assert changes(story_of([judged(1, 1.0, 1.0)])) == []
    # Black let it slip by more than the margin, and the next search does not think so.
    assert changes(story_of([judged(1, 9.0, 0.0), judged(2, 9.0, 9.0)])) == []
    # Within the margin a win goes on until half of it is gone.
    wavering = [judged(1, 8.0, 8.0), judged(2, 6.0, 6.0), judged(3, 4.0, 4.0), judged(4, 3.0, 3.0)]
    assert changes(story_of(wavering)) == [(3, 1, 0, False)]


numbers = st.floats(-64, 64, allow_nan=False)


@given(st.lists(st.tuples(numbers, numbers, st.sampled_from([0.0, 4.0, 7.0])), max_size=20), st.none() | numbers)
def test_states_chain_and_the_end_agrees(values, outcome):
    moves = []
    for ply, (best, kept, margin) in enumerate(values, 1):
        low, high = sorted((best, kept))
        best, kept = (high, low) if ply % 2 else (low, high)  # the best is no worse
        moves.append(judged(ply, best, kept, margin=margin, exact=not margin))
    story = story_of(moves, outcome)
    state = story.first
    for turn in story.turns:
        assert turn.before == state != turn.after
        state = turn.after
    assert not moves or state == story.states[-1]
    if moves and outcome is not None:
        assert state == (outcome > 0) - (outcome < 0)
    for turn in story.turns:
        if turn.blamed is not None:
            assert turn.blamed.loss > turn.blamed.margin
            assert (turn.after < turn.before) == (turn.blamed.side is Side.BLACK)
    assert all(one.ply < other.ply for one, other in pairwise(story.turns))


def test_estimates_are_the_mean_of_two_iterations(monkeypatch):
    """Odd depths see black two discs better than even ones: neither the graph nor the losses may show it."""
    scale = Scale(unit="discs", points=1, decimals=1, won=1000, score="discs", most=64)
    reached = iter([7, 8, 7, 8, 8, 7, 8, 7])

    def iterate(board, limits, **options):
        for depth in range(1, (limits.depth or next(reached)) + 1):
            last_by_black = (depth % 2 == 1) == (board.turn is Side.BLACK)
            seen = 2.0 if last_by_black else -2.0
            value = seen if board.turn is Side.BLACK else -seen
            found = SimpleNamespace(value=value, depth=depth, move=board.legal_moves[0], scale=scale, exact=False)
            yield found
        yield found  # stopped in the next one

    monkeypatch.setattr(engine_review, "iterate", iterate)
    found = list(engine_review.judge_moves(GAME, Limits(seconds=1)))
    assert len(found) == 8
    assert {each.black_value for each in found} == {0.0}
    assert {each.loss for each in found} == {0.0}


# --- what is seen ---


def record(**told):
    return Record(start=Setup(format="", game=GAME.game, position=OthelloBoard.start().position), **told)


@pytest.fixture
def run(capfdbinary, monkeypatch):
    def reviewed(board, limits, *, stop, **options):
        yield judged(1, 9.0, 0.0)
        if "stopped" in asked:
            stop()
            return
        yield judged(2, 0.0, 5.5)

    asked = []

    def call(*arguments, stopped=False):
        asked[:] = ["stopped"] if stopped else []
        monkeypatch.setattr(review_command, "judge_moves", reviewed)
        monkeypatch.setattr(sys, "argv", ["outflank", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return ended.value.code, out.decode(), err.decode()

    return call


PASTED = '[Black "Ada"]\n[White "Bo"]\n[Date "1998.05.17"]\n[Result "40-24"]\n\n1. f5 d6 2. c3'


@pytest.mark.parametrize("from_file", [True, False])
def test_a_review_says_whose_game_it_is(run, tmp_path, from_file):
    path = tmp_path / "game.pgn"
    path.write_text(PASTED)
    game = ("--file", path) if from_file else (PASTED,)
    assert run("review", *game)[1].startswith("Ada - Bo, 1998-05-17, Perpendicular, black won by 16\n")
    page = run("review", *game, "--depth", 3, "--out", "-")[1]
    assert "<title>Ada - Bo, 1998-05-17, Perpendicular, black won by 16: a game reviewed</title>" in page
    assert "--depth 3 --out -" in page
    first = json.loads(run("review", *game, "--json")[1].splitlines()[0])
    told = {"black": "Ada", "white": "Bo", "date": "1998-05-17", "result": "black won by 16", "moves": "f5 d6 c3"}
    assert {**told, "opening": "Perpendicular"}.items() <= first.items()
    assert Board.from_text(first["start"]) == OthelloBoard.start()


def test_one_is_one_and_what_is_not_judged_is_told(run):
    status, out, _ = run("review", "f5d6", stopped=True)
    assert status == 130
    assert "1 move judged" in out
    assert "black: 0 of 1 move (0%) lost nothing, " in out
    assert " discs lost a move on average; 0 doubtful, 0 mistakes, 1 blunder\n" in out
    assert "stopped after move 1 of 2: the rest is not judged" in out
    assert "stopped" not in run("review", "f5d6")[1]
    assert json.loads(run("review", "f5d6", "--json", stopped=True)[1].splitlines()[-1])["stopped"] is True


def test_accuracy_counts_moves_that_lose_nothing_and_leaves_lost_games_out_of_the_mean():
    assert accuracy_of([0.0, 0.04, 2.0, 4.0]) == Accuracy(moves=4, best=2, mean_loss=pytest.approx(1.51))
    assert accuracy_of([0.0, inf]) == Accuracy(moves=2, best=1, mean_loss=0.0)
    assert accuracy_of([]) == Accuracy(moves=0, best=0, mean_loss=0.0)


def test_passes_are_told():
    board = OthelloBoard.start(4)
    random_ = random.Random(3)
    while not board.is_game_over:
        board.push(random_.choice(board.legal_moves))
    story = story_of([])
    assert how_many(1, "leaf", "leaves") == "1 leaf"
    assert how_many(2000, "leaf", "leaves") == "2,000 leaves"
    told = conclusions(
        ReviewedGame(
            board=board,
            record=record(),
            judged=[],
            marks=description_of(board.game).play.marks,
            story=story,
            stopped=False,
        )
    )[0]
    passes = sum(is_pass(board.game, move.code) for move in board.moves)
    assert passes
    assert "forced" in told
    assert f"{passes} pass" in told
    assert "which the numbers of moves count too" in told


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_values_and_moves_are_not_cut_in_narrow_terminals(width):
    moves = [judged(ply, -23.5, -41.2) for ply in range(1, 61, 2)]
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    found = ReviewedGame(
        board=GAME,
        record=record(),
        judged=moves,
        marks=description_of(GAME.game).play.marks,
        story=story_of(moves),
        stopped=False,
    )
    show(console, found)
    text = console.file.getvalue()
    assert "…" not in text
    assert text.count("-41.2") >= 30
    assert text.count("17.7") >= 30
    assert ("depth" in "".join(text.splitlines()[:3])) == (width >= 60)


def test_a_stopped_review_of_nothing_says_so():
    found = ReviewedGame(
        board=GAME,
        record=record(),
        judged=[],
        marks=description_of(GAME.game).play.marks,
        story=story_of([]),
        stopped=True,
    )
    assert conclusions(found)[-1] == "stopped after move 0 of 8: the rest is not judged"


@pytest.mark.interpreted_only
def test_what_is_judged_exactly_is_not_guessed():
    board = OthelloBoard.start(6)
    while board.legal_moves:
        board.push(board.legal_moves[0])
    found = list(engine_review.judge_moves(board, Limits(depth=1), exact=board.moves_left + 3, selectivity=73))
    assert (found[0].exact, found[-1].exact) == (False, True)


def test_moves_are_judged_alike_without_a_table():
    def values(bits):
        found = engine_review.judge_moves(GAME, Limits(depth=2), table_bits=bits, workers=1)
        return [(kept.value, kept.best) for kept in found]

    assert values(None) == values(10)
