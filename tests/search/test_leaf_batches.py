"""Leaves of a Monte-Carlo tree chosen many at a time: what counts meanwhile goes, and what the games brought stays."""

import numpy as np
import pytest

from outflank import AbaloneBoard, OthelloBoard
from outflank.games.rules import unpack
from outflank.search.leaf_batches import Batch, tally
from outflank.search.montecarlo import WIN, new_tree
from outflank.search.request import Options
from outflank.search.root import Root

BOARDS = pytest.mark.parametrize("board", [OthelloBoard.start(4), AbaloneBoard.start()], ids=["othello", "abalone"])


def _root(board):
    return Root(board.game, board.position, Options(algorithm="uct"))


def _drawn(lots, batch):
    return lots.integers(-batch.games * WIN, batch.games * WIN + 1, batch.leaves)


@BOARDS
def test_what_was_lent_is_given_back(board) -> None:
    root, lots = _root(board), np.random.default_rng(5)
    (tree, used), batch, games, played = new_tree(root, room=2000), Batch(root.game, 40, 40), 8, 0
    for leaves in (1, 7, 40, 40, 25):
        before = tree.copy()
        used = batch.choose(tree, used, leaves, games, root.worker)
        assert batch.leaves >= min(leaves, 40)
        played += batch.leaves * games
        assert tree[0].visits == played
        if before[0].visits:
            assert abs(tree[0].won / tree[0].visits - before[0].won / before[0].visits) < 1
        new = (tree.visits > 0) & (before.visits == 0)
        assert new.any()
        assert (tree.won[new] == -WIN * tree.visits[new]).all()
        for words in batch.words[: batch.leaves]:
            unpack(root.game, *words)
        batch.credit(tree, _drawn(lots, batch))
        for node in range(used):
            here, first, count = tree[node], int(tree[node].children), int(tree[node].count)
            assert abs(here.won) <= WIN * here.visits
            if first:
                below = tree[first : first + count]
                # The games from a node itself were played before it had children; the root's moves have theirs alone.
                assert 0 <= here.visits - below.visits.sum() <= (games if node > len(root.moves) else 0)
                assert abs(here.won + below.won.sum()) <= (games * WIN if node > len(root.moves) else 0)
    assert used <= len(tree)


@BOARDS
def test_results_go_to_the_nodes_whose_games_they_are(board) -> None:
    root = _root(board)
    (tree, used), batch = new_tree(root, room=2000), Batch(root.game, 1, 1)
    batch.choose(tree, used, 1, 2, root.worker)
    first, count = int(tree[1].children), int(tree[1].count)
    assert batch.leaves == count > 1
    assert tree.first[first : first + count].tolist() == batch.words[:count, 0].tolist()
    results = np.arange(count) * 10
    batch.credit(tree, results)
    assert tree.won[first : first + count].tolist() == (-results).tolist()
    assert (tree[1].won, tree[0].won) == (results.sum(), -results.sum())
    assert (tree[1].visits, tree[0].visits) == (2 * count, 2 * count)
    assert not tree.won[2:first].any()


def test_a_tree_is_as_it_was_when_a_batch_is_withdrawn() -> None:
    root, lots = _root(OthelloBoard.start(6)), np.random.default_rng(6)
    (tree, used), batches = new_tree(root, room=2000), [Batch(root.game, 30, 60) for _ in range(3)]
    for leaves in (40, 60):
        used = batches[0].choose(tree, used, leaves, 8, root.worker)
        batches[0].credit(tree, _drawn(lots, batches[0]))
    before = tree.copy()
    for batch, leaves, games in ((batches[1], 60, 8), (batches[2], 24, 5)):
        used = batch.choose(tree, used, leaves, games, root.worker)
    assert (tree.visits != before.visits).any()
    batches[1].withdraw(tree)
    batches[2].withdraw(tree)
    assert tree.visits.tolist() == before.visits.tolist()
    assert tree.won.tolist() == before.won.tolist()


def test_leaves_of_one_batch_differ() -> None:
    root = _root(OthelloBoard.start(6))
    (tree, used), batch = new_tree(root, room=2000), Batch(root.game, 20, 40)
    batch.choose(tree, used, 40, 16, root.worker)
    assert batch.leaves >= 40
    leaves = np.flatnonzero((tree.visits > 0) & (tree.children == 0))
    assert len(leaves) <= batch.leaves  # children of children of the root: none was played from twice
    deeper = batch.leaves - len(leaves)
    assert deeper == np.count_nonzero(tree.children[1 + len(root.moves) :])


def test_a_full_tree_is_still_used() -> None:
    root = _root(OthelloBoard.start(4))
    (tree, used), batch = new_tree(root, room=12), Batch(root.game, 30, 60)
    used = batch.choose(tree, used, 60, 1, root.worker)
    assert used <= 12
    assert 30 <= tree[0].visits == batch.leaves < 60  # as many ways as there is room for


def test_results_are_added_up_for_each_leaf() -> None:
    results, lengths = np.array([1000, -1000, 0, 250, 9, 9], np.int16), np.array([3, 4, 5, 120, 9, 9], np.int16)
    sums = np.zeros(2, np.int64)
    assert tally(results, lengths, 2, 2, sums) == 132
    assert sums.tolist() == [0, 250]
