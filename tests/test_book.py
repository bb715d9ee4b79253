"""Opening books: what a build searches, carries back and keeps."""

import contextlib
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, OthelloBoard
from outflank.errors import FormatError, OutflankError
from outflank.kernels.compiler import interpreted
from outflank.players import book_building
from outflank.players.book import PLAYED_OUT, Book, key_of
from outflank.players.book_building import BookPlan, build
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.search.contract import Stop
from outflank.search.results import MoveValue, Result

START = OthelloBoard.start()


def test_a_book_is_built_read_back_and_resumed(tmp_path):
    path, board = tmp_path / "small.book", OthelloBoard.start()
    plan = BookPlan(plies=2, depth=1 if interpreted() else 4, width=2, margin=1000)
    stop = Stop()
    whole = build(board, path, plan, stop=stop, workers=1).book
    text = path.read_text()
    assert len(whole.entries) == text.count("\n") >= 2
    assert Book.read(board.game, path).entries == whole.entries
    path.write_text(text.splitlines(keepends=True)[0] + text.splitlines()[1][:20])  # killed in the middle of a line
    again = build(board, path, plan, stop=stop, workers=1).book
    assert again.entries == whole.entries
    for move in board.legal_moves:  # four moves that are one: the book knows them all
        after = board.copy()
        after.push(move)
        known = Book.read(board.game, path).look_up(after)
        assert known
        assert all(any(legal.code == code for legal in after.legal_moves) for code, _ in known)
    computer = Computer(board.game, depth=1, book=str(path))
    assert computer.choose(board, Clock()).why == "book"


def test_a_stopped_build_keeps_what_it_has(tmp_path):
    stop = Stop()
    stop()
    assert build(START, tmp_path / "none.book", BookPlan(plies=2, depth=2), stop=stop).book.entries == {}


def made_up_search(board, limits, *, stop, moves, **_):
    """A search whose values nobody can foresee, and which differ with the depth."""
    values = {
        move: random.Random(f"{key_of(board)} {move.code} {limits.depth}").randrange(-50, 50)
        for move in board.canonical().legal_moves
    }
    ranked = sorted(values, key=lambda move: -values[move])[:moves]
    return Result(
        value=values[ranked[0]],
        move=ranked[0],
        pv=(),
        depth=limits.depth,
        nodes=0,
        leaves=0,
        seconds=0.0,
        exact=False,
        best=tuple(MoveValue(move=move, value=values[move]) for move in ranked),
    )


def reached(board, book, plies):
    """The positions that a book leads to, with the values of their moves, and those of the positions after them."""
    ply = [board.canonical()]
    for _ in range(plies):
        coming = {}
        for position in ply:
            for code, value in book.look_up(position):
                after = position.copy()
                after.push(after.move(code))
                while not after.is_game_over() and str(after.legal_moves[0]) == "pass":
                    after.push("pass")
                replies = book.look_up(after)
                if replies:
                    yield position, value, replies[0][1] if after.turn is position.turn else -replies[0][1]
                    coming[key_of(after)] = after.canonical()
        ply = list(coming.values())


@pytest.mark.plain
@pytest.mark.parametrize("board", [OthelloBoard.start(), OthelloBoard.start(4)])
def test_book_values_are_carried_back(tmp_path, monkeypatch, board):
    monkeypatch.setattr(book_building, "search", made_up_search)
    path = tmp_path / "a.book"
    built = build(board, path, BookPlan(plies=5, depth=3, width=2, margin=30), stop=Stop())
    assert built.searched == len(built.book.entries) > 10
    pairs = list(reached(board, Book.read(board.game, path), 5))
    assert len(pairs) > 10
    assert all(value == carried for _, value, carried in pairs)
    for entry in built.book.entries.values():
        assert list(entry.moves) == sorted(entry.moves, key=lambda move: -move[1])


@pytest.mark.plain
@pytest.mark.parametrize(("board", "plies"), [(OthelloBoard.start(), 3), (AbaloneBoard.start(), 2)])
def test_a_book_is_deepened_and_says_what_was_done(tmp_path, monkeypatch, board, plies):
    monkeypatch.setattr(book_building, "search", made_up_search)
    path = tmp_path / "a.book"
    plan = BookPlan(plies=plies, depth=2, width=2, margin=10)
    first = build(board, path, plan, stop=Stop())
    assert first.searched == len(first.book.entries)
    assert (first.deepened, first.known) == (0, 0)
    again = build(board, path, plan, stop=Stop())
    assert (again.searched, again.deepened) == (0, 0)
    assert again.known > 0
    assert again.book.entries == first.book.entries
    deeper = build(board, path, replace(plan, depth=4), stop=Stop())
    assert deeper.deepened > 0
    assert all(
        entry.depth == 4
        for position, _, _ in reached(board, deeper.book, plies)
        if (entry := deeper.book.entries[key_of(position)]).depth != 2
    )
    assert deeper.book.entries[key_of(board)].depth == 4
    shallower = build(board, path, plan, stop=Stop())
    assert (shallower.searched, shallower.deepened) == (0, 0)
    words = [line.split()[:2] for line in path.read_text().splitlines()]
    assert len(words) == len({tuple(each) for each in words})  # a line for each position


@pytest.mark.plain
def test_two_builds_of_a_book_do_not_meet(tmp_path, monkeypatch):
    monkeypatch.setattr(book_building, "search", made_up_search)
    path = tmp_path / "a.book"
    refused = []

    def meddle(done, known):
        with pytest.raises(OutflankError, match="another process is building this book"):
            build(START, path, BookPlan(plies=2, depth=2), stop=Stop())
        refused.append(done)

    build(START, path, BookPlan(plies=2, depth=2), stop=Stop(), told=meddle)
    assert refused
    assert [each.name for each in tmp_path.iterdir()] == ["a.book"]


@pytest.mark.plain
def test_a_book_that_was_stopped_is_whole_and_carried_back(tmp_path, monkeypatch):
    monkeypatch.setattr(book_building, "search", made_up_search)
    path, stop = tmp_path / "a.book", Stop()
    path.write_text("# mine\n")
    build(START, path, BookPlan(plies=5, depth=3), stop=stop, told=lambda done, known: stop() if done == 9 else None)
    found = Book.read(START.game, path)
    assert len(found.entries) == 9
    assert found.comments == ["# mine"]
    assert all(value == carried for _, value, carried in reached(START, found, 5))


def test_what_is_played_out_is_not_searched_again(tmp_path):
    board = OthelloBoard.from_line("XXXXOXXXOO-OXX-- O")
    plan = BookPlan(plies=1, depth=9)
    built = build(board, tmp_path / "a.book", plan, stop=Stop(), workers=1)
    assert [entry.depth for entry in built.book.entries.values()] == [PLAYED_OUT]
    assert build(board, tmp_path / "a.book", replace(plan, depth=20), stop=Stop(), workers=1).known == 1


@pytest.mark.early(3)
@given(st.text(max_size=200))
def test_a_damaged_book_is_a_clear_error(text):
    with contextlib.suppress(FormatError):
        Book.parse(START.game, text)


@pytest.mark.parametrize("board", [OthelloBoard.start(), AbaloneBoard.start()])
def test_the_books_of_the_package_know_the_start(board):
    book = Book.read(board.game, "own")
    moves = book.look_up(board)
    assert moves
    assert book.entry(board).depth > 0
    assert all(any(legal.code == code for legal in board.legal_moves) for code, _ in moves)


@pytest.mark.plain
def test_a_move_is_known_with_its_mirror_images():
    book = Book.read(START.game, "own")
    assert {str(START.move(code)) for code, _ in book.look_up(START)} == {"d3", "c4", "f5", "e6"}
    assert len({value for _, value in book.look_up(START)}) == 1
    (key,) = {key_of(START)}
    assert book.look_up(START)[0] == book.entries[key].moves[0]


@pytest.mark.plain
def test_the_values_of_the_packages_book_are_carried_back():
    book = Book.read(START.game, "own")
    pairs = list(reached(START, book, 8))
    assert len(pairs) > 50
    assert all(value == carried for _, value, carried in pairs)
