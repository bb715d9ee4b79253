"""The examples run, and do what they say."""

import subprocess
import sys
from pathlib import Path

import pytest

import outflank

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.interpreted_only  # compiled it is counted by its script
def test_nim_is_a_game_like_any_other(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    board = nim.start(2, 1)
    assert nim.HEAPS == 4
    assert len(board.legal_moves) == 3
    assert outflank.perft(board, 9).leaves == 5  # 2+1: five ways to take them
    for _ in range(3):
        board.push(board.legal_moves[0])
    assert board.result() == "1-0"
    assert board.pop() == board.legal_moves[0]
    assert board.copy() == board
    assert board.canonical() == board


@pytest.mark.slow(20)
@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda script: script.stem)
def test_a_script_runs(script):
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.interpreted_only  # compiled it is searched by its script
def test_an_evaluation_from_outside_is_chosen_by_name(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import own_evaluation

    lines = Path(own_evaluation.__file__).read_text().split("if __name__")[0].splitlines()
    assert len([line for line in lines if line.strip()]) < 30
    board = outflank.Board.from_text("f5d6c3")
    found = outflank.search(board, outflank.Limits(depth=2), evaluation="corners", workers=1)
    assert found.move in board.legal_moves
    own = own_evaluation.Corners(0)
    assert outflank.search(board, outflank.Limits(depth=2), evaluation=own, workers=1).depth == 2


def test_a_game_from_outside_is_searched(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    # Whoever faces heaps whose remainders by four (xor) are 0 has lost.
    for heaps in ((1, 2), (2, 2), (5, 1), (1, 1, 1)):
        remainder = 0
        for heap in heaps:
            remainder ^= heap % 4
        for algorithm in ("minimax", "alphabeta", "pvs", "mtdf"):
            # One worker: to compile what divides a proof takes four seconds, and another game of a user has it.
            found = outflank.search(nim.start(*heaps), algorithm=algorithm, exact=True, deepen=False, workers=1)
            assert (found.value, found.exact) == (1 if remainder else -1, True)


@pytest.mark.interpreted_only
@pytest.mark.filterwarnings("ignore:overflow encountered")  # NumPy's, of the random numbers' words
def test_estimates_need_an_evaluation_and_playouts_none(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    assert outflank.search(nim.start(3, 4, 5), depth=3, workers=1).value_text == "+1 odd"
    monkeypatch.setattr("outflank.games.evaluation._registered", {})
    board = nim.start(1, 1, 1)
    for algorithm in ("uct", "flat"):
        found = outflank.search(board, algorithm=algorithm, nodes=200, workers=1)
        assert (found.value, found.move in board.legal_moves) == (1000, True)
    with pytest.raises(outflank.UnknownName, match=r"Nim has no evaluation: register one, or prove scores"):
        outflank.search(board, depth=2, workers=1)
