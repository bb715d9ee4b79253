"""Leaves of a Monte-Carlo tree chosen many at a time: virtual losses go, and what the games brought stays."""

import numpy as np
import pytest

from outflank import AbaloneBoard, OthelloBoard
from outflank.games.rules import unpack
from outflank.search.batches import Batch, choose, credit, withdraw
from outflank.search.contract import Options
from outflank.search.montecarlo import WIN, seedling
from outflank.search.root import Root


@pytest.mark.parametrize("board", [OthelloBoard.start(4), AbaloneBoard.start()], ids=["othello", "abalone"])
def test_what_was_lost_on_the_way_is_given_back(board) -> None:
    root, lots = Root(board.game, board.position, Options(algorithm="uct")), np.random.default_rng(5)
    (tree, used), batch, games, played = seedling(root, room=2000), Batch(40), 8, 0
    for leaves in (1, 7, 40, 40, 25):
        used = choose(root.game, tree, used, leaves, games, root.worker, batch.paths, batch.lengths, batch.words)
        played += leaves * games
        assert tree[0].visits == played
        assert tree[0].won <= -WIN * leaves * games + WIN * (played - leaves * games)
        for words in batch.words[:leaves]:
            unpack(root.game, *words)
        results = lots.integers(-games * WIN, games * WIN + 1, leaves)
        credit(tree, leaves, games, results, batch.paths, batch.lengths)
        for node in range(used):
            here, first, count = tree[node], int(tree[node].children), int(tree[node].count)
            assert abs(here.won) <= WIN * here.visits
            if first:
                below = tree[first : first + count]
                # The games from a node itself were played before it had children.
                assert 0 <= here.visits - below.visits.sum() <= (games if node else 0)
                assert abs(here.won + below.won.sum()) <= (games * WIN if node else 0)
    assert used <= len(tree)


def test_a_tree_is_as_it_was_when_a_batch_is_withdrawn() -> None:
    board, lots = OthelloBoard.start(6), np.random.default_rng(6)
    root = Root(board.game, board.position, Options(algorithm="uct"))
    (tree, used), batches = seedling(root, room=2000), [Batch(30) for _ in range(3)]
    for leaves in (20, 30):
        used = choose(root.game, tree, used, leaves, 8, root.worker, *_ways(batches[0]))
        credit(tree, leaves, 8, lots.integers(-8 * WIN, 8 * WIN + 1, leaves), batches[0].paths, batches[0].lengths)
    before = tree.copy()
    for batch, leaves, games in ((batches[1], 30, 8), (batches[2], 12, 5)):
        used = choose(root.game, tree, used, leaves, games, root.worker, *_ways(batch))
    assert (tree.visits != before.visits).any()
    withdraw(tree, 30, 8, batches[1].paths, batches[1].lengths)
    withdraw(tree, 12, 5, batches[2].paths, batches[2].lengths)
    assert tree.visits.tolist() == before.visits.tolist()
    assert tree.won.tolist() == before.won.tolist()


def _ways(batch):
    return batch.paths, batch.lengths, batch.words


def test_leaves_of_one_batch_differ() -> None:
    board = OthelloBoard.start(6)
    root = Root(board.game, board.position, Options(algorithm="uct"))
    (tree, used), batch = seedling(root, room=2000), Batch(4)
    choose(root.game, tree, used, 4, 16, root.worker, batch.paths, batch.lengths, batch.words)
    assert len({tuple(words) for words in batch.words.tolist()}) == 4


def test_a_full_tree_is_still_used() -> None:
    board = OthelloBoard.start(4)
    root = Root(board.game, board.position, Options(algorithm="uct"))
    (tree, used), batch = seedling(root, room=12), Batch(30)
    used = choose(root.game, tree, used, 30, 1, root.worker, batch.paths, batch.lengths, batch.words)
    assert used <= 12
    assert tree[0].visits == 30
