"""Solving that is kept in a file while it goes on: killed and resumed, of something else, damaged."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import outflank
from outflank import InvalidOption, Limits, OthelloBoard, OutflankError, Progress, Table
from outflank.search.algorithms import _prove_winner
from outflank.search.request import Known, Options
from outflank.search.root_moves import RootValue
from outflank.search.saving import DIGEST, Saving, SolveState, read_state
from outflank.search.table import ENTRY_WORDS, PROVED, sound_proofs
from outflank.ui.cli import main

LINE = "XOOO-XXOO-XX-OXXXXOOXXXX--OXXX-O---- X"
"""Ten empty squares of the 6×6 board, +28."""

OPTIONS = {"workers": 1, "table_bits": 12, "use_endgame_kernels": False, "deepen": False}
"""The rules alone: the game's own kernels would solve it without the table."""


def board() -> OthelloBoard:
    return OthelloBoard.from_line(LINE)


def state_of(path: Path) -> dict:
    return json.loads(path.read_bytes().partition(b"\n")[0])


def stopped(path: Path, nodes: int, **options) -> outflank.Result:
    return outflank.solve(board(), Limits(nodes=nodes), save=path, **{**OPTIONS, **options})


@pytest.mark.slow(5)
@pytest.mark.interpreted_only
def test_a_killed_solve_goes_on_from_its_last_state(tmp_path):
    """In the interpreter, where a small position takes long enough to be killed, and nothing is compiled."""
    path = tmp_path / "state"
    line = "--O-XO-XOOX--XOOOOOXOXOO-XXO--OXXX-- X"  # a few times as long as the others, to be killed half way
    code = (
        "import sys, outflank\n"
        f"board = outflank.OthelloBoard.from_line({line!r})\n"
        f"outflank.solve(board, save=sys.argv[1], save_every=0.01, **{OPTIONS!r})"
    )
    slow = OthelloBoard.from_line(line)
    whole = outflank.solve(slow, **OPTIONS)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    killed = subprocess.Popen([sys.executable, "-c", code, str(path)], env=environment)
    while not path.exists() or state_of(path)["nodes"] < whole.nodes // 2:
        assert killed.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert state_of(path)["entries"] > 50
    again = outflank.solve(slow, save=path, **OPTIONS)
    assert (again.value, whole.value) == (-22, -22)
    assert again.nodes < 0.7 * whole.nodes, "what was proved before is not searched again"
    assert not path.exists()


@pytest.mark.slow(2)
@pytest.mark.interpreted_only
def test_what_a_limit_leaves_is_kept_and_goes_on(tmp_path):
    path = tmp_path / "state"
    whole = outflank.solve(board(), **OPTIONS)
    first = stopped(path, whole.nodes // 3)
    assert (first.exact, first.stopped) == (False, True)
    one = state_of(path)
    second = stopped(path, whole.nodes // 4)
    two = state_of(path)
    assert two["nodes"] == one["nodes"] + second.nodes
    assert two["entries"] >= one["entries"] > 0
    for name in ("lower", "upper"):  # nothing is forgotten
        assert one[name] is None or two[name] is not None
    assert second.lower == two["lower"]
    last = outflank.solve(board(), save=path, **OPTIONS)
    assert (last.value, last.exact, path.exists()) == (28, True, False)
    assert last.nodes < whole.nodes
    assert last.pv == whole.pv


@pytest.mark.compiled
@pytest.mark.parametrize("options", [{"workers": 1}, {"workers": 2, "parallel": "ybw"}, {"workers": 1, "wld": True}])
def test_compiled_searches_go_on_too(options, tmp_path):
    path = tmp_path / "state"
    ending = OthelloBoard.from_line("--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O")  # FFO 22, +2
    whole = outflank.solve(ending, **options)
    part = outflank.solve(ending, Limits(nodes=whole.nodes * 3 // 4), save=path, **options)
    assert part.stopped
    assert state_of(path)["entries"] > 0
    last = outflank.solve(ending, save=path, **options)
    assert (last.value, last.exact, path.exists()) == (whole.value, True, False)
    assert whole.value == (1 if options.get("wld") else 2)
    assert last.nodes < whole.nodes


@pytest.mark.slow(1)
@pytest.mark.interpreted_only
def test_a_state_belongs_to_its_position_and_what_was_asked_of_it(tmp_path):
    path = tmp_path / "state"
    stopped(path, 300)
    kept = path.read_bytes()
    other = OthelloBoard.from_line(LINE[:-1] + "O")
    with pytest.raises(OutflankError, match=r"state is of another proof: position is othello: 0+70"):
        outflank.solve(other, save=path, **OPTIONS)
    for options, said in (
        ({"wld": True}, "wld is False, and True"),
        ({"moves": 3}, "moves is 1, and 3"),
        ({"canonical": False}, "canonical is True, and False"),
    ):
        with pytest.raises(OutflankError, match=f"state is of another proof: {said} is requested"):
            outflank.solve(board(), save=path, **OPTIONS, **options)
    assert path.read_bytes() == kept
    assert outflank.solve(board(), save=path, **{**OPTIONS, "table_bits": 10}).value == 28  # memory is another matter


@pytest.mark.interpreted_only
def test_a_damaged_state_is_refused_in_a_line(tmp_path):
    path = tmp_path / "state"
    stopped(path, 600)
    kept = path.read_bytes()
    for place in (10, 150, len(kept) // 2, len(kept) - 1):
        path.write_bytes(kept[:place] + bytes([kept[place] ^ 1]) + kept[place + 1 :])
        with pytest.raises(
            OutflankError, match=r"is damaged: its checksum is another|is no state of solving"
        ) as caught:
            outflank.solve(board(), save=path, **OPTIONS)
        assert "\n" not in str(caught.value)
    path.write_bytes(kept[:-100])
    with pytest.raises(OutflankError, match="is damaged"):
        outflank.solve(board(), save=path, **OPTIONS)
    for text in (b"", b"{}", b"my notes\n", b"\0" * 1000):
        path.write_bytes(text)
        with pytest.raises(OutflankError, match="is no state of solving"):
            outflank.solve(board(), save=path, **OPTIONS)
        assert path.read_bytes() == text


@pytest.mark.slow(2)
@pytest.mark.interpreted_only
def test_a_wrong_claim_costs_work_and_no_more(tmp_path):
    """What a file says is where to begin: a value is proved anew."""
    for known in (
        Known(lower=30),
        Known(upper=20),
        Known(lower=28, upper=28),
        Known(lower=-36, upper=-34, move=3),
        Known(lower=4, upper=2),
    ):
        *_, found = outflank.iterate(board(), exact=True, known=known, workers=1)
        assert (found.value, found.lower, found.upper, found.exact) == (28, 28, 28, True)


@pytest.mark.interpreted_only
def test_windows_have_room_for_what_is_possible():
    assert Known().window(3, 4) == (-1, 7)
    assert Known(lower=6).window(3, 4) == (5, 10)
    assert Known(upper=-6).window(3, 4) == (-10, -5)
    assert Known(lower=2, upper=4).window(3, 4) == (1, 5)
    assert Known(lower=4, upper=4).window(40, 4) == (3, 5)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("value", [-30, -2, 0, 2, 30])
@pytest.mark.parametrize("guess", [-20, -9, -8, 0, 8, 9, 20])
def test_who_wins_is_asked_before_by_how_much(value, guess):
    asked = []

    def ask(alpha, beta):  # fail-hard: no more is told than was asked for
        asked.append((alpha, beta))
        return RootValue(min(max(value, alpha), beta), None)

    known = _prove_winner(Known(), Known().window(guess, 4), ask)
    assert asked == ([(0, 1)] if guess > 8 else [(-1, 0)] if guess < -8 else [])
    assert known.lower is None or known.lower <= value
    assert known.upper is None or known.upper >= value
    assert (known == Known()) == (not asked)
    assert _prove_winner(Known(lower=1), (5, 9), ask) == Known(lower=1)
    assert _prove_winner(Known(upper=-1), (-9, -5), ask) == Known(upper=-1)


@pytest.mark.interpreted_only
def test_the_dearest_entries_are_kept(tmp_path):
    table = Table(12)
    entries = np.arange(1, 3001, dtype=np.uint64)
    depths = entries % 100 + np.where(entries % 3 == 0, PROVED, 0).astype(np.uint64)
    data = (np.uint64(1) << np.uint64(63)) | (depths << np.uint64(32)) | (np.uint64(3) << np.uint64(40))
    words = table.words.reshape(-1, 16)[:, : 5 * ENTRY_WORDS].reshape(-1, ENTRY_WORDS)
    rows = np.stack([entries ^ data, entries * np.uint64(7) ^ data, data], axis=1)
    kept = words.copy()
    kept[: len(rows)] = rows
    table.words.reshape(-1, 16)[:, : 5 * ENTRY_WORDS] = kept.reshape(-1, 5 * ENTRY_WORDS)
    for most in (10, 100, 999, 1000, 5000):
        found = table.costliest_entries(most, proofs=True)
        assert len(found) == min(most, 1000)
        assert (found[:, 1] == found[:, 0] * np.uint64(7)).all()
        assert (found[:, 0] % np.uint64(3) == 0).all(), "of proofs alone"
        wanted = np.sort(depths[depths >= PROVED])[::-1][:most]
        assert (np.sort(found[:, 2] >> np.uint64(32) & np.uint64(0xFF))[::-1] == wanted).all()
        assert len(sound_proofs(found)) == len(found)
    assert len(table.costliest_entries(0, proofs=True)) == len(Table(4).costliest_entries(9, proofs=True)) == 0
    assert len(sound_proofs(np.zeros((5, ENTRY_WORDS), np.uint64))) == 0


@pytest.mark.slow(1)
@pytest.mark.interpreted_only
def test_entries_come_back_to_a_table_of_any_size(tmp_path):
    path = tmp_path / "state"
    stopped(path, 900)
    resumed = read_state(path, board(), Options(exact=True, canonical=True))
    assert resumed is not None
    assert len(resumed.entries) == resumed.saved.entries > 100
    for bits in (12, 14, 6):
        table = Table(bits)
        kept = resumed.fill(table)
        assert (kept == len(resumed.entries)) == (bits > 6) or kept >= table.slots
        if bits > 6:
            assert {tuple(row) for row in table.positions()} == {tuple(row[:2]) for row in resumed.entries}
    assert not table.used


@pytest.mark.interpreted_only
def test_ctrl_c_keeps_what_is_proved(tmp_path):
    path = tmp_path / "state"
    heard = []
    saving = Saving(path, board(), Options(exact=True, **OPTIONS), watch=heard.append)
    move = board().legal_moves[1]
    progress = Progress(
        depth=11,
        proving=True,
        nodes=9,
        seconds=1.0,
        moves_begun=3,
        move_count=4,
        move=move,
        best=move,
        value=4,
        upper=30,
        moves_done=2,
    )

    def interrupted():
        saving(replace(progress, proving=False))
        assert not path.exists()
        saving(progress)
        assert not path.exists(), "it is not time yet"
        yield from ()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(saving.results(interrupted()))
    assert len(heard) == 2
    told = state_of(path)
    assert (told["lower"], told["upper"], told["move"], told["moves_done"]) == (4, 30, move.code, 2)
    later = Saving(path, board(), Options(exact=True, **OPTIONS), every_seconds=1e-9)
    assert later.known == Known(lower=4, upper=30, move=move.code)
    later(replace(progress, value=2, upper=None, best=None))
    told = state_of(path)
    assert (told["lower"], told["upper"], told["move"]) == (4, 30, move.code), "what was known stays known"
    assert (told["nodes"], told["seconds"]) == (18, 2.0)


@pytest.mark.interpreted_only
def test_what_cannot_be_saved_is_refused(tmp_path):
    for options, said in (
        ({"table_bits": None}, "table_bits says that there is none"),
        ({"save_every": 0.0}, "0 seconds between two states"),
        ({"table": Table(4)}, "a table of its own"),
    ):
        with pytest.raises(InvalidOption, match=said):
            outflank.solve(board(), save=tmp_path / "state", **options)


@pytest.mark.interpreted_only
def test_a_state_that_cannot_be_written_ends_no_search(tmp_path):
    with pytest.warns(RuntimeWarning, match="there is no folder .*what is proved is not saved") as told:
        found = stopped(tmp_path / "nowhere" / "state", 300)
    assert (found.stopped, len(told)) == (True, 1)


# --- the command ---


@pytest.fixture
def solved(capsys):
    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["solve", *arguments, "--workers", "1", "--table-bits", "12"])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


@pytest.mark.slow(2)
@pytest.mark.interpreted_only
def test_the_command_goes_on_where_it_was_ended(solved, tmp_path):
    path = tmp_path / "four.state"
    asked = ("--size", "4", "--save", str(path))
    assert solved(*asked, "--nodes", "300")[0] == 1
    before = state_of(path)
    assert before["schema"] == SolveState.schema()
    status, out, _ = solved(*asked, "--nodes", "500", "--json")
    told = json.loads(out.splitlines()[0])
    assert (status, told["nodes_before"]) == (1, before["nodes"])
    status, out, _ = solved(*asked)
    assert (status, path.exists()) == (0, False)
    assert "four.state: goes on after" in out
    assert " -10 " in out
    status, _, err = solved("--size", "4", "--save", str(path), "--save-every", "-1")
    assert (status, err.count("\n")) == (2, 1)


@pytest.mark.interpreted_only
def test_one_position_is_kept(solved, tmp_path):
    (tmp_path / "two.obf").write_text(f"{'X' * 64} O\n{'X' * 64} X\n")
    status, _, err = solved(str(tmp_path / "two.obf"), "--save", str(tmp_path / "state"))
    assert (status, err) == (2, "outflank: --save keeps one position, and there are 2; --number N chooses one\n")
    path = tmp_path / "state"
    path.write_bytes(b"x" * DIGEST)
    status, _, err = solved(f"{'X' * 64} O", "--save", str(path))
    assert (status, err) == (2, f"outflank: {path} is no state of solving (outflank/solve-state/1)\n")
