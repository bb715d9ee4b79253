"""Orders of moves: whole sorts, and weights that change with the stage of a game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import Ordering, OthelloBoard, search
from outflank.errors import InvalidOption
from outflank.games.hints import STAGES, stage
from outflank.games.rules import fill
from outflank.kernels.record_types import allocate
from outflank.lab.experiment_boards import default_board
from outflank.search.ordering import bring_best, sort_moves, weigh
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.worker import (
    SORT_BACKWARDS,
    SORT_HEAP,
    SORT_INSERTION,
    SORT_MERGE,
    WORKER,
)


@given(scores=st.lists(st.integers(-3, 3), max_size=24), start=st.integers(0, 5))
def test_a_sort_keeps_every_move_with_its_score_and_equals_in_its_own_way(scores, start):
    worker = allocate(WORKER, 1)[0]
    end = start + len(scores)
    orders = {}
    for sort in (SORT_INSERTION, SORT_BACKWARDS, SORT_MERGE, SORT_HEAP):
        worker.moves[:start], worker.scores[:start] = 999, 999
        worker.moves[start:end], worker.scores[start:end] = range(len(scores)), scores
        sort_moves(sort, start, end, worker)
        order = worker.moves[start:end].tolist()
        assert sorted(order) == [*range(len(scores))]
        assert [scores[move] for move in order] == worker.scores[start:end].tolist() == sorted(scores, reverse=True)
        assert (worker.moves[:start] == 999).all()
        orders[sort] = order
    as_generated = sorted(range(len(scores)), key=lambda move: -scores[move])
    assert orders[SORT_INSERTION] == orders[SORT_MERGE] == as_generated
    assert orders[SORT_BACKWARDS] == sorted(range(len(scores)), key=lambda move: (-scores[move], -move))


@pytest.mark.compiled
def test_sorts_that_keep_equals_search_the_same_tree_as_the_best_of_the_rest_does():
    def nodes(sort):
        ordering = Ordering(weights={"stones": 1, "squares": 1}, sort=sort, from_depth=1)
        found = search(default_board(), depth=6, workers=1, algorithm="mtdf", evaluation="four-part", ordering=ordering)
        return found.value, found.nodes

    value, usual = nodes("all")
    assert nodes("insertion") == nodes("merge") == (value, usual)
    for sort in ("backwards", "heap", "best", "none"):
        found, count = nodes(sort)
        assert found == value
        assert count != usual


@pytest.mark.interpreted_only
def test_the_tables_move_is_tried_first():
    board = OthelloBoard.from_text("f5 d6 c3 d3")
    worker = Root(board.game, board.position, Options(table_bits=None)).worker
    for move in board.legal_moves:
        end = fill(board.game, board.position, worker.moves, 0)
        weigh(board.game, board.position, 9, 0, move.code, 0, end, worker)
        bring_best(0, end, worker)
        assert worker.moves[0] == move.code


@pytest.mark.interpreted_only
def test_stages_go_from_the_start_to_the_end_of_a_game():
    board = OthelloBoard.start()
    seen = []
    while not board.is_game_over:
        seen.append(int(stage(board.game, board.position)))
        board.push(str(board.legal_moves[0]))
    assert seen == sorted(seen)
    assert set(seen) == {*range(STAGES)}


@pytest.mark.compiled
def test_weights_of_a_stage_are_those_of_its_nodes():
    board = default_board()
    now = int(stage(board.game, board.position))
    assert 0 < now < STAGES - 1

    def nodes(**fields):
        found = search(board, depth=3, workers=1, table_bits=None, algorithm="alphabeta", ordering=Ordering(**fields))
        return found.nodes

    fixed = nodes(weights={"mobility": 1})
    elsewhere = {"stones": 1}
    own = [elsewhere if each not in (now, now + 1) else {"mobility": 1} for each in range(STAGES)]
    assert nodes(by_stage=tuple(own)) == fixed
    assert nodes(by_stage=(elsewhere,) * STAGES) == nodes(weights=elsewhere) != fixed


@pytest.mark.interpreted_only
def test_weights_by_stage_are_all_there_and_alone():
    with pytest.raises(InvalidOption, match="6 dictionaries of weights"):
        Ordering(by_stage=({"stones": 1},))
    with pytest.raises(InvalidOption, match="no weights besides"):
        Ordering(weights={"stones": 1}, by_stage=({"stones": 1},) * STAGES)
