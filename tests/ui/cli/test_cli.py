"""The command line as its users meet it."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.console import Console

import outflank
from outflank import OthelloBoard, OthelloMove, Progress, Result, diagnosis
from outflank.games.evaluation import evaluation_named, scale_of
from outflank.kernels.compiler import interpreted
from outflank.search.perft import Perft
from outflank.search.recorded_search import RecordedSearchDocument
from outflank.ui.cli import COMMANDS, main
from outflank.ui.cli.searching.search_view import iteration_grid, progress_text
from outflank.validation.documents import decoded

STANDARD = "sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS 0 0 b 0 1"
DATA = Path(__file__).parents[2] / "data"


class Done(tuple):
    """Status, output and errors of a command."""

    status = property(lambda self: self[0])
    out = property(lambda self: self[1])
    err = property(lambda self: self[2])


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = capsys.readouterr()
        return Done((ended.value.code, captured.out, captured.err))

    return call


def test_a_cluster_that_got_nothing_to_do_says_so(run):
    done = run("search", "--size", "4", "--depth", "2", "--workers", "1", "--cluster", "inside:2")
    assert done.status == 0
    assert "2 nodes on inside: nothing was divided, because every iteration was short" in done.out
    assert "steals" not in done.out


# --- perft ---


@pytest.mark.parametrize(
    ("arguments", "leaves"),
    [
        (["--depth", "4"], 244),
        (["--depth", "0"], 1),
        (["--game", "othello", "--size", "6", "--depth", "3"], 56),
        (["--game", "abalone", "--layout", "belgian-daisy", "--depth", "1", "--workers", "2"], 52),
        (["--layout", "alien-attack", "--depth", "1"], 48),
        (["--position", STANDARD, "--depth", "1"], 44),
        ([STANDARD, "--depth", "1"], 44),
        (["f5", "--depth", "2"], 14),
        (["-----XO--OX----- X", "--depth", "1"], 4),
        (["--depth", "1", "-----XO--OX-----X"], 4),
        (["--position", "-----XO--OX----- X", "--depth", "1"], 4),
        (["--depth", "1", "--divide", "-----XO--OX----- black to move"], 4),
        (["----\n-XO-\n-OX-\n----\nX", "--depth", "1"], 4),
    ],
)
def test_perft_counts(run, arguments, leaves):
    human, machine = run("perft", *arguments), run("perft", *arguments, "--json")
    assert human.status == machine.status == 0
    assert f": {leaves:,} {'leaf' if leaves == 1 else 'leaves'}\n" in human.out
    found = json.loads(machine.out)
    assert {"schema", "game", "depth", "leaves", "seconds", "workers"} <= set(found)
    assert (found["schema"], found["leaves"]) == ("outflank/perft/1", leaves)
    assert human.err == machine.err == ""


def test_perft_divides(run):
    done = run("perft", "--depth", "3", "--divide")
    rows = dict(re.findall(r"^([a-h]\d) +(\d+)$", done.out, re.MULTILINE))
    assert rows == {"d3": "14", "c4": "14", "f5": "14", "e6": "14"}
    assert json.loads(run("perft", "--depth", "3", "--divide", "--json").out)["divide"]["f5"] == 14


def test_perft_can_leave_finished_games_out(run):
    line = "XO-------------- O"  # a pass, then the only move, then the end
    assert json.loads(run("perft", line, "--depth", "9", "--json").out)["leaves"] == 1
    assert json.loads(run("perft", line, "--depth", "9", "--no-finished", "--json").out)["leaves"] == 0


def test_positions_come_from_files_and_standard_input(run):
    file = DATA / "midgame1.position"
    expected = json.loads(run("perft", "--file", str(file), "--depth", "1", "--json").out)["leaves"]
    for arguments in (["-"], ["--position", "-"], ["--file", "-"]):
        done = run("perft", *arguments, "--depth", "1", "--json", stdin=file.read_text())
        assert json.loads(done.out)["leaves"] == expected


GGF = (
    "(;GM[Othello]PB[one]PW[other]BO[8 ---------------------------O*------*O--------------------------- *]B[d3]W[c5];)"
)


def test_a_position_may_be_the_name_of_a_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text("f5d6c3\n")
    Path("game.ggf").write_text(GGF)
    Path("start").write_text(f"{STANDARD}\n")
    assert run("show", "g.txt").out == run("show", "f5d6c3").out
    assert run("show", "start").out == run("show", STANDARD).out
    assert run("show", str(tmp_path / "game.ggf")).out == run("show", "--file", "game.ggf").out
    assert "one" in run("review", "game.ggf", "--depth", "1", "--workers", "1", "--quiet").out
    assert run("perft", "game.ggf", "--number", "1", "--depth", "1").status == 0
    assert run("show", "game.ggf", "--file", "game.ggf").status == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("none.ggf", "'none.ggf': No such file or directory"),
        ("none.position", "there is no file 'none.position', and it is no position: "),
        ("./folder/none", "there is no file './folder/none', and it is no position: "),
        ("nonsense", "outflank: position, column 1: expected an Othello board line"),
        ("....X", "outflank: board line, column 6: expected"),
    ],
)
def test_a_missing_file_is_named(run, words, said):
    done = run("show", words)
    assert done.status == 2
    assert said in " ".join(done.err.split())


# --- show ---


def test_show_draws_the_board_and_its_moves(run):
    done = run("show", "f5")
    assert done.status == 0
    assert "5 . . . X X X . ." in done.out
    assert "4 . . . O X * . ." in done.out
    assert "6 . . . * . * . ." in done.out
    assert "white to move, 3 legal: f4 d6 f6" in done.out
    assert "\x1b" not in done.out


def test_the_opening_is_named(run):
    assert "move 8; black 7, white 4; opening: Stephenson\n" in run("show", "f5d6c3d3c4f4f6").out
    assert "opening" not in run("show", "f5").out
    assert json.loads(run("show", "c4e3", "--json").out)["opening"] == "Perpendicular"
    book = run("book", "show", "f5d6c3d3c4").out.splitlines()
    assert book[1] == "opening: Tiger"
    assert [line.split("  ")[-1] for line in book if line.startswith("  b3")] == ["Aubrey / Tanaka"]
    assert [line.split("  ")[-1] for line in book if line.startswith("  f4")] == ["depth 16"]
    assert json.loads(run("book", "show", "f5d6c3d3c4", "--json").out)["opening"] == "Tiger"
    review = ["review", '[Black "one"] f5 d6 c3 d3 c4', "--depth", "1", "--workers", "1", "--exact", "0", "--quiet"]
    assert run(*review).out.splitlines()[0] == "one - ?, Tiger"
    assert json.loads(run(*review, "--json").out.splitlines()[0])["opening"] == "Tiger"


def test_show_draws_a_hexagon(run):
    done = run("show", "--game", "abalone")
    lines = done.out.splitlines()
    assert lines[0] == "    I O O O O O"
    assert lines[4] == "E . . . . . . . . ."
    assert lines[8] == "    A X X X X X 6"
    assert "black to move, 44 legal" in done.out
    assert STANDARD in done.out


def test_show_tells_the_end(run):
    done = run("show", "XXX------------- O")
    assert "over: black wins by 16 (neither side can move)" in done.out
    assert "by 3 " in run("show", "XXX------------- O", "--scoring", "discs").out
    assert "a draw" in run("show", "---------------- O").out


def test_show_in_json_and_many_positions(run):
    text = "XO-------------- O\n-XO------------- X\n"
    done = run("show", "-", "--json", stdin=text)
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [board["legal"] for board in found] == [["pass"], ["d1"]]
    assert found[0]["schema"] == "outflank/show/1"
    assert run("perft", "-", "--depth", "1", stdin=text).status == 2


def test_show_writes_a_picture(run, tmp_path):
    file = tmp_path / "board.svg"
    assert run("show", "--layout", "star", "--svg", str(file)).status == 0
    assert file.read_text().startswith("<svg")
    assert run("show", "--svg", str(tmp_path / "no" / "folder.svg")).status == 2


def test_what_could_be_either_game_is_othello_unless_told(run):
    assert "Othello" in run("show", "c4c3").out
    assert "Abalone" in run("show", "c3d3").out
    assert "Abalone" in run("show", "c3d3", "--game", "abalone").out
    assert run("show", "c3d3", "--game", "othello").status == 2


# --- errors: one line, status 2 ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["perft"], "Missing option '--depth'"),
        (["perft", "--depth", "-1"], "--depth"),
        (["perft", "--depth", "5000"], "perft counts 0 to"),
        (["perft", "--depth", "x"], "not a valid integer"),
        (["perft", "--depth", "3", "--workers", "0"], "--workers"),
        (["perft", "--depth", "3", "--size", "5"], "--size"),
        (["perft", "--depth", "3", "--workers", "1000000000000000000000"], "--workers"),
        (["perft", "--depth", "3", "--layout", ""], "unknown layout ''"),
        (["perft", "--depth", "3", "--file", ""], "''"),
        (["perft", "--depth", "3", "--file", "/dev/zero"], "more than 16 MiB"),
        (["perft", "--depth", "3", "--layout", "belgian"], "did you mean 'belgian-daisy'"),
        (["perft", "--depth", "3", "--game", "chess"], "--game"),
        (["perft", "--depth", "3", "--game", "othello", "--layout", "star"], "--layout is for Abalone"),
        (["perft", "--depth", "3", "--game", "abalone", "--size", "6"], "--size is for Othello"),
        (["perft", "--depth", "3", "--layout", "star", "--scoring", "discs"], "--layout is for Abalone"),
        (["perft", "--depth", "3", "--position", "f5", "--file", "x"], "one position at a time"),
        (["perft", "--depth", "3", "--file", "nowhere/at/all"], "No such file"),
        (["perft", "--depth", "3", "f5f5"], "not legal"),
        (["show", "f5f5", "--size", "4"], "expected a square"),
        (["show", "XO-------------- O", "--size", "8"], "4 × 4 squares"),
        (["show", STANDARD, "--layout", "star"], "not a list of moves"),
        (["show", STANDARD, "--scoring", "discs"], "is for Othello"),
        (["show", "?"], "expected an Othello board line"),
        (["show", "XO-------------- ?"], "column 18"),
        (["show", ""], "nothing to read"),
        (["nonsense"], "unknown command 'nonsense' (known: search,"),
        (["show", "--nonsense"], "No such option"),
    ],
)
def test_bad_input_gets_one_clear_line(run, arguments, message):
    done = run(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("outflank")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.text(max_size=40))
@example("F4")
def test_any_text_is_shown_or_refused(run, text):
    done = run("show", "--file", "-", stdin=text.encode("utf-8", "replace").decode())
    assert done.status in (0, 2)
    assert done.err.startswith("outflank") == (done.status == 2)
    assert done.err.count("\n") == 1 if done.status == 2 else done.err == "" or done.err.startswith("assumed: ")


def test_an_interrupt_ends_with_status_130(run, monkeypatch):
    def interrupted(*args, **kwargs):
        interrupt = KeyboardInterrupt()
        interrupt.partial_result = Perft(leaves=leaves, seconds=0.5, workers=1, divide={OthelloMove(37): leaves})
        raise interrupt

    leaves = 12

    monkeypatch.setattr("outflank.ui.cli.searching.perft_command.perft", interrupted)
    done = run("perft", "--depth", "3")
    assert done.status == 130
    assert "at least 12 leaves" in done.out
    leaves = 0
    done = run("perft", "--depth", "3")
    assert done.status == 130
    assert "interrupted before the first of its parts was counted" in done.out
    assert "leaves" not in done.out
    partial = run("perft", "--depth", "3", "--json")
    assert partial.status == 130
    assert json.loads(partial.out)["complete"] is False

    def earlier(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("outflank.ui.cli.searching.perft_command.perft", earlier)
    assert run("perft", "--depth", "3") == (130, "", "\noutflank: interrupted\n")


# --- help, version, doctor, warm ---


def test_without_a_command_there_is_help(run):
    assert run() == run("--help")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell and its devices")
@pytest.mark.parametrize(
    ("command", "status", "text"),
    [
        pytest.param("PYTHONIOENCODING=ascii {} show", 0, "", marks=pytest.mark.interpreted_only),
        pytest.param("{} show - <&-", 2, "closed", marks=pytest.mark.interpreted_only),
        pytest.param("{} play <&-", 2, "standard input is closed", marks=pytest.mark.interpreted_only),
        pytest.param("{} show >&-", 2, "cannot write: Bad file descriptor", marks=pytest.mark.interpreted_only),
        pytest.param("{} --help >&- 2>&-", 2, "", marks=pytest.mark.interpreted_only),
        pytest.param("{} show --json <&- 2>&-", 0, "outflank/show", marks=pytest.mark.interpreted_only),
        pytest.param("{} show > /dev/full", 2, "cannot write", marks=pytest.mark.interpreted_only),
        pytest.param("{} show --json | true", 0, "", marks=pytest.mark.interpreted_only),
        pytest.param("OUTFLANK_CACHE_DIR='/dev/null/[/x]' {} doctor", 1, "[/x]", marks=pytest.mark.interpreted_only),
    ],
)
def test_streams_that_cannot_take_it_are_no_tracebacks(command, status, text):
    command = command.format(f"{sys.executable} -m outflank")
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert text in done.stderr + done.stdout


def test_help_and_version(run):
    assert run("--version").out == f"outflank {outflank.__version__}\n"
    listed = run("--help").out
    for name, (_, line) in COMMANDS.items():
        assert name in listed
        assert line in listed
        assert run(name, "--help").status == 0


@pytest.mark.compiled  # in the interpreter nothing would ask for Numba
def test_version_and_show_load_no_compiler():
    program = (
        "import sys; from outflank.ui.cli import main\n"
        "try: main({})\nexcept SystemExit: pass\n"
        "assert not {} & set(sys.modules)"
    )
    for arguments, absent in (
        (["--version"], {"numba", "numpy", "rich", "msgspec", "platformdirs", "outflank.games.description"}),
        (["--help"], {"numba", "numpy", "rich", "outflank.othello", "outflank.abalone", "importlib.metadata"}),
        (["show"], {"numba", "msgspec", "platformdirs", "outflank.abalone", "importlib.metadata"}),
        (["show", "--game", "abalone"], {"numba", "msgspec", "outflank.othello", "importlib.metadata"}),
    ):
        subprocess.run([sys.executable, "-c", program.format(arguments, absent)], check=True, capture_output=True)


@pytest.mark.compiled
def test_more_workers_than_cores_are_remarked_on(run):
    done = run("perft", "--depth", "2", "--workers", "500")
    assert done.status == 0
    assert "more than can run at once" in done.err.replace("\n", " ")


def test_doctor_says_what_a_bug_report_needs(run):
    done = run("doctor", "--json")
    facts = json.loads(done.out)
    assert (done.status, facts["passed"]) == (0, True)
    for name in (
        "outflank",
        "python",
        "numba",
        "numpy",
        "processor",
        "usable_cores",
        "usable_memory_bytes",
        "cache",
        "lanes",
        "threads",
    ):
        assert facts[name]
    text = run("doctor").out
    assert "ok" in text
    assert "Abalone's rules" in text


def test_doctor_fails_when_a_check_does(run, monkeypatch):
    def wrong(board, depth):
        raise AssertionError("7 leaves instead of 8,200")

    monkeypatch.setattr(diagnosis, "perft", wrong)
    done = run("doctor")
    assert done.status == 1
    assert "FAILED" in done.out
    assert json.loads(run("doctor", "--json").out)["passed"] is False


@pytest.mark.compiled
def test_warm_lists_what_is_ready(run):
    assert re.search(r"\d+ kernels ready", run("warm").out)


# --- a terminal ---


def on_terminal(*arguments: str, environment: dict[str, str]) -> str:
    """What a terminal shows when the command runs on it."""
    pty = pytest.importorskip("pty")
    shown = b""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        os.execve(sys.executable, [sys.executable, "-m", "outflank", *arguments], os.environ | environment)
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return shown.decode()


@pytest.mark.interpreted_only
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal to run it on")
def test_a_terminal_gets_colour_unless_it_says_no():
    wanted = {"TERM": "xterm-256color", "NO_COLOR": ""}
    assert "\x1b[" in on_terminal("show", environment=wanted)
    assert "●" in on_terminal("show", "--game", "abalone", environment=wanted)
    assert "\x1b[3" not in on_terminal("show", environment={"TERM": "xterm-256color", "NO_COLOR": "1"})


@pytest.mark.compiled
@pytest.mark.slow(5)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal to run it on")
def test_the_first_use_says_that_it_compiles(tmp_path):
    environment = {"OUTFLANK_CACHE_DIR": str(tmp_path), "TERM": "dumb", "COLUMNS": "200"}
    assert not interpreted()
    assert "compiling" in on_terminal("perft", "--depth", "3", environment=environment)
    assert "compiling" not in on_terminal("perft", "--depth", "3", environment=environment)


# --- search ---


def test_search_finds_a_move_and_shows_its_way(run):
    done = run("search", "--depth", "3", "--evaluation", "discs")
    assert done.status == 0
    assert "principal variation" in done.out
    assert re.search(r"black plays (d3|c4|f5|e6), worth \+\d+ discs \(depth 3", done.out)
    assert "nodes" in done.out
    assert "a b c d e f g h" in done.out


def test_search_in_json_has_a_line_per_iteration(run):
    done = run("search", "--game", "abalone", "--depth", "2", "--moves", "3", "--json")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["schema"] for line in lines] == ["outflank/search-iteration/1"] * 2 + ["outflank/search/1"]
    assert [line["depth"] for line in lines] == [1, 2, 2]
    last = lines[-1]
    assert {"value", "move", "pv", "depth", "nodes", "leaves", "seconds", "exact"} <= set(last)
    assert len(last["moves"]) == 3
    assert last["pv"][0] == last["move"]


@pytest.mark.compiled  # the interpreter takes seconds for so many nodes
def test_variants_of_the_reports_are_options(run):
    variants = ["--algorithm", "alphabeta", "--evaluation", "rings-lab", "--ordering", "kinds", "--table-bits", "0"]
    counts = []
    for share in ("--share-alpha", "--no-share-alpha"):
        done = run("search", "--game", "abalone", "--depth", "2", "--no-deepen", *variants, share, "--json")
        lines = [json.loads(line) for line in done.out.splitlines()]
        assert [line["depth"] for line in lines] == [2, 2]
        counts.append(lines[-1]["leaves"])
    assert counts[0] < counts[1]


def test_search_shows_what_its_workers_did_and_what_sharing_cost(run):
    shared = ("search", "--size", "4", "--depth", "3", "--evaluation", "discs", "--parallel", "ybw", "--workers", "2")
    assert "steals tried" not in run(*shared).out
    done = run(*shared, "--compare", "--show-workers")
    assert done.status == 0
    assert "ybw, 2 workers" in done.out
    assert re.search(r"steals tried +\d+ +\d+ +\d+", done.out)
    assert re.search(r"speed-up \d+\.\d\d, efficiency \d+\.\d\d, search overhead [+-]\d", done.out)
    last = json.loads(run(*shared, "--compare", "--json").out.splitlines()[-1])
    assert (last["scheme"], len(last["workers"])) == ("ybw", 2)
    assert sum(worker["nodes"] for worker in last["workers"]) == last["nodes"]
    assert set(last["compare"]) == {"nodes", "seconds", "speed_up", "efficiency", "search_overhead"}
    alone = json.loads(run(*shared[:-4], "--workers", "1", "--json").out.splitlines()[-1])
    assert (alone["scheme"], alone["value"], alone["nodes"]) == (None, last["value"], last["compare"]["nodes"])


TRACED = ("search", "--size", "4", "--depth", "3", "--evaluation", "discs", "--threshold", "1")


def test_search_writes_a_trace_of_its_workers_for_trace_viewers(run, tmp_path):
    file = tmp_path / "search.json"
    done = run(*TRACED, "--workers", "2", "--trace", str(file))
    assert done.status == 0
    assert re.search(r"search\.json: \d+ events of the workers", done.err)
    spans = [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X"]
    assert {span["tid"] for span in spans} <= {0, 1}
    assert {"search", "spawn", "schedule"} <= {span["name"] for span in spans}
    lines = {span["args"]["line"] for span in spans if span["name"] == "search"}
    assert any(re.fullmatch(r"depth 3( [a-d][1-4])+", line) for line in lines)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--workers", "1"), "choose their number with --workers"),
        (("--workers", "2", "--parallel", "abdada"), "abdada does not divide the tree"),
        (("--workers", "2", "--algorithm", "uct"), "tree-parallel does not divide the tree"),
        (("--cluster", "local:2"), "leave out --cluster"),
        (("--workers", "2", "--file", "two.txt"), "records one search, not 2"),
        (("--workers", "2", "--trace", "absent/search.json"), "there is no folder absent"),
    ],
)
def test_what_cannot_be_traced_is_refused_before_the_search(run, tmp_path, monkeypatch, options, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.txt").write_text("f5\nf5d6\n")
    done = run(*(TRACED[:1] if "two.txt" in options else TRACED), "--trace", "search.json", *options)
    assert (done.status, done.out) == (2, "")
    assert reason in done.err
    assert not (tmp_path / "search.json").exists()


STEPS = ("search", "--size", "4", "--evaluation", "discs", "--steps", "steps.json")


def test_search_writes_every_node_of_a_small_search(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for options, algorithm in (((), "alphabeta"), (("--algorithm", "minimax"), "minimax")):
        done = run(*STEPS, "--depth", "2", *options)
        assert (done.status, done.out) == (0, "")
        assert re.search(r"steps\.json: \d+ nodes; [a-d]\d is worth [+-]\d+ discs", done.err)
        document = decoded(RecordedSearchDocument, (tmp_path / "steps.json").read_bytes())
        assert (document.algorithm, document.depth) == (algorithm, 2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "--steps needs a --depth"),
        (("--depth", "7"), "a depth of 1 to 6"),
        (("--depth", "2", "--algorithm", "mtdf"), "by minimax or alphabeta"),
        (("--depth", "2", "--cluster", "local:2"), "without --cluster"),
        (("--exact", "--depth", "2"), "neither exact nor selective"),
        (("--depth", "2", "--steps", "absent/steps.json"), "there is no folder absent"),
    ],
)
def test_what_cannot_be_recorded_is_refused(run, tmp_path, monkeypatch, options, reason):
    monkeypatch.chdir(tmp_path)
    done = run(*STEPS, *options)
    assert (done.status != 0, done.out) == (True, "")
    assert reason in done.err
    assert not (tmp_path / "steps.json").exists()


def test_search_with_many_workers_shows_the_least_and_the_most(run):
    done = run(
        "search",
        "--size",
        "4",
        "--depth",
        "2",
        "--evaluation",
        "discs",
        "--parallel",
        "abdada",
        "--workers",
        "9",
        "--show-workers",
    )
    assert re.search(r"workers +all +least +most", done.out)
    assert "9 workers on" in done.err


@pytest.mark.parametrize("scheme", ["fork-join", "root-split", "pv-split", "jamboree", "shared-table"])
def test_search_takes_every_scheme(run, scheme):
    size = ("search", "--size", "4", "--depth", "3", "--evaluation", "discs", "--workers", "2", "--json")
    last = json.loads(
        run(*size, "--parallel", scheme, "--schedule", "2", "--pin", "compact", "--pace", "9").out.splitlines()[-1]
    )
    assert last["scheme"] == scheme


def test_search_proves_small_boards(run):
    done = run("search", "--size", "4", "--exact", "--scoring", "discs", "--json")
    last = json.loads(done.out.splitlines()[-1])
    assert (last["value"], last["exact"]) == (-8, True)
    over = run("search", "XXX------------- O").out
    assert over.count("black wins by 16") == 1
    assert "-16" not in over


def test_search_says_of_an_unfinished_proof_what_it_knows(run):
    done = run("search", "--size", "4", "--exact", "--nodes", "100", "--evaluation", "discs", "--workers", "1")
    assert done.status == 1
    assert re.search(
        r"the proof was not finished, (nothing|at (least|most) [+-]\d+ discs(, at most [+-]\d+ discs)?) is proved "
        r"\(estimated [+-]\d+ discs, depth \d, stopped, pvs, discs\)",
        done.out,
    )
    assert "the final score" not in done.out
    for exact in ([], ["--exact"]):
        nothing = run("search", "--nodes", "1", "--no-deepen", "--evaluation", "discs", "--workers", "1", *exact)
        assert nothing.status == 1
        assert re.search(r"black to move; nothing was searched, \w\d is only a legal move", nothing.out)
        done = run("search", "--nodes", "1", "--no-deepen", "--evaluation", "discs", "--workers", "1", "--json", *exact)
        last = json.loads(done.out.splitlines()[-1])
        assert (last["value"], last["lower"], last["upper"], last["pv"], last["depth"]) == (None, None, None, [], 0)


@pytest.mark.interpreted_only
def test_search_shows_what_an_iteration_is_at():
    board = OthelloBoard.start()
    d3, c4 = (next(move for move in board.legal_moves if str(move) == name) for name in ("d3", "c4"))
    progress = Progress(
        depth=17, proving=False, nodes=5_000_000, seconds=2.0, moves_begun=2, move_count=4, move=c4, best=d3, value=30
    )
    scale = scale_of(board.game, evaluation_named(board.game, "phased"))
    before = Result(value=12, move=d3, pv=(d3,), depth=16, nodes=9, leaves=9, seconds=1.0, exact=False, scale=scale)
    proof = replace(progress, proving=True, depth=61, value=4, move=None)
    for shown, words in ((progress, "17? >= +3.0 2.00 s 5,000,000"), (proof, "end? >= +4 2.00 s 5,000,000")):
        console = Console(width=120, file=io.StringIO())
        console.print(iteration_grid([before], shown))
        assert words in " ".join(console.file.getvalue().split())
    assert progress_text(progress) == "move 2 of 4: c4, d3 is best so far"
    assert progress_text(replace(proof, best=None)) == "move 2 of 4"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithm", "alphabet"], "did you mean 'alphabeta'"),
        (["--evaluation", "magic"], "known: patterns, phased"),
        (["--ordering", "kinds"], "unknown ordering of Othello"),
        (["--depth", "0"], "depth 0"),
        (["--depth", "101"], "1 to 100"),
        (["--time", "0"], "positive time"),
        (["--time", "-3"], "positive time"),
        (["--nodes", "0"], "at least one"),
        (["--table-bits", "99"], "4 to 34"),
        (["--time", "1e10"], "1e+10 seconds: a search takes 1e+09 at most"),
        (["--time", "nan"], "seconds=nan: expected a number"),
        (["--workers", "0"], "workers=0: expected a whole number from 1 to 1024"),
        (["--workers", "20000"], "workers=20000: expected a whole number from 1 to 1024"),
        (["--parallel", "jambore"], "did you mean 'jamboree'"),
        (["--parallel", "abdada", "--algorithm", "minimax"], "abdada does not support minimax"),
        (["--algorithm", "uct", "--compare"], "uct has none"),
        (["--algorithm", "uct", "--parallel", "ybw"], "ybw does not support uct"),
        (["--schedule", "never"], "expected one of one, rows, static or a whole number"),
        (["--schedule", "²"], "expected one of one, rows, static or a whole number"),
        (["--threshold", "-2"], "threshold=-2: expected a whole number from 0"),
        (["--moves", "0"], "moves=0: expected a whole number from 1"),
        (["--step", "3"], "--step"),
        (["--algorithm", "uct", "--depth", "4"], "has no depth"),
        (["--algorithm", "flat", "--exact"], "proves nothing"),
        (["--depth", "4", "--exact"], "no depth limits"),
        (["f5f5", "--depth", "0"], "not legal"),
        (["?", "--algorithm", "nothing"], "expected an Othello board line"),
    ],
)
def test_impossible_searches_get_one_line(run, arguments, message):
    done = run("search", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_prints_the_best_so_far():
    command = [sys.executable, "-m", "outflank", "search", "--time", "60", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = process.stdout.readline()  # an iteration is done: the search is under way
    process.send_signal(signal.SIGINT)
    rest, err = process.communicate(timeout=60)
    last = json.loads(rest.splitlines()[-1])
    assert json.loads(first)["depth"] == 1
    assert (process.returncode, last["schema"], last["stopped"]) == (130, "outflank/search/1", True), err
    assert last["move"]
