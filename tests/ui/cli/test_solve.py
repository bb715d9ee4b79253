"""Solving: `outflank.solve`, win, draw and loss alone, and what `outflank solve` prints."""

import io
import json
import os
import re
import signal
import sys
from dataclasses import replace
from functools import cache

import pytest
from rich.console import Console

import outflank
from outflank import Limits, Move, MoveValue, OthelloBoard, OutflankError, Progress, Result
from outflank.games.scores import OUTCOMES
from outflank.othello.squares import START, othello
from outflank.search.solving import TABLE_BITS, default_table_bits
from outflank.ui.cli import main
from outflank.ui.cli.shared.search_thread import results_from_thread
from outflank.ui.cli.solving import solve_run
from outflank.ui.cli.solving.expected_scores import differences
from outflank.ui.cli.solving.solve_view import SolveTable, Total, bounds, memory_line
from tests.walking import walk


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def endings(count: int, size: int = 4, plies: int = 5) -> list[OthelloBoard]:
    game = othello(size)
    return [OthelloBoard(game, walk(game, START, seed, plies + seed % 3)) for seed in range(count)]


def test_solving_is_an_exact_search():
    for board in endings(3):
        found = outflank.solve(board, workers=1)
        searched = outflank.search(board, exact=True, workers=1)
        assert (found.value, found.move, found.pv, found.exact) == (searched.value, searched.move, searched.pv, True)
    with pytest.raises(OutflankError, match="solving is exact"):
        outflank.solve(OthelloBoard.start(4), exact=False)


@cache
def endings_and_scores() -> list[tuple[OthelloBoard, dict[Move, int]]]:
    """Endings, each with the scores of all its moves."""
    return [
        (board, {each.move: each.value for each in outflank.solve(board, moves=99, workers=1, deepen=False).best})
        for board in endings(9, plies=6)
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"algorithm": "alphabeta", "ties": "lowest"},
        {"algorithm": "mtdf", "ties": "highest"},
        {"algorithm": "minimax"},
        {"parallel": "ybw", "workers": 2},
        {"parallel": "abdada", "workers": 2, "table_bits": 8},
    ],
)
@pytest.mark.slow(1)
def test_who_wins_is_the_sign_of_the_score(options):
    seen = set()
    for board, scores in endings_and_scores():
        found = outflank.solve(board, wld=True, moves=99, deepen=False, **{"workers": 1, **options})
        assert found.exact
        assert {each.move: each.value for each in found.best} == {move: sign(scores[move]) for move in scores}
        assert found.value == sign(max(scores.values()))
        assert found.lower is None or found.lower <= max(scores.values())
        assert found.upper is None or found.upper >= max(scores.values())
        reaching = [move for move, score in scores.items() if sign(score) == found.value]
        assert found.move in reaching
        if "ties" in options:
            choose = min if options["ties"] == "lowest" else max
            assert found.move == choose(reaching, key=lambda move: move.code)
        seen.add(found.value_text)
    assert seen >= {"won", "lost"}


def test_a_draw_is_a_score_and_has_its_line():
    drawn = next(board for board in endings(200, plies=9) if outflank.solve(board, workers=1).value == 0)
    found = outflank.solve(drawn, wld=True, workers=1)
    assert (found.value, found.lower, found.upper, found.value_text) == (0, 0, 0, "drawn")
    for move in found.pv:
        drawn.push(move)
    assert drawn.outcome().score == 0


@pytest.mark.compiled
def test_an_unfinished_answer_says_what_it_has():
    board = OthelloBoard.from_line("--XXXXX---OOOX---XOOXXXX-OOOOOOOOOOXXXOOOOOXXOOX--XXOO----XXXXX- X")  # +18
    known = 0
    for nodes in (1, 1000, 20_000, 50_000, 80_000, 10**9):
        found = outflank.solve(board, Limits(nodes=nodes), wld=True, moves=99, workers=1)
        assert found.lower is None or 0 <= found.lower <= 18
        assert found.upper is None or found.upper >= 18
        assert found.exact == (found.scale == OUTCOMES)
        assert found.value == 1 or not found.exact
        known += found.exact and found.stopped
    assert (found.exact, found.stopped, found.value_text) == (True, False, "won")
    assert known > 0, "the winner is known before all moves are"


@pytest.mark.slow(3)
@pytest.mark.interpreted_only
def test_moves_that_were_not_reached_have_no_score():
    options = {"moves": 99, "workers": 1, "deepen": False, "use_endgame_kernels": False}
    board = endings(1)[0]
    whole = outflank.solve(board, **options)
    scores = {each.move: each.value for each in whole.best}
    kinds = set()
    for part in range(1, 10):
        for wld in (False, True):
            found = outflank.solve(board, Limits(nodes=whole.nodes * part // 10), wld=wld, **options)
            wanted = {move: sign(score) if wld else score for move, score in scores.items()}
            assert not found.exact or all(each.value == wanted[each.move] for each in found.best)
            kinds.add((found.exact, found.stopped))
    assert (True, True) in kinds, "the best move is proved before all are"


@pytest.mark.interpreted_only
def test_who_wins_needs_a_proof():
    with pytest.raises(OutflankError, match="only a search with exact proves"):
        outflank.search(OthelloBoard.start(4), wld=True)


@pytest.mark.interpreted_only
def test_who_wins_is_said_in_words():
    nothing = Result(value=None, move=None, pv=(), depth=0, nodes=0, leaves=0, seconds=0.0, exact=False, scale=OUTCOMES)
    for lower, upper, said in (
        (12, None, "won"),
        (None, -2, "lost"),
        (0, 0, "drawn"),
        (0, None, "at least drawn"),
        (-4, 0, "at most drawn"),
        (-4, 12, ""),
    ):
        assert replace(nothing, lower=lower, upper=upper).proved_text == said


# --- the command ---

FFO_20 = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X"
SCORES = "; H5:+6; G6:-2; F6:-4; H6:-10;"
OVER = f"{'X' * 64} O;"
NEITHER = f"{'X' * 60}---- X; PA:+64;"
"""No side can move: what a script calls that is a pass."""


@pytest.fixture
def solved(capsys, monkeypatch, tmp_path):
    """The status, the output and the errors of `solve`, for a script if there is one."""

    def call(*arguments: str, script: str | None = None, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        named = []
        if script is not None:
            named = [str(tmp_path / "endings.obf")]
            (tmp_path / "endings.obf").write_text(script)
        with pytest.raises(SystemExit) as ended:
            main(["solve", *named, *arguments, "--workers", "1", "--table-bits", "12"])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


@pytest.mark.interpreted_only
def test_a_table_that_cannot_be_is_refused_before_anything_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["solve", "--size", "4", "--table-bits", "99"])
    assert (ended.value.code, *capsys.readouterr()) == (2, "", "outflank: a table of 99 bits: 4 to 34 are possible\n")


def test_a_position_is_solved(solved):
    status, out, _ = solved("--size", "4", "--scoring", "discs")
    assert status == 0
    assert re.search(r"depth +score +time +nodes +nodes/s +principal variation", out)
    assert re.search(r"^ +12 +-8 +\d+\.\d\d s +[\d,]+ +[\d.]+( k)?  \w\d( \w\d)+$", out, re.MULTILINE)
    assert "Othello 4×4: black plays" in out
    assert re.search(r"memory: table 128.0 KiB, workers \d", out)


@pytest.mark.interpreted_only
def test_a_script_is_solved_and_its_scores_are_compared(solved):
    script = f"% endings\n\n{FFO_20}{SCORES}\n{FFO_20}; H5:+4; G6:+8; H6:-10; A1:+2;\n{OVER}\n{NEITHER}\n"
    status, out, err = solved(script=script)
    assert (status, err) == (1, "")
    rows = [line.split() for line in out.splitlines() if re.match(r" +\d ", line)]
    assert [row[:3] for row in rows] == [["1", "6", "+6"], ["2", "6", "+6"], ["3", "0", "-64"], ["4", "4", "+64"]]
    told = [line.strip() for line in out.splitlines() if "!" in line]
    assert told == [
        "! h5 is worth +6; +4 is expected",
        "! g6 is worth at most +6; +8 is expected",
        "! a1 is not legal here; +2 is expected of it",
    ]
    assert re.search(r"total +\d+\.\d\d s .* 4 of 4 positions proved, 1 not as expected", out)


@pytest.mark.interpreted_only
def test_every_move_has_its_score(solved):
    status, out, _ = solved("--moves", script=FFO_20 + SCORES)
    assert status == 0
    assert "h5 +6,  g6 -2,  f6 -4,  h6 -10" in out
    status, out, _ = solved("--moves", script=FFO_20 + SCORES.replace("-4", "-6"))
    assert status == 1
    assert "! f6 is worth -4; -6 is expected" in out


@pytest.mark.interpreted_only
def test_who_wins_is_compared_by_its_sign(solved):
    status, out, _ = solved("--wld", "--moves", script=FFO_20 + SCORES)
    assert status == 0
    assert re.search(r" 6 +won ", out)
    assert "h5 won" in out
    assert out.count("lost") == 3
    status, out, _ = solved("--wld", script=FFO_20 + SCORES.replace("+6", "-6"))
    assert status == 1
    assert "! h5 is worth +1; -1 is expected" in out


@pytest.mark.interpreted_only
def test_lines_that_cannot_be_read_are_named_and_the_others_solved(solved):
    script = f"{OVER}\n{'X' * 63} O\n{OVER[:10]}?{OVER[11:]}\n{OVER}\n{OVER}\nwhat?\n{OVER}\n"
    status, out, err = solved(script=script)
    assert status == 2
    assert [line.partition(":")[2].partition(":")[0] for line in err.splitlines()] == [" line 2", " line 3", " line 6"]
    assert "column 11: expected a cell" in err
    assert "4 of 4 positions proved, 3 lines not read" in out
    status, out, err = solved(script="what?\nno\n")
    assert (status, out, err.count("\n")) == (2, "", 1)
    status, out, err = solved("missing.obf")
    assert (status, out, err) == (2, "", "outflank: 'missing.obf': No such file or directory\n")


@pytest.mark.interpreted_only
def test_the_few_lines_that_can_be_read_are_solved_as_well(solved):
    status, out, err = solved(script=f"what?\n{'X' * 63} O\n{OVER}\nwho?\n")
    assert status == 2
    assert [line.partition(":")[2].partition(":")[0] for line in err.splitlines()] == [" line 1", " line 2", " line 4"]
    assert "-64" in out
    # A list of moves is no script, though each of its lines may be a game.
    status, out, err = solved(script="1. f5 d6\n2. c3 d3\n3. a1 a2\n")
    assert (status, out) == (2, "")
    assert "a1" in err
    # Nor is a drawing one, with a position below it.
    status, out, err = solved(script=f"{OthelloBoard.from_line(OVER)}\n\n{OVER}\n")
    assert (status, err) == (0, "")
    assert "-64" in out


@pytest.mark.interpreted_only
def test_positions_come_from_standard_input_and_words(solved):
    assert "-64" in solved("-", stdin=OVER)[1]
    assert "-64" in solved(OVER)[1]
    assert "-64" in solved("--number", "2", script=f"{FFO_20}\n{OVER}\n")[1]


@pytest.mark.interpreted_only
def test_what_is_proved_when_a_limit_ends_it(solved):
    status, out, _ = solved("--size", "4", "--nodes", "300")
    assert status == 1
    assert re.search(
        r"the proof was not finished, (nothing|at (least|most) [+-]\d+ discs(, at most [+-]\d+ discs)?) is proved", out
    )
    status, out, _ = solved("--size", "4", "--nodes", "300", "--json")
    first = json.loads(out.splitlines()[0])
    assert (first["value"], first["exact"], first["stopped"]) == (None, False, True)


@pytest.mark.interpreted_only
def test_ctrl_c_ends_it_with_what_is_proved(solved, monkeypatch):
    def interrupted(results, stop, cluster):
        for each in results_from_thread(results, stop, cluster):
            if each is None:  # a search of some time
                os.kill(os.getpid(), signal.SIGINT)
            yield each

    monkeypatch.setattr(solve_run, "results_from_thread", interrupted)
    script = f"{OVER}\n{'-' * 14}XO{'-' * 4}OX{'-' * 14} X\n{OVER}\n"
    status, out, _ = solved(script=script)
    assert status == 130
    assert re.search(r"^ +1 +0 +-64 ", out, re.MULTILINE)
    assert re.search(r"^ +2 +32 +(\?|[<>]= [+-]\d+) .* not proved$", out, re.MULTILINE)
    assert "1 of 2 positions proved" in out
    status, out, _ = solved("--json", script=script)
    assert status == 130
    first, second, total = map(json.loads, out.splitlines())
    assert (first["value"], second["value"], second["stopped"]) == (-64, None, True)
    assert (total["positions"], total["proved"], total["interrupted"]) == (2, 1, True)


@pytest.mark.interpreted_only
def test_documents_tell_what_is_proved(solved):
    script = f"{FFO_20}{SCORES}\n{FFO_20}; H5:+4;\nwhat?\n"
    status, out, err = solved("--moves", "--json", script=script)
    assert status == 2
    assert "line 3" in err
    first, second, total = map(json.loads, out.splitlines())
    assert (first["value"], first["move"], first["pv"], first["depth"]) == (6, "h5", ["h5"], 6)
    assert first["moves"][1] == {"move": "g6", "value": -2}
    assert (first["differences"], first["expected"]["h6"]) == ([], -10)
    assert second["differences"] == [{"move": "h5", "expected": 4, "proved": 6, "at_most": False}]
    counts = {name: total[name] for name in ("positions", "proved", "differing", "unreadable", "interrupted")}
    assert counts == {"positions": 2, "proved": 2, "differing": 1, "unreadable": 1, "interrupted": False}
    assert total["nodes"] == first["nodes"] + second["nodes"]


def test_a_cluster_solves(solved):
    status, out, _ = solved("--cluster", "inside:2", script=FFO_20 + SCORES)
    assert status == 0
    assert re.search(r" 6 +\+6 ", out)


# --- what is seen of it ---


@pytest.mark.interpreted_only
def test_bounds_are_short():
    assert [bounds(*each) for each in ((None, None), (2, None), (None, -4), (-2, 6), (0, 0))] == [
        "?",
        ">= +2",
        "<= -4",
        "-2..+6",
        "+0",
    ]


def table_of(columns: int) -> tuple[SolveTable, io.StringIO]:
    file = io.StringIO()
    console = Console(file=file, width=columns, force_terminal=True, color_system=None, highlight=False, markup=False)
    return SolveTable(console, several=True), file


@pytest.mark.interpreted_only
@pytest.mark.parametrize("columns", [120, 80, 60])
def test_no_row_is_wider_than_the_terminal(columns):
    table, file = table_of(columns)
    board = OthelloBoard.start()
    moves = tuple(board.move(code) for code in (19, 26, 37, 44) * 5)
    result = Result(
        value=12, move=moves[0], pv=moves, depth=30, nodes=12_345_678, leaves=0, seconds=1234.5, exact=True, lower=12
    )
    result = replace(result, best=tuple(MoveValue(move=move, value=-4) for move in moves[:9]), table_bytes=1 << 27)
    total = Total(unreadable=1)
    table.begin()
    table.add(1, board, result, (), proved=True)
    total.add(result, (), proved=True)
    table.end(total)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(file.getvalue().split()).count("d3") == 5 + 3
    assert ("12,345,678" in file.getvalue()) == (columns == 120)
    assert ("12.3 M" in file.getvalue()) == (columns == 80)
    assert memory_line(total) == "memory: table 128 MiB, workers 0.0 MiB"
    total.table_bytes = 1 << 19
    assert memory_line(total) == "memory: table 512.0 KiB, workers 0.0 MiB"


@pytest.mark.interpreted_only
def test_progress_says_what_is_proved_and_settled():
    table, _ = table_of(120)
    board = OthelloBoard.start()
    moves = board.legal_moves
    progress = Progress(
        depth=30,
        proving=True,
        nodes=9000,
        seconds=3.0,
        moves_begun=3,
        move_count=4,
        move=moves[2],
        best=moves[0],
        value=-2,
        moves_done=2,
    )
    row = table.progress_row(1, board, progress, None)
    assert "move 3 of 4: f5, d3 is best so far, 50% of the root settled" in " ".join(row.split())
    assert ">= -2" in row
    assert "-2..+6" in table.progress_row(1, board, replace(progress, upper=6), None)
    estimated = table.progress_row(1, board, replace(progress, proving=False, depth=9), None)
    assert "estimate, depth 9" in estimated


@pytest.mark.interpreted_only
def test_what_was_not_asked_for_is_not_contradicted():
    board = OthelloBoard.start()
    first, second = (move.code for move in board.legal_moves[:2])
    found = Result(value=4, move=board.move(first), pv=(), depth=60, nodes=1, leaves=1, seconds=1.0, exact=True)
    assert differences(board, found, {first: 4, second: 2}, wld=False) == ()
    assert [str(each) for each in differences(board, found, {second: 6}, wld=False)] == [
        "c4 is worth at most +4; +6 is expected"
    ]
    assert differences(board, replace(found, exact=False), {first: 99}, wld=False) == ()


@pytest.mark.compiled  # the interpreter takes seconds for all of a board
def test_moves_that_are_mirror_images_are_solved_once():
    board = OthelloBoard.start(4)
    alike, apart = (
        outflank.solve(board, workers=1, deepen=False, use_endgame_kernels=False, canonical=each)
        for each in (True, False)
    )
    assert alike.value == apart.value
    assert alike.nodes < apart.nodes
    assert outflank.solve(board, workers=1, deepen=False, use_endgame_kernels=False).nodes == alike.nodes


@pytest.mark.interpreted_only
def test_a_table_is_as_large_as_a_proof_needs(monkeypatch):
    few, many = OthelloBoard.from_line(f"{'-' * 12}{'XO' * 26} X"), OthelloBoard.from_line(f"{'-' * 24}{'XO' * 20} X")
    assert [default_table_bits(board) for board in (few, many, OthelloBoard.start())] == [8, 20, TABLE_BITS]
    assert default_table_bits(outflank.AbaloneBoard.start()) == TABLE_BITS, (
        "which has no kernels of its own for endings"
    )
    asked = []
    monkeypatch.setattr("outflank.search.solving.search", lambda board, limits, **options: asked.append(options))
    for options in ({}, {"table_bits": 5}, {"table_bits": None}, {"use_endgame_kernels": False}):
        outflank.solve(few, **options)
    assert [options["table_bits"] for options in asked] == [8, 5, None, TABLE_BITS]
