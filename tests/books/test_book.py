"""Opening books: what a build searches, carries back and keeps."""

import contextlib
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, OthelloBoard
from outflank.books import building, move_graph
from outflank.books.book import PLAYED_OUT, Book, key_of
from outflank.books.building import BookPlan, build, searcher_of
from outflank.books.move_graph import MoveGraph, propagate_values, replies_to
from outflank.distributed.cluster import open_tasks
from outflank.errors import FormatError, OutflankError
from outflank.kernels.compiler import interpreted
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.search.request import Stop
from tests.made_up_searches import reached, steady_search

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


@pytest.mark.interpreted_only
@pytest.mark.parametrize("board", [OthelloBoard.start(), OthelloBoard.start(4)])
def test_book_values_are_carried_back(tmp_path, made_up, board):
    path = tmp_path / "a.book"
    built = build(board, path, BookPlan(plies=5, depth=3, width=2, margin=30), stop=Stop())
    assert built.searched == len(built.book.entries) > 10
    pairs = list(reached(board, Book.read(board.game, path), 5))
    assert len(pairs) > 10
    assert all(value == carried for _, value, carried in pairs)
    for entry in built.book.entries.values():
        assert list(entry.moves) == sorted(entry.moves, key=lambda move: -move[1])


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("board", "plies"), [(OthelloBoard.start(), 3), (AbaloneBoard.start(), 2)])
def test_a_book_is_deepened_and_says_what_was_done(tmp_path, made_up, board, plies):
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


@pytest.mark.interpreted_only
def test_two_builds_of_a_book_do_not_meet(tmp_path, made_up):
    path = tmp_path / "a.book"
    refused = []

    def meddle(done, known):
        with pytest.raises(OutflankError, match="another process is building this book"):
            build(START, path, BookPlan(plies=2, depth=2), stop=Stop())
        refused.append(done)

    build(START, path, BookPlan(plies=2, depth=2), stop=Stop(), progress=meddle)
    assert refused
    assert [each.name for each in tmp_path.iterdir()] == ["a.book"]


@pytest.mark.interpreted_only
def test_a_book_that_was_stopped_is_whole_and_carried_back(tmp_path, made_up):
    path, stop = tmp_path / "a.book", Stop()
    path.write_text("# mine\n")
    plan = BookPlan(plies=5, depth=3)
    built = build(START, path, plan, stop=stop, progress=lambda done, known: stop() if done == 9 else None)
    assert (built.searched, built.known) == (9, 0)  # what was waiting is not known
    found = Book.read(START.game, path)
    assert len(found.entries) == 9
    assert found.comments == ["# mine"]
    assert all(value == carried for _, value, carried in reached(START, found, 5))


@pytest.mark.interpreted_only
@pytest.mark.parametrize("plan", [BookPlan(plies=5, depth=3), BookPlan(plies=1, depth=3, positions=60)])
def test_a_book_is_the_same_however_many_search_it(tmp_path, made_up, plan):
    for workers in (1, 2):
        build(START, tmp_path / f"{workers}.book", plan, stop=Stop(), workers=workers)
    with open_tasks("inside:2", searcher_of(START.game), per_node=2) as tasks:
        build(START, tmp_path / "cluster.book", plan, stop=Stop(), tasks=tasks)
    texts = [(tmp_path / f"{name}.book").read_bytes() for name in ("1", "2", "cluster")]
    assert texts[0] == texts[1] == texts[2]
    assert texts[0].count(b"\n") > 20


@pytest.mark.compiled
def test_a_searched_book_is_the_same_with_one_worker_and_with_two(tmp_path):
    for workers in (1, 2):
        build(START, tmp_path / f"{workers}.book", BookPlan(plies=3, depth=6), stop=Stop(), workers=workers)
    assert (tmp_path / "1.book").read_bytes() == (tmp_path / "2.book").read_bytes()


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("board", "positions"), [(OthelloBoard.start(), 30), (AbaloneBoard.start(), 12)])
def test_a_book_grows_where_it_is_most_likely_left(tmp_path, made_up, board, positions):
    path = tmp_path / "a.book"
    plan = BookPlan(plies=1, depth=3, positions=positions, margin=30)
    stop = Stop()
    build(board, path, plan, stop=stop, progress=lambda done, known: stop() if done == 5 else None)
    assert len(Book.read(board.game, path).entries) < positions  # interrupted
    grown = build(board, path, plan, stop=Stop()).book
    assert len(grown.entries) == positions
    graph = MoveGraph(grown)
    led_to = {reply.key for key in grown.entries for reply in graph.replies(key).values()}
    assert set(grown.entries) - led_to <= {key_of(board)}
    again = build(board, path, plan, stop=Stop())
    assert (again.searched, again.deepened) == (0, 0)


@pytest.mark.interpreted_only
def test_a_book_without_a_margin_grows_along_its_best_line(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "search", steady_search)
    plan = BookPlan(plies=1, depth=3, positions=6, margin=0)
    book, line = build(START, tmp_path / "a.book", plan, stop=Stop()).book, START.copy()
    for _ in range(6):
        line.push(line.move(book.look_up(line)[0][0]))
    assert not book.look_up(line)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("start", [OthelloBoard.start(4), OthelloBoard.start(6), AbaloneBoard.start()])
def test_moves_lead_where_boards_say(start):
    lots = random.Random(5)
    for _ in range(6):
        board, codes, expected = start.copy(), [], []
        while not board.is_game_over and len(codes) < 20:
            move = lots.choice(board.legal_moves)
            mover = board.turn
            board.push(move)
            while not board.is_game_over and board.must_pass:
                board.push(board.legal_moves[0])
            codes.append(move.code)
            expected.append((key_of(board), 0 if not board.legal_moves else 1 if board.turn is mover else -1))
        assert replies_to(start.game, start.position, codes, along=True) == expected
        assert replies_to(start.game, start.position, [*codes[:1], 63], along=True)[1:] == [None]


def test_moves_lead_to_the_same_compiled_and_interpreted(monkeypatch):
    codes = [move.code for move in START.legal_moves]
    found = []
    for most in (0, 1 << 40):
        monkeypatch.setattr(move_graph, "POSITIONS_INTERPRETED", most)
        found.append(replies_to(START.game, START.position, codes, along=False))
    assert found[0] == found[1]
    assert len({reply.key for reply in found[0]}) == 1


def test_what_is_played_out_is_not_searched_again(tmp_path):
    board = OthelloBoard.from_line("XXXXOXXXOO-OXX-- O")
    plan = BookPlan(plies=1, depth=9)
    built = build(board, tmp_path / "a.book", plan, stop=Stop(), workers=1)
    assert [entry.depth for entry in built.book.entries.values()] == [PLAYED_OUT]
    assert build(board, tmp_path / "a.book", replace(plan, depth=20), stop=Stop(), workers=1).known == 1


@pytest.mark.interpreted_only
@pytest.mark.slow(5)
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


@pytest.mark.interpreted_only
def test_a_move_is_known_with_its_mirror_images():
    book = Book.read(START.game, "own")
    assert {str(START.move(code)) for code, _ in book.look_up(START)} == {"d3", "c4", "f5", "e6"}
    assert len({value for _, value in book.look_up(START)}) == 1
    (key,) = {key_of(START)}
    assert book.look_up(START)[0] == book.entries[key].moves[0]


@pytest.mark.compiled
@pytest.mark.parametrize("board", [OthelloBoard.start(), AbaloneBoard.start()])
def test_the_books_of_the_package_are_whole(board):
    book = Book.read(board.game, "own")
    graph = MoveGraph(book)
    assert len(book.text().encode()) < 1 << 20
    assert not propagate_values(graph, key_of(board))  # all values are those of the positions that moves lead to
    for key, entry in book.entries.items():
        assert len(graph.replies(key)) == len(entry.moves)  # all are legal
