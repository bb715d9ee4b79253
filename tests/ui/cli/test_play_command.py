"""Playing, reviewing and opening books, as their users meet them."""

import io
import json
import re
import sys
from xml.etree import ElementTree

import pytest

from outflank.ui.cli import main


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*arguments, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


# --- play ---


def test_a_human_plays_and_leaves(run):
    status, out, _ = run("play", "--white", "first", stdin="f5\nquit\n")
    assert status == 0
    assert "black plays f5" in out
    assert "white plays" in out
    assert "left unfinished" in out


def test_a_wrong_move_is_told_and_asked_again(run):
    status, out, _ = run("play", "--white", "first", stdin="a1\nnonsense\n\nf5\n")
    assert status == 0
    assert "'a1' is not a legal move here" in out
    assert "'nonsense' is not a move" in out
    assert "black plays f5" in out


def test_advice_has_a_unit(run, monkeypatch):
    monkeypatch.setattr("outflank.ui.cli.playing.play_session.HINT_SECONDS", 0.05)
    _, out, _ = run("play", "--white", "first", stdin="hint\neval\nquit\n")
    assert len(re.findall(r"^  [a-h][1-8]  [+-]\d+\.\d discs  \(depth \d+\)$", out, re.MULTILINE)) == 4


def test_moves_are_taken_back_to_the_human(run):
    _, out, _ = run("play", "--white", "first", stdin="f5\nundo\nundo\nmoves\nquit\n")
    assert "taken back" in out
    assert "there is nothing to take back" in out
    assert "d3 c4 f5 e6" in out


def test_sides_are_changed_and_games_resigned(run):
    status, out, _ = run("play", "--white", "first", stdin="flip\nresign\n")
    assert status == 0
    assert "black plays d3" in out  # the first move is the other player's now
    assert "white resigns" in out
    assert "black wins" in out


def test_a_game_is_saved_and_loaded(run, tmp_path):
    path = tmp_path / "game.ggf"
    run("play", "--white", "first", stdin=f"f5\nsave {path}\nsave {path}\nquit\n")
    assert path.read_text().startswith("(;GM[Othello]")
    _, out, _ = run("play", "--white", "first", stdin=f"load {path}\nload nothing.ggf\nquit\n")
    assert "2 moves" in out
    assert "nothing.ggf" in out


def test_players_without_hands_play_to_the_end(run):
    status, out, _ = run("play", "--black", "random seed=3", "--white", "first", "--clock", "60s")
    assert status == 0
    assert "clock: 1 minute for the game" in out
    assert "over:" in out
    assert "moves: " in out


def test_a_seed_repeats_a_game_and_no_seed_does_not(run):
    def moves(*seed):
        status, out, _ = run("play", "--size", 4, "--black", "computer depth=1 workers=1", "--white", "random", *seed)
        assert status == 0
        return out.partition("moves: ")[2]

    assert moves("--seed", 5) == moves("--seed", 5)
    assert len({moves() for _ in range(6)}) > 1


def test_a_game_is_gone_on_with_in_a_pipe(run, tmp_path):
    path = tmp_path / "game.abalone"
    _, out, _ = run(
        "play", "--game", "abalone", "--white", "first", stdin=f"a1b2\nresign\nsave {path}\nagain\nc3d3\nquit\n"
    )
    assert "A1B2" in path.read_text()
    assert "white wins" in out
    assert re.search(r"moves: C3D3 \S+\n$", out)


def test_abalone_is_played_too(run):
    _, out, _ = run("play", "--game", "abalone", "--white", "first", stdin="a1b2\nC3D3\nquit\n")
    assert "black plays A1B2" in out


def test_who_can_play_is_told_where_they_can(run):
    assert "(known: computer, random, first, gtp, nboard, human)" in run("play", "--white", "nobody")[2]
    assert "(known: computer, random, first, gtp, nboard)" in run("match", "nobody", "first")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--black", "nobody"],
        ["--clock", "soon"],
        ["--white", "computer depth=x"],
        ["--white", "computer report=003"],
        ["--file", "/nonexistent"],
    ],
)
def test_wrong_words_are_one_line_and_status_2(run, arguments):
    status, out, err = run("play", *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "last"), [(1, "19 45"), (2, "4 60"), (3, "46 18")])
def test_the_classroom_program_reads_and_prints_as_it_did(run, depth, last):
    status, out, _ = run("play", "--classic", stdin=f"c {depth}\nc {depth}\n")
    black, white = last.split()
    assert status == 0
    assert out.splitlines()[-1].startswith(f"X has {black} disks. O has {white} disks.")


@pytest.mark.compiled
def test_the_classroom_program_has_the_rules_of_either_report(run):
    status, out, _ = run("play", "--classic", "004", stdin="c 1 c 1")
    assert (status, out.splitlines()[-1]) == (0, "X has 31 disks. O has 33 disks. O wins.")
    status, _, err = run("play", "--classic", "003", stdin="c 1 c 1")
    assert (status, err.count("\n")) == (2, 1)


def test_the_classroom_program_refuses_what_it_cannot_read(run):
    status, _, err = run("play", "--classic", stdin="c many")
    assert status == 2
    assert err.count("\n") == 1


# --- review ---


@pytest.mark.compiled
def test_a_review_tells_losses_and_draws_the_game(run, tmp_path):
    status, out, _ = run("review", "f5d6c3d3c4f4f6g5", "--depth", "4", "--out", tmp_path)
    assert status == 0
    assert "black's value after each move" in out
    assert "moves judged, in discs" in out
    picture = (tmp_path / "review.svg").read_text()
    assert "<svg" in picture
    assert "var(" not in picture  # few programs but browsers know variables
    page = ElementTree.fromstring((tmp_path / "review.html").read_text().removeprefix("<!DOCTYPE html>"))
    assert [each.text for each in page.iter("th")] == [
        "ply",
        "side",
        "move",
        None,
        "value",
        "best",
        "its value",
        "loss",
        "depth",
    ]
    assert next(page.iter("tr")).find("th").get("class") == "number"
    assert "value over the game" in (tmp_path / "review.html").read_text()


@pytest.mark.compiled
def test_a_review_as_json_is_an_object_a_move(run):
    _, out, _ = run("review", "f5d6c3", "--depth", "3", "--json")
    game, *rows, story = [json.loads(line) for line in out.splitlines()]
    assert (game["schema"], story["schema"]) == ("outflank/review-game/1", "outflank/review-story/1")
    assert game["moves"] == "f5 d6 c3"
    assert [row["move"] for row in rows] == ["f5", "d6", "c3"]
    assert all(row["loss"] >= 0 for row in rows)


def test_a_position_cannot_be_reviewed(run):
    status, _, err = run("review", "--game", "othello")
    assert status == 2
    assert "no moves to review" in err


# --- books ---


@pytest.mark.interpreted_only
def test_a_book_says_discs_and_names_its_raw_values(run):
    told = json.loads(run("book", "show", "f5d6", "--json")[1])
    best = told["moves"][0]["value"]
    assert f"{best / 128:+.1f} discs  depth " in run("book", "show", "f5d6")[1]
    assert (told["unit"], told["points_per_unit"]) == ("discs", 128)
    assert abs(best) < 2 * 128  # it is a good opening
    assert told["depth"] > 0


@pytest.mark.compiled
def test_a_book_is_built_shown_and_played_from(run, tmp_path):
    path = tmp_path / "small.book"
    status, out, _ = run("book", "build", "--out", path, "--plies", 2, "--depth", 3)
    assert status == 0
    assert "positions" in out
    status, out, _ = run("book", "show", "--book", path, "f5", "--json")
    assert status == 0
    assert json.loads(out)["moves"]
    assert run("book", "show", "--book", path, "f5d6c3d3c4f4")[0] == 1
    assert "nothing to search" in run("book", "build", "--out", path, "--plies", 2, "--depth", 3)[1]
    assert "searched again" in run("book", "build", "--out", path, "--plies", 2, "--depth", 4)[1]
    _, out, _ = run("play", "--black", f"computer depth=1 book={path}", "--white", "human", stdin="quit\n")
    assert "book" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["build"],
        ["build", "--out", "/nonexistent/x.book"],
        ["build", "--out", "x.book", "--plies", "0"],
        ["show", "--book", "/nonexistent.book"],
    ],
)
def test_a_book_that_cannot_be_is_one_line(run, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = run("book", *arguments)
    assert status == 2
    assert err.count("\n") == 1
