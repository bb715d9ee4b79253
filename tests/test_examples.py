"""The examples run, and do what they say."""

import runpy
import subprocess
import sys
from pathlib import Path

import outflank

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_nim_is_a_game_like_any_other(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    board = nim.start(2, 1)
    assert len(board.legal_moves) == 3
    assert outflank.perft(board, 9).leaves == 5  # 2+1: five ways to take them
    for _ in range(3):
        board.push(board.legal_moves[0])
    assert board.result() == "1-0"
    assert board.pop() == board.legal_moves[0]
    assert board.copy() == board
    assert board.canonical() == board


def test_scripts_run():
    for script in sorted(EXAMPLES.glob("*.py")):
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    assert runpy.run_path(str(EXAMPLES / "nim.py"), run_name="nim")["HEAPS"] == 4
