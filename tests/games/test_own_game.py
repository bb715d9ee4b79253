"""A game that the package does not know, on the whole command line: `--game noughts --import noughts.py`."""

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.games import description
from outflank.games.description import GAMES
from outflank.ui.cli import main
from tests.installing import install, register_for_now

pytestmark = pytest.mark.interpreted_only

NOUGHTS = Path(__file__).parents[1] / "noughts.py"
GAME = ("--game", "noughts")
WON = "b2 a2 a1 c2 b1 c1 b3"
ALONE = ("--workers", "1", "--table-bits", "10")


@pytest.fixture
def run(capsys, monkeypatch):
    register_for_now(monkeypatch, GAMES)
    monkeypatch.setattr(description, "_by_rules", dict(description._by_rules))
    monkeypatch.setattr(sys, "path", sys.path.copy())

    def call(*arguments: str, stdin: str = "", known: bool = True) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main([*arguments, *(("--import", str(NOUGHTS)) if known else ())])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, " ".join(captured.err.split())

    yield call
    sys.modules.pop("noughts", None)


def test_its_start_and_its_moves_are_shown(run):
    status, out, err = run("show", *GAME)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "  a b c",
        "1 * * *",
        "2 * * *",
        "3 * * *",
        "",
        "Noughts and crosses 3×3, move 1; black 0, white 0",
        "black to move, 9 legal: a1 a2 a3 b1 b2 b3 c1 c2 c3",
        "noughts: 0000000000000000 0000000000000000 black 0 [3]",
    ]
    over = run("show", *GAME, WON)[1]
    assert "\nover: black wins (no moves left)\n" in over  # it is won, not by so many
    assert run("show", over.splitlines()[-1])[1].splitlines()[-1] == over.splitlines()[-1]  # it names its game itself
    told = json.loads(run("show", *GAME, "--json", "a1")[1])
    assert (told["game"], told["moves"], told["turn"]) == ("noughts", ["a1"], "white")


def test_its_options_are_options_of_the_command(run):
    assert "Noughts and crosses 5×3, move 2" in run("show", *GAME, "--columns", "5", "e1")[1]
    assert "Noughts and crosses 4×3" in run("show", "--game=noughts", "--columns=4")[1]
    for command in ("show", "search", "solve", "perft", "play", "review", "match"):
        told = run(command, *GAME, "--help")[1]
        assert "--columns [3|4|5]" in told
        assert "--layout NAME" not in told
    told = run("show", "--help")[1]
    assert "--columns" not in told
    assert all(option in told for option in ("--size [4|6|8]", "--scoring", "--layout NAME", "othello|abalone|noughts"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (*GAME, "--columns", "7"),
            "outflank show: Invalid value for '--columns': unknown columns '7' (known: 3, 4, 5)",
        ),
        ((*GAME, "--layout", "star"), "outflank: --layout is for Abalone"),
        ((*GAME, "--size", "6"), "outflank: --size is for Othello"),
        (("--columns", "4"), "outflank show: No such option"),
        ((*GAME, "a1 a1"), "outflank: moves, column 4, move 2: 'a1' is not a legal move here (legal: a2 a3 b1 b2 b3"),
        ((*GAME, "--columns", "3", "noughts: 0 0 black 0 [4]"), "outflank: --columns 3: the position given has 4"),
        (("--game", "noughs"), "unknown game 'noughs', did you mean 'noughts'? (known: othello, abalone, noughts)"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(run, arguments, said):
    status, out, err = run("show", *arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_without_its_module_it_is_not_known(run):
    status, _, err = run("show", *GAME, known=False)
    assert (status, err.endswith("unknown game 'noughts' (known: othello, abalone)")) == (2, True)


def test_its_tree_is_counted_and_divided(run):
    assert json.loads(run("perft", *GAME, "--depth", "3", "--json")[1])["leaves"] == 9 * 8 * 7
    divided = json.loads(run("perft", *GAME, "--columns", "4", "--depth", "2", "--divide", "--json")[1])
    assert divided["divide"] == {f"{column}{row}": 11 for column in "abcd" for row in "123"}


def test_it_is_searched_in_its_own_unit_and_proved(run):
    status, out, err = run("search", *GAME, "b2", "--depth", "2", *ALONE)
    assert (status, err) == (0, "")
    assert "white plays a2, worth -0.5 rows (depth 2, pvs, middle)" in out
    proved = run("search", *GAME, "b2 a2 a1 c2", "--exact", *ALONE)[1]
    assert "black plays c3, won (proved to the end, pvs, the final score)" in proved


def test_it_is_solved(run):
    status, out, _ = run("solve", *GAME, "b2 a1 b1 b3", "--moves", *ALONE)
    assert status == 0
    assert re.search(r" 5 +drawn ", out)
    assert "a2 drawn,  a3 drawn,  c2 drawn,  c3 drawn,  c1 lost" in out
    assert "Noughts and crosses 3×3: black plays a2, drawn" in out
    script = "noughts: 30 41 black 4 [3]\nnoughts: 30 41 black 4 [9]\nnoughts: 1 30 white 3 [3]\n"
    status, out, err = run("solve", *ALONE, "-", stdin=script)
    assert (status, "line 2" in err) == (2, True)
    assert out.count("drawn") == 2


def test_it_is_played_saved_and_read_again(run, tmp_path):
    saved = tmp_path / "game"
    words = "\n".join(["help", "zz", *WON.split(), f"save {saved}", "quit"])
    status, out, err = run("play", *GAME, "--white", "human", stdin=words)
    assert (status, err) == (0, "")
    assert "a cell like b2" in out  # what help says that a move is
    assert "'zz' is not a legal move here (legal: a1" in out
    assert f"saved to {saved}.games" in out
    file = f"{saved}.games"
    listed = json.loads(run("games", file, "--json")[1])
    assert (listed["game"], listed["score"], listed["opening"]) == ("noughts", 1.0, WON)
    assert run("convert", file, str(tmp_path / "copy.games"))[0] == 0
    assert (tmp_path / "copy.games").read_text() == Path(file).read_text()
    assert "GGF holds games of Othello, not of Noughts and crosses" in run("convert", file, str(tmp_path / "a.ggf"))[2]
    assert "over: black wins" in run("show", "--file", file)[1]


def test_it_is_reviewed_with_a_page(run, tmp_path):
    reviewed = ("review", *GAME, WON, "--depth", "2", "--exact", "0", "--workers", "1", "--quiet")
    status, out, err = run(*reviewed, "--out", str(tmp_path))
    assert (status, err) == (0, "")
    assert "Noughts and crosses 3×3, 7 moves judged, in rows" in out
    page = (tmp_path / "review.html").read_text()
    assert "Noughts and crosses board</title>" in page
    assert [json.loads(line)["schema"] for line in run(*reviewed, "--json")[1].splitlines()].count(
        "outflank/review-move/1"
    ) == 7
    picture = tmp_path / "board.svg"
    assert run("show", *GAME, WON, "--svg", str(picture))[0] == 0
    assert picture.read_text().count("<circle") == 7


def test_a_win_that_counts_nothing_is_won_and_not_by_so_much(run, tmp_path, monkeypatch):
    run("show", *GAME)
    kept = GAMES.get("noughts")
    uncounted = replace(kept, scores=replace(kept.scores, most=None))
    monkeypatch.setitem(GAMES._loaded, "noughts", uncounted)
    monkeypatch.setitem(description._by_rules, kept.rules, uncounted)
    asked = ("review", *GAME, WON, "--depth", "4", "--exact", "0", "--workers", "1", "--quiet")
    status, out, err = run(*asked, "--out", str(tmp_path))
    assert (status, err) == (0, "")
    assert out.startswith("black won\n")
    assert "inf" not in out
    assert "inf" not in (tmp_path / "review.svg").read_text()
    assert re.search(r"7 +black +b3 +won", out)
    assert "the game lost by 1 move" in out
    told = [json.loads(line, parse_constant=pytest.fail) for line in run(*asked, "--json")[1].splitlines()]
    assert (told[-2]["value"], told[-2]["loss"]) == ("won", 0.0)
    assert None in [each["loss"] for each in told[1:-1]]


def test_a_book_of_it_is_built_and_asked(run, tmp_path):
    book = str(tmp_path / "noughts.book")
    built = run("book", "build", *GAME, "--out", book, "--plies", "1", "--depth", "1", "--workers", "1", "--quiet")
    assert (built[0], built[2]) == (0, "")
    asked = json.loads(run("book", "show", *GAME, "--book", book, "--json")[1])
    assert (asked["unit"], asked["depth"]) == ("rows", 1)


def test_games_are_looked_for_by_its_moves(run, tmp_path):
    file = tmp_path / "some.games"
    file.write_text("game: noughts\n1. b2 a2 2. a1\n\ngame: othello\n1. f5 d6\n\ngame: noughts\n1. b2 c3\n\n")

    def numbers(*arguments: str) -> list[int]:
        return [json.loads(line)["number"] for line in run("games", str(file), "--json", *arguments)[1].splitlines()]

    assert numbers() == [1, 2, 3]
    assert numbers(*GAME) == [1, 3]
    assert numbers(*GAME, "--opening", "b2 a2") == [1]
    assert numbers("--opening", "f5") == [2]
    assert "move 1: 'f5' is not a legal move here" in run("games", str(file), *GAME, "--opening", "f5")[2]


@pytest.mark.parametrize(("command", "flag"), [("games", "--from"), ("convert", "--to")])
def test_a_format_that_is_none_is_told_with_those_there_are(run, command, flag):
    files = ["a", "-"][: 1 + (command == "convert")]
    status, out, err = run(command, *files, flag, "ggff")
    assert (status, out) == (2, "")
    assert f"Invalid value for '{flag}'" in err
    assert "unknown format 'ggff', did you mean 'ggf'? (known: ggf, sgf, wtb, txt, obf, abalone, pgn, games)" in err


def test_a_match_of_it_is_kept_and_gone_on_with(run, tmp_path):
    match = ("match", "first", "random", *GAME, "--columns", "4", "--openings", "random:2", "--out", str(tmp_path))
    status, out, err = run(*match, "--games", "2")
    assert (status, err) == (0, "")
    assert "points (95%)" in out
    assert run(*match, "--games", "4", "--resume")[0] == 0
    listed = [json.loads(line) for line in run("games", str(tmp_path / "games.games"), "--json")[1].splitlines()]
    assert [(each["game"], each["number"]) for each in listed] == [("noughts", number) for number in (1, 2, 3, 4)]
    assert abs(listed[0]["score"]) <= 1


def test_a_flag_that_a_command_has_is_called_by_the_game_too(run, monkeypatch):
    run("show", *GAME)
    kept = GAMES.get("noughts")
    variants = replace(kept.variants, options=(replace(kept.variants.options[0], name="depth"),))
    named_alike = replace(kept, variants=variants, start=lambda depth=3: kept.start(depth))
    monkeypatch.setitem(GAMES._loaded, "noughts", named_alike)
    monkeypatch.setitem(description._by_rules, kept.rules, named_alike)
    assert json.loads(run("perft", *GAME, "--depth", "1", "--noughts-depth", "5", "--json")[1])["leaves"] == 15
    assert "Noughts and crosses 4×3" in run("show", *GAME, "--depth", "4")[1]


def test_installed_it_needs_no_import(run, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "noughts", NOUGHTS.read_text(), "outflank.games", "noughts = noughts:NOUGHTS")
    assert "Noughts and crosses 4×3, move 2" in run("show", *GAME, "--columns", "4", "b2", known=False)[1]
    assert "--columns [3|4|5]" in run("search", *GAME, "--help", known=False)[1]
    file = tmp_path / "some.games"
    file.write_text("game: noughts\n1. b2 a2\n")
    assert json.loads(run("games", str(file), "--json", known=False)[1])["opening"] == "b2 a2"
    line = "noughts: 0 0 black 0 [3]"
    assert "Noughts and crosses 3×3, move 1" in run("show", line, known=False)[1]
