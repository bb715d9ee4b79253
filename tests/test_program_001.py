"""Report 001's node counts, by the rules that give them."""

import pytest

from outflank.games.sides import Side
from outflank.lab.program_001 import PROGRAMS, Program, game_against_first, start, turn
from outflank.search.contract import Limits, Stop
from outflank.search.deepening import search
from tests.oracles import report_001 as oracle

AS_WHITE = {
    4: {"SerialPVS": (15_042, 31), "AlphaBeta": (21_335, 30)},
    5: {
        "SerialPVS": (19_585, 30),
        "AlphaBeta": (39_970, 30),
        "ParallelPVS": (77_275, 32),
        "ParallelAlphaBeta": (144_248, 32),
    },
}
"""Calls and turns of a game, as the oracle counts them: it takes a minute for each."""

AS_BLACK = {
    "SerialPVS": (20_816, 32),
    "AlphaBeta": (17_085, 32),
    "ParallelPVS": (73_827, 30),
    "ParallelAlphaBeta": (112_581, 30),
}


def counted(depth, name, side=Side.WHITE, **options):
    calls = [found.calls for found in game_against_first(depth, PROGRAMS[name], side, **options)]
    return sum(calls), len(calls)


def discs(board):
    cells = board.to_text()
    return {(cell % 8, cell // 8): cells[cell] for cell in range(64) if cells[cell] in "XO"}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("plies", "depth"), [(0, 3), (3, 2), (50, 4), (53, 9)])
def test_each_turn_is_the_oracles(plies, depth, name):
    board = start()
    assert discs(board) == oracle.START
    for _ in range(plies):
        board.push(board.legal_moves[0])
    square, calls = oracle.turn(discs(board), "X" if board.turn is Side.BLACK else "O", depth, name)
    assert square is not None
    found = turn(board, depth, PROGRAMS[name])
    assert (found.move, found.calls) == (f"{'abcdefgh'[square[0]]}{square[1] + 1}", calls)


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "name"), [(depth, name) for depth, names in AS_WHITE.items() for name in names])
def test_a_game_as_white_takes_so_many_calls(depth, name):
    assert counted(depth, name) == AS_WHITE[depth][name]


@pytest.mark.compiled
@pytest.mark.parametrize("name", PROGRAMS)
def test_and_one_as_black(name):
    assert counted(5, name, Side.BLACK) == AS_BLACK[name]


@pytest.mark.compiled
@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("name", ["ParallelPVS", "ParallelAlphaBeta"])
def test_the_parallel_ones_count_the_same_on_any_number_of_workers(name, workers):
    assert counted(5, name, workers=workers) == AS_WHITE[5][name]


@pytest.mark.compiled
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_ordinary_search_enters_as_many_nodes(workers):
    # As long as no game ends within its reach: there the report knows only who won.
    board, plain = start(), {"algorithm": "alphabeta", "evaluation": "mobility", "ordering": "none", "passes": "ply"}
    whole, negated = PROGRAMS["ParallelAlphaBeta"], Program(scouts=False, window="negated")
    for _ in range(10):
        found = turn(board, 5, whole, workers=workers)
        split = search(
            board,
            Limits(depth=5),
            **plain,
            parallel="root-split",
            share_alpha=False,
            workers=workers,
            table_bits=None,
            deepen=False,
        )
        assert (split.nodes, str(split.move)) == (found.calls + 1, found.move)  # and the root
        alone = search(board, Limits(depth=5), **plain, workers=1, table_bits=None, deepen=False)
        assert alone.nodes == turn(board, 5, negated).calls + 1
        board.push(found.move)


@pytest.mark.compiled
def test_the_window_that_is_not_turned_over_misses_the_best_move():
    right = Program(scouts=False, window="negated")
    games = [
        [found.move for found in game_against_first(5, program)]
        for program in (PROGRAMS["AlphaBeta"], right, PROGRAMS["ParallelAlphaBeta"])
    ]
    assert games[1] == games[2] != games[0]


def test_it_is_stopped():
    from outflank.lab.classroom import Stopped

    stop = Stop()
    stop()
    with pytest.raises(Stopped):
        turn(start(), 9, PROGRAMS["AlphaBeta"], stop=stop)
