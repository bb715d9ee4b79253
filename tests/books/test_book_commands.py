"""Books as they are seen: trees, other formats, and several books in one."""

import csv
import json
from dataclasses import replace

import pytest

from outflank import AbaloneBoard, OthelloBoard
from outflank.arena.openings import Openings
from outflank.books import from_games
from outflank.books.book import Book, key_of
from outflank.books.building import BookPlan, build
from outflank.books.exchange import export_lines, merge, read_any, tree_of
from outflank.errors import FormatError
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.ui.cli.books.book_command import tree_lines

pytestmark = pytest.mark.interpreted_only

START = OthelloBoard.start()


@pytest.fixture
def path(made_up, tmp_path):
    found = tmp_path / "a.book"
    build(START, found, BookPlan(plies=5, depth=3, width=4, margin=99), stop=Stop())
    return found


def every(branches):
    for branch in branches:
        yield branch
        yield from every(branch.branches)


def test_a_tree_has_every_position_once(path, tmp_path):
    games = tmp_path / "games.txt"
    games.write_text("c4e3f6e6f5\nc4e3f5e6f6\n")  # to the same position
    played = from_games.Openings(START.game, 5)
    played.read(games, pytest.fail, lambda count: None, Stop())
    book = from_games.learn(played, path, BookPlan(depth=3), stop=Stop()).book
    tops = tree_of(book, START, 60)
    homes = [branch for branch in every(tops) if branch.is_home]
    assert 1 + len(homes) == len(book.entries) == 1 + sum(branch.positions for branch in tops)
    assert len(tops) == 1  # four moves that are one
    for branch in homes:
        assert branch.positions == 1 + sum(each.positions for each in branch.branches)
    elsewhere = [branch for branch in every(tops) if branch.same_as is not None]
    assert elsewhere
    for branch in elsewhere:
        one, other = START.copy(), OthelloBoard.from_text(branch.same_as)
        for code in branch.line:
            one.push(one.move(code))
        assert key_of(one) == key_of(other)
    shallow = tree_of(book, START, 2)
    assert [branch.positions for branch in shallow] == [branch.positions for branch in tops]
    assert all(len(branch.line) <= 2 for branch in every(shallow))


@pytest.mark.parametrize("width", [40, 80])
def test_a_tree_fits_into_a_terminal(path, width):
    book = Book.read(START.game, path)
    lines = list(tree_lines(book, tree_of(book, START, 12), width))
    assert max(map(len, lines)) <= width
    assert sum("also" not in line for line in lines) >= len(book.entries)


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_a_tree_is_printed_from_where_it_is_asked(path, capsys):
    tree = ("book", "tree", "--book", path)
    whole = json.loads(run(capsys, *tree, "--json")[1])
    assert whole["positions"] == 1 + sum(each["positions"] for each in whole["branches"])
    status, out, _ = run(capsys, *tree, "f5", "--plies", 1)
    assert status == 0
    assert out.splitlines()[0].split() == ["discs", "positions", "depth"]
    assert len(out.splitlines()) == 4  # three replies
    status, out, _ = run(capsys, *tree, "f5d6c3d3c4f4f6g5e6d7")
    assert (status, out) == (1, "the book does not know this position\n")


@pytest.mark.parametrize("board", [OthelloBoard.start(), AbaloneBoard.start()])
def test_a_book_comes_back_from_json_lines(board, made_up, tmp_path):
    book = build(board, tmp_path / "a.book", BookPlan(plies=3, depth=3, width=2), stop=Stop()).book
    book.entries[key_of(board)] = replace(book.entries[key_of(board)], games=12)
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(export_lines(book, "jsonl", board, 8)))
    assert read_any(board.game, lines).entries == book.entries
    assert merge(board.game, tmp_path / "b.book", [lines]).entries == book.entries


def test_a_book_is_a_table_a_graph_and_a_list_of_lines(path, tmp_path):
    book = Book.read(START.game, path)
    rows = list(csv.DictReader(export_lines(book, "csv", START, 8)))
    assert len(rows) == sum(len(entry.moves) for entry in book.entries.values())
    first = rows[0]
    (code, value) = book.entries[min(book.entries)].moves[0]
    assert (float(first["value"]), first["depth"]) == (round(value / 128, 6), "3")
    assert first["move"] == str(OthelloBoard.from_text(first["position"]).move(code))
    graph = list(export_lines(book, "dot", START, 60))
    assert sum("->" not in line and "[label=" in line for line in graph) == len(book.entries)
    lines = tmp_path / "lines.txt"
    lines.write_text("".join(export_lines(book, "txt", START, 60)))
    openings = Openings(str(lines), START, seed=1, count=1)
    assert book.look_up(openings[0])


def test_of_two_books_the_deeper_search_counts(tmp_path, made_up):
    one, other, merged = (tmp_path / f"{name}.book" for name in ("one", "other", "merged"))
    build(START, one, BookPlan(plies=3, depth=3), stop=Stop())
    build(START, other, BookPlan(plies=2, depth=5), stop=Stop())
    book = merge(START.game, merged, [one, other])
    books = [Book.read(START.game, each) for each in (one, other)]
    assert set(book.entries) == set(books[0].entries) | set(books[1].entries)
    assert all(book.entries[key].depth == 5 for key in books[1].entries)
    text = merged.read_text()
    merge(START.game, merged, [other, one])
    assert merged.read_text() == text
    reverse = tmp_path / "reverse.book"
    merge(START.game, reverse, [other, one])
    assert reverse.read_text() == text


def test_what_is_no_book_is_one_line(tmp_path, capsys):
    good = next(export_lines(Book.read(START.game, "own"), "jsonl", START, 1))
    for text, says in (
        ('{"schema": "outflank/other/1"}\n', "line 1: "),
        (good + "{\n", "line 2: "),
        (good.replace('"othello"', '"chess"'), "a position of chess"),
        (good.replace('"moves": [', '"moves": [{"move": "a1", "value": 3}, '), "not a legal move"),
        ("hello\n", "expected two words"),
    ):
        path = tmp_path / "bad.jsonl"
        path.write_text(text)
        with pytest.raises(FormatError, match=says):
            read_any(START.game, path)
        status, _, err = run(capsys, "book", "merge", path, "--out", tmp_path / "a.book")
        assert status == 2
        assert err.count("\n") == 1
    assert not (tmp_path / "a.book").exists()


def test_a_book_is_exported_and_not_written_over(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    export = ("book", "export", "--book", path, "--out")
    status, out, _ = run(capsys, *export, "a.csv")
    assert (status, "csv written to a.csv" in out) == (0, True)
    assert run(capsys, *export, "a.csv")[0] == 2
    assert run(capsys, *export, "a.csv", "--force")[0] == 0
    status, _, err = run(capsys, *export, "a.xls")
    assert (status, err.count("\n")) == (2, 1)
    assert "jsonl, csv, dot, txt" in err
    status, out, _ = run(capsys, *export, "-", "--to", "txt", "--plies", "3")
    assert status == 0
    assert len(out.splitlines()) > 3
