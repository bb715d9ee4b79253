"""Books that are learnt from games: which positions come in, how often they were played, what cannot be read."""

import json
from dataclasses import replace

import pytest

from outflank import AbaloneBoard, OthelloBoard
from outflank.books.book import Book, key_of
from outflank.books.building import BookPlan
from outflank.books.from_games import Openings, learn
from outflank.errors import OutflankError
from outflank.formats.game_files import read_records, write_records
from outflank.search.request import Stop
from outflank.ui.cli import main
from tests.made_up_searches import reached

pytestmark = pytest.mark.interpreted_only

START = OthelloBoard.start()
GAMES = "f5d6c3d3c4\nf5d6c3d3c4f4\nd3c5f6f5\ne6f4c3c4d3\nf5f6e6f4\n"
"""The second and the third are the first, one longer and one mirrored; so begins the fourth."""


def after(text):
    return (Book.parse(START.game, "").entries and None) or OthelloBoard.from_text(text)


def read(*paths, plies=12):
    wrong: list[str] = []
    openings = Openings(START.game, plies)
    for path in paths:
        openings.read(path, wrong.append, lambda count: None, Stop())
    return openings, wrong


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text(GAMES)
    return path


def test_positions_that_were_played_come_in_with_how_often(made_up, games, tmp_path):
    openings, wrong = read(games)
    assert (openings.games, wrong) == (5, [])
    built = learn(openings, tmp_path / "a.book", BookPlan(depth=3, width=2), games=2, stop=Stop())
    book = Book.read(START.game, tmp_path / "a.book")
    assert built.searched == len(book.entries) == 6
    times = {text: book.entry(OthelloBoard.from_text(text)).games for text in ("f5", "f5d6", "f5d6c3d3c4")}
    assert times == {"f5": 5, "f5d6": 4, "f5d6c3d3c4": 3}
    assert book.entry(START).games == 5
    assert book.entry(OthelloBoard.from_text("f5f6")) is None
    pairs = list(reached(START, book, 5))
    assert len(pairs) >= 5  # whatever the search thought of them, the moves that were played are known
    assert all(value == carried for _, value, carried in pairs)


def test_a_game_is_counted_once(made_up, games, tmp_path):
    path, plan = tmp_path / "a.book", BookPlan(depth=3)
    learn(read(games)[0], path, plan, stop=Stop())
    text = path.read_text()
    assert len(Book.parse(START.game, text).entries) == 10
    again = learn(read(games)[0], path, plan, stop=Stop())
    assert (again.searched, path.read_text()) == (0, text)
    more = tmp_path / "more.txt"
    more.write_text("f5d6\n")
    copied = tmp_path / "copied.txt"
    copied.write_text(GAMES)
    learn(read(games, more, copied)[0], path, plan, stop=Stop())
    book = Book.read(START.game, path)
    assert [book.entry(OthelloBoard.from_text(each)).games for each in ("f5", "f5f6")] == [6, 1]


def test_who_was_interrupted_goes_on(made_up, games, tmp_path):
    plan, stop = BookPlan(depth=3), Stop()
    learn(read(games)[0], tmp_path / "whole.book", plan, stop=Stop())
    path = tmp_path / "a.book"
    built = learn(
        read(games)[0], path, plan, stop=stop, workers=1, progress=lambda done, known: stop() if done == 4 else None
    )
    assert built.searched == len(Book.read(START.game, path).entries) == 4
    learn(read(games)[0], path, plan, stop=Stop())
    assert {key: entry.games for key, entry in Book.read(START.game, path).entries.items()} == {
        key: entry.games for key, entry in Book.read(START.game, tmp_path / "whole.book").entries.items()
    }


def test_a_learnt_book_is_the_same_however_many_search_it(made_up, games, tmp_path):
    for workers in (1, 2):
        learn(read(games)[0], tmp_path / f"{workers}.book", BookPlan(depth=3), stop=Stop(), workers=workers)
    assert (tmp_path / "1.book").read_bytes() == (tmp_path / "2.book").read_bytes()


def test_games_of_wthor_are_learnt(games, tmp_path):
    years = tmp_path / "WTH_1998.wtb"
    write_records((replace(each, score=0, date="1998") for each in read_records(games)), years)
    found, wrong = read(years)
    assert (found.common(1), wrong) == (read(games)[0].common(1), [])
    data = bytearray(years.read_bytes())
    data[16 + 8 + 2] = 11  # the third move of the first game: a1
    years.write_bytes(data)
    found, wrong = read(years)
    assert found.games == 5
    assert wrong == [f"{years}, game 1: move 3 is not legal; those before it are taken"]


def test_few_games_of_many_make_no_opening():
    assert [Openings(START.game, 8, games).least() for games in (1, 99, 10_000, 100_000)] == [1, 1, 10, 31]


def test_games_of_other_rules_are_left_out(games, tmp_path):
    openings = Openings(OthelloBoard.start(6).game, 8)
    openings.read(games, lambda why: None, lambda count: None, Stop())
    assert (openings.games, openings.others) == (0, 5)


# --- the command ---


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_what_cannot_be_read_is_named_and_the_rest_is_learnt(made_up, games, tmp_path, capsys):
    broken = tmp_path / "broken.ggf"
    broken.write_text("(;GM[Othello]PC[x]TY[8]BO[8 nonsense *];)")
    status, out, err = run(
        capsys,
        "book",
        "learn",
        broken,
        games,
        "--game",
        "othello",
        "--out",
        tmp_path / "a.book",
        "--depth",
        2,
        "--quiet",
    )
    assert status == 2
    assert "10 positions" in out
    assert err.count("\n") == 1
    assert "broken.ggf" in err
    assert len(Book.read(START.game, tmp_path / "a.book").entries) == 10
    status, out, _ = run(capsys, "book", "learn", games, "--out", tmp_path / "a.book", "--depth", 2, "--json")
    assert (status, json.loads(out)["known"]) == (0, 10)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.ggf"], "No such file"),
        (["games.txt", "--game", "abalone"], "no game of these rules"),
        (["games.txt", "--size", "6"], "no game of these rules"),
        (["empty.txt"], "empty.txt: no game is there"),
        (["games.txt", "--cluster", "nowhere"], "is no cluster"),
    ],
)
def test_what_cannot_be_learnt_is_one_line(made_up, games, tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("")
    status, _, err = run(capsys, "book", "learn", *arguments, "--out", "a.book", "--quiet")
    assert status == 2
    assert says in err
    assert err.count("\n") == 1


def test_the_games_of_a_match_are_learnt(made_up, tmp_path, capsys):
    match = tmp_path / "match"
    played = ("match", "first", "random", "--games", 2, "--game", "abalone", "--ply-limit", 4, "--out", match)
    assert run(capsys, *played)[0] == 0
    learn_it = ("book", "learn", match, "--plies", 2, "--depth", 2, "--out", tmp_path / "a.book", "--quiet")
    status, _, err = run(capsys, *learn_it)
    assert (status, err) == (0, "")
    book = Book.read(AbaloneBoard.start().game, tmp_path / "a.book")
    assert book.entries[key_of(AbaloneBoard.start())].games == 2
    with pytest.raises(OutflankError, match="Is a directory"):
        read(tmp_path)
