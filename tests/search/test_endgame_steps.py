"""Exact searches with what a game offers for them: the same values as by the rules alone, whoever searches."""

import random
from typing import Any

import pytest

import outflank
from outflank import AbaloneBoard, Board, OthelloBoard, Table
from outflank.games.endings import ending_moves
from outflank.games.evaluation import Exact, Solving
from outflank.games.rules import score
from outflank.kernels.compiler import interpreted
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.table import PROVED, depth_of

SCHEMES = ("ybw", "jamboree", "pv-split", "root-split", "shared-table", "abdada")


def drawn(seed: int, empties: int, size: int = 8, scoring: str = "winner-takes-empties") -> Any:
    """A position of random play with so many empty squares, or the last before that where somebody can move."""
    chance = random.Random(seed)
    board = OthelloBoard.start(size, scoring=scoring)
    while board.empties > empties:
        board.push(chance.choice(board.legal_moves))
        if board.is_game_over:
            return drawn(seed + 1000, empties, size, scoring)
    return board


def played_out(board: Board, line: Any) -> Board:
    after = board.copy()
    for move in line:
        after.push(move)
    return after


EMPTIES = 6 if interpreted() else 13


@pytest.mark.parametrize(("size", "scoring"), [(8, "winner-takes-empties"), (8, "discs"), (6, "discs"), (4, "discs")])
def test_offers_change_no_value(size: int, scoring: str) -> None:
    for seed in range(3 if interpreted() else 8):
        board = drawn(seed, min(EMPTIES, size * size - 5), size, scoring)
        plain = outflank.search(board, exact=True, use_endgame_kernels=False, deepen=False, workers=1)
        found = outflank.search(board, exact=True, workers=1)
        assert found.exact
        assert found.value == plain.value == found.lower == found.upper
        # Its line keeps the value to the end, also where the game's own kernels told it without one.
        end = played_out(board, found.pv)
        assert end.is_game_over
        won = int(score(end.game, end.position))
        assert found.value == (won if end.turn == board.turn else -won)


@pytest.mark.skipif(interpreted(), reason="threads gain nothing in the interpreter")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_proves_the_same(scheme: str) -> None:
    for seed in range(4):
        board = drawn(seed, 15)
        alone = outflank.search(board, exact=True, workers=1)
        for workers in (2, 4):
            found = outflank.search(board, exact=True, workers=workers, parallel=scheme)
            assert (found.value, found.exact) == (alone.value, True)


def test_all_moves_have_their_scores() -> None:
    board = drawn(5, 6 if interpreted() else 10)
    found = outflank.search(board, exact=True, workers=1, moves=len(board.legal_moves))
    assert len(found.best) == len(board.legal_moves)
    for entry in found.best:
        after = played_out(board, [entry.move])
        follows = outflank.search(after, exact=True, use_endgame_kernels=False, deepen=False, workers=1)
        same_side = after.turn == board.turn
        assert entry.value == (follows.value if same_side else -follows.value)


def test_estimates_and_proofs_share_a_table_and_no_value() -> None:
    """An estimate's entry ends no proof and a proof's no estimate, whichever depths may end them."""
    board = drawn(2, 7 if interpreted() else 14)
    for table_depth in ("equal", "at-least"):
        table = Table(12)
        estimate: dict[str, Any] = {"depth": 4, "workers": 1, "table": table, "table_depth": table_depth}
        proof: dict[str, Any] = {"exact": True, "workers": 1, "table": table, "table_depth": table_depth}
        fresh = {**estimate, "table": Table(12)}
        alone, before = outflank.search(board, **fresh), outflank.search(board, **estimate)
        proved = outflank.search(board, **proof)
        after = outflank.search(board, **{**estimate, "table_depth": "equal"})
        plain = outflank.search(board, exact=True, use_endgame_kernels=False, deepen=False, workers=1)
        assert proved.value == plain.value
        assert alone.value == before.value == after.value
        depths = {int(depth_of(data)) for data in table.words.reshape(-1, 16)[:, 2] if data}
        assert any(depth < PROVED for depth in depths)
        if not interpreted():
            assert any(depth >= PROVED for depth in depths)


def test_a_game_that_offers_nothing_is_played_out_by_its_rules() -> None:
    board = AbaloneBoard.start()
    root = Root(board.game, board.position, Options(exact=True))
    assert ending_moves(board.game) < 0
    assert root.evaluation == Solving(Exact(), 1)
    assert root.worker.workspace == 0


def test_an_ordering_that_was_asked_for_is_used() -> None:
    board = drawn(3, 8)
    assert Root(board.game, board.position, Options(exact=True)).worker.exact_order == 1
    assert Root(board.game, board.position, Options(exact=True, ordering="stones")).worker.exact_order == 0
    abalone = AbaloneBoard.start()
    assert Root(abalone.game, abalone.position, Options(exact=True)).worker.exact_order == 0


@pytest.mark.interpreted_only
def test_kernels_of_exact_play_are_the_same_for_boards_of_all_sizes() -> None:
    """A type of its own for the small one would have them all compiled again."""
    roots = [Root(board.game, board.position, Options(exact=True)) for board in map(OthelloBoard.start, (4, 6, 8))]
    assert len({(type(root.evaluation), type(root.evaluation.estimate)) for root in roots}) == 1
    # Nothing is learnt of the small one: its estimates are the usual ones.
    first = next(iter(outflank.iterate(OthelloBoard.start(4), nodes=10**6, exact=True, workers=1)))
    assert (first.exact, first.scale.unit) == (False, "mobility")


@pytest.mark.interpreted_only
def test_what_fails_while_a_line_is_completed_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    board = OthelloBoard.start(4)
    root = Root(board.game, board.position, Options())

    def fail(*arguments: Any) -> int:
        root.worker.nodes += 1
        raise KeyboardInterrupt

    monkeypatch.setattr("outflank.search.root.complete", fail)
    with pytest.raises(KeyboardInterrupt):
        root.complete_line((), 0, 3)
    assert (root.counter("nodes"), int(root.worker.nodes)) == (0, 0)
