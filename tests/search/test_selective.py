"""Selective search: guesses by shallower searches, and the way from them to a proof."""

import numpy as np
import pytest

import outflank
from outflank import InvalidOption, OthelloBoard, OutflankError, Table
from outflank.games.defaults import SearchErrors
from outflank.games.evaluation import LIMIT, begin, evaluation_named, final, value
from outflank.games.rules import play
from outflank.othello.squares import START, othello
from outflank.search import selective
from outflank.search.selective import MARGINS, SELECTIVITIES, margins, shallower, spread
from outflank.search.whole_search import confirming
from tests.walking import legal, walk

GAME = othello(8)
POINTS = 128


def board_with(empty: int, seed: int) -> OthelloBoard:
    """A board of a game of random moves, with so many empty squares or one less."""
    return OthelloBoard(GAME, walk(GAME, START, seed, 60 - empty))


def reference(position, alpha: int, beta: int, depth: int, record) -> int:
    """Principal variation search with guesses, as its definition has it: no table, moves as they come."""
    patterns = evaluation_named(GAME)
    moves = legal(GAME, position)
    if not moves:
        return int(final(patterns, GAME, position))
    seeming = int(value(patterns, GAME, position, begin(patterns, GAME, position)))
    if depth == 0:
        return seeming
    left = 64 - (int(position.own) | int(position.opp)).bit_count()
    deep, rough = (int(record[name][0, left, depth]) for name in ("deep", "rough"))
    if beta == alpha + 1 and depth < 3:
        if seeming - deep >= beta:
            return beta
        if seeming + deep <= alpha:
            return alpha
    elif beta == alpha + 1:
        below = 2 * (depth // 4) + depth % 2
        high, low = beta + deep, alpha - deep
        if seeming >= beta - rough and high < LIMIT and reference(position, high - 1, high, below, record) >= high:
            return beta
        if seeming <= alpha + rough and low > -LIMIT and reference(position, low, low + 1, below, record) <= low:
            return alpha
    best = -LIMIT
    passes = len(moves) == 1 and play(GAME, position, moves[0]) == (position.opp, position.own)
    for number, move in enumerate(moves):
        child, left = play(GAME, position, move), depth if passes else depth - 1
        low = max(alpha, best)
        narrow = low + 1 if number and low + 1 < beta else beta
        found = -reference(child, -narrow, -low, left, record)
        if low < found < beta and narrow < beta:
            found = -reference(child, -beta, 1 - found, left, record)
        best = max(best, found)
        if best >= beta:
            break
    return best


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
def test_guesses_are_made_where_the_definition_makes_them(seed, monkeypatch):
    # Small errors, so that many guesses are made. The depth stays away from the end of the game.
    monkeypatch.setattr(selective, "errors_of", lambda game, evaluation: SearchErrors(5.0, 0.0, -0.2, 0.2))
    board = board_with(14, seed)
    record = margins(GAME, evaluation_named(GAME), 73)
    asked = {"depth": 5, "workers": 1, "table_bits": None, "ordering": "none", "deepen": False}
    found = outflank.search(board, selectivity=73, **asked)
    assert found.value == reference(board.position, -LIMIT, LIMIT, 5, record)
    assert found.nodes != outflank.search(board, **asked).nodes


@pytest.mark.compiled
@pytest.mark.parametrize("options", [{}, {"parallel": "ybw", "workers": 2}, {"parallel": "abdada", "workers": 2}])
def test_who_dares_no_guess_finds_the_plain_value(options, monkeypatch):
    board = board_with(13, 5)
    plain = outflank.search(board, depth=6, workers=1)
    solved = outflank.search(board, exact=True, workers=1)
    monkeypatch.setattr(selective, "errors_of", lambda game, evaluation: SearchErrors(50.0, 0.0, 0.0, 0.0))
    chosen = {"workers": 1, "selectivity": 73, **options}
    assert outflank.search(board, depth=6, **chosen).value == plain.value
    # To the end of the game, where what the game offers to exact play is used.
    whole = outflank.search(board, depth=14, **chosen)
    assert (whole.value, whole.exact) == (POINTS * solved.value, False)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [0, 3, 16])
def test_what_a_scout_only_guessed_is_not_the_best_of_a_frame(seed, monkeypatch):
    monkeypatch.setattr(selective, "errors_of", lambda game, evaluation: SearchErrors(5.0, 0.0, -0.2, 0.2))
    asked = {"depth": 7, "selectivity": 73, "workers": 1}
    alone = outflank.search(board_with(20, seed), **asked)
    divided = outflank.search(board_with(20, seed), parallel="ybw", threshold=2, **asked)
    assert (divided.value, divided.move, divided.nodes) == (alone.value, alone.move, alone.nodes)


@pytest.mark.compiled
def test_what_was_guessed_ends_no_plain_search():
    table, board = Table(16), board_with(16, 3)
    for selectivity in (73, 99, 87):
        outflank.search(board, depth=7, selectivity=selectivity, workers=1, table=table)
    again = outflank.search(board, depth=7, workers=1, table=table)
    assert (again.value, again.selectivity) == (outflank.search(board, depth=7, workers=1).value, 100)


@pytest.mark.compiled
def test_a_selective_search_grows_surer_and_ends_in_a_proof():
    board = board_with(15, 1)
    results = list(outflank.iterate(board, selectivity=87, workers=1))
    told = [(result.depth, result.selectivity, result.exact) for result in results]
    horizon = board.moves_left + 1
    shallow = [(depth, 87, False) for depth in range(1, horizon - 9)]
    assert told == [*shallow, (horizon, 87, False), (horizon, 100, True)]  # so near the end, a proof takes no longer
    assert results[-1].value == outflank.search(board, exact=True, workers=1).value
    assert [result.selectivity for result in outflank.iterate(board, depth=2, selectivity=95, workers=1)] == [95, 95]


@pytest.mark.parametrize(("moves", "passes"), [(20, []), (21, [95]), (25, [95]), (26, [95, 99])])
@pytest.mark.interpreted_only
def test_passes_before_a_proof_take_less_time_than_it(moves, passes):
    board = next(board for board in (board_with(moves, seed) for seed in range(99)) if board.moves_left == moves)
    assert confirming(board, 73) == confirming(board, 87) == passes
    assert confirming(board, 95) == passes[1:]
    assert confirming(board, 99) == []


@pytest.mark.compiled
def test_near_the_end_nothing_is_guessed():
    """With four moves more than the endgame kernels solve, a selective search finds the exact value."""
    for seed in range(20):
        board = board_with(15, seed)
        guessed, proved = (
            outflank.search(board, workers=1, **options)
            for options in ({"selectivity": 73, "depth": board.moves_left + 1}, {"exact": True})
        )
        assert guessed.value == proved.value * guessed.scale.points
        assert guessed.selectivity == 73


LOST = "f5d6c5f4f3g4e3c6e6g5h5f6f7g3b6f8g6c4b4h3e7h7h6h4g7e8g8h8"
"""A game in which black, to move, will lose all discs."""


@pytest.mark.compiled
@pytest.mark.parametrize("selectivity", [73, 100])
def test_nothing_is_searched_beyond_the_largest_value(selectivity):
    """When a move is worth -64 discs, that the others are not worth less needs no search."""
    board = outflank.Board.from_text(LOST)
    result = outflank.search(board, depth=12, step=2, selectivity=selectivity, workers=1)
    assert result.value == -64 * result.scale.points
    assert result.nodes < 30_000  # 100,000 before, in a selective search


@pytest.mark.interpreted_only
def test_margins_are_the_errors_times_the_deviations():
    errors = SearchErrors(6.0, -0.02, -0.3, 0.25)
    depth = np.array([8, 9])
    found = spread(errors, depth, shallower(depth))
    assert shallower(depth).tolist() == [4, 5]
    assert found[20, 0] == pytest.approx(np.exp(6.0 - 0.4 - 0.3 * np.log(5) + 0.25 * np.log(4)))
    assert list(SELECTIVITIES) == [100, 99, 98, 95, 87, 73]
    plain = margins(GAME, evaluation_named(GAME), 100)
    assert plain.dtype == MARGINS
    assert not plain["deep"].any()
    wide, narrow = (margins(GAME, evaluation_named(GAME), each)["deep"][0, 20, 1:] for each in (99, 73))
    assert (wide > narrow).all()
    assert (narrow > 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selectivity": 73, "evaluation": "phased"}, "nobody has measured"),
        ({"selectivity": 73, "algorithm": "minimax"}, "minimax makes no guesses"),
        ({"selectivity": 80}, "selectivity="),
    ],
)
@pytest.mark.interpreted_only
def test_a_selectivity_that_would_do_nothing_is_refused(options, message):
    with pytest.raises(OutflankError, match=message):
        outflank.search(OthelloBoard.start(), depth=1, **options)
    with pytest.raises(InvalidOption, match="nothing to guess"):
        outflank.search(OthelloBoard.start(), exact=True, selectivity=73)
