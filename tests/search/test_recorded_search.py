"""Recorded searches: every node of a small search, its window, and the reason of each cut-off."""

import pytest

from outflank import Limits, search
from outflank.abalone.board import AbaloneBoard
from outflank.errors import OutflankError
from outflank.othello.board import OthelloBoard
from outflank.search import recorded_search
from outflank.search.recorded_search import record_search
from outflank.search.request import Options

SMALL = OthelloBoard.start(4)


def recorded(board, depth, **options):
    return record_search(board, depth, Options(table_bits=None, **options))


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
@pytest.mark.parametrize(
    ("board", "depth", "evaluation"),
    [(SMALL, 3, "discs"), (OthelloBoard.from_text("f5d6"), 2, "discs"), (AbaloneBoard.start(), 1, None)],
    ids=["4x4", "8x8", "abalone"],
)
def test_the_value_is_that_of_every_search(board, depth, evaluation, algorithm):
    document = recorded(board, depth, algorithm=algorithm, evaluation=evaluation)
    result = search(board, Limits(depth=depth), algorithm="minimax", evaluation=evaluation, workers=1, deepen=False)
    root = document.nodes[0]
    assert root.value == pytest.approx(result.value_in_units)
    assert root.best in board.legal_move_texts()
    if algorithm == "minimax":
        assert len(document.nodes) == result.nodes
        assert not any(node.pruned for node in document.nodes)


def test_every_cut_off_has_its_reason():
    nodes = recorded(SMALL, 4, algorithm="alphabeta", evaluation="discs").nodes
    boards = [SMALL.copy()]
    for node in nodes[1:]:
        board = boards[node.parent].copy()
        board.push(node.move)
        boards.append(board)
    children = {place: [child for child in nodes if child.parent == place] for place in range(len(nodes))}
    for place, (node, board) in enumerate(zip(nodes, boards, strict=True)):
        if not children[place]:
            continue
        searched = [child.move for child in children[place]]
        assert sorted([*searched, *node.pruned]) == sorted(board.legal_move_texts())
        values = [-child.value for child in children[place]]
        assert node.value == max(values)
        assert node.best == searched[values.index(max(values))]
        # Each child has the best value before it as its beta.
        alpha = -1e9 if node.alpha is None else node.alpha
        for child, before in zip(children[place], [alpha, *values], strict=False):
            alpha = max(alpha, before)
            assert child.beta == (None if alpha == -1e9 else -alpha)
        beta = 1e9 if node.beta is None else node.beta
        assert bool(node.bound == "lower") == (node.value >= beta)
        assert not node.pruned or node.value >= beta
    assert sum(len(node.pruned) for node in nodes) > 5


def test_what_cannot_be_recorded_is_refused(monkeypatch):
    over = OthelloBoard.from_text("XXXX/XXXX/XXXX/XXXX X".replace("/", ""))
    for board, depth, algorithm, reason in (
        (SMALL, 7, "alphabeta", "depth 7: a recorded search has a depth of 1 to 6"),
        (SMALL, 2, "mtdf", "mtdf: a recorded search is by minimax or alphabeta"),
        (over, 2, "alphabeta", "the game is over here"),
    ):
        with pytest.raises(OutflankError, match=reason):
            recorded(board, depth, algorithm=algorithm)
    monkeypatch.setattr(recorded_search, "MOST_NODES", 20)
    with pytest.raises(OutflankError, match="more than 20 nodes"):
        recorded(SMALL, 4, algorithm="minimax", evaluation="discs")
