"""Indexes of games, against a slow count with boards; `outflank explore`."""

import json
import random
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from outflank import AbaloneBoard, Board, OthelloBoard
from outflank.books import game_index
from outflank.books.book import Book, key_of
from outflank.books.game_index import GameIndex, IndexBuilder, explore
from outflank.errors import FormatError, OutflankError
from outflank.formats.game_files import read_records, write_records
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.recognise import read_all
from outflank.games.rules import mirror_move
from outflank.search.request import Stop
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only

START = OthelloBoard.start()
GAMES = (
    ("f5d6c3d3c4f4", "Ada", "Bob", 12.0, "1999"),
    ("f5d6c3d3c4", "Bob", "Ada", -4.0, "2001-05-06"),
    ("d3c5f6f5", "Ada", "", 0.0, ""),
    ("f5f6e6f4", "", "", None, "1987"),
    ("f5f4e3f6", "Cyd", "Bob", 64.0, "1999"),
)
"""The third game begins as the first, mirrored."""


def records_of(games):
    return [
        replace(read_all(text)[0], black=black, white=white, score=score, date=date)
        for text, black, white, score, date in games
    ]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.wtb.ggf"
    write_records(records_of(GAMES), path)
    return path


def built(game, target, *files, plies=30):
    wrong: list[str] = []
    with IndexBuilder(game, plies, target.parent) as builder:
        for path in files:
            builder.read(path, wrong.append, lambda count: None, Stop())
        builder.write(target)
    return GameIndex(target), builder, wrong


def counted(records, plies=30):
    """The number of games by position and move, and a board of each position, by a replay of all games on boards."""
    games, boards = defaultdict(Counter), {}
    for record in records:
        board = Board.from_setup(record.start)
        seen = set()
        for code in record.setup.moves[:plies]:
            place = key_of(board), board.turn
            if place not in seen:
                boards.setdefault(place, board.copy())
                games[place][_image(boards[place], board, code)] += 1
            seen.add(place)
            board.push(board.move(code))
    return games, boards


def _image(first, board, code):
    """The smallest move on the board `first`, to which `board` is symmetric, that the move `code` is mirrored to."""
    size = len(board.symmetries())
    return min(
        int(mirror_move(board.game, code, number))
        for number in range(size)
        if board.symmetric(number).position == first.position
    )


def random_games(start, count, plies):
    """Texts of games with passes wherever they are forced."""
    rng = random.Random(1)
    for _ in range(count):
        board = start.copy()
        while len(board.moves) < plies and board.legal_moves:
            board.push(rng.choice(board.legal_moves))
        yield Record(start=start.setup(), moves=[PlayedMove(code=move.code) for move in board.moves], score=1.0)


@pytest.mark.parametrize(
    ("start", "games", "plies"),
    [(OthelloBoard.start(4), 12, 14), (AbaloneBoard.start(), 2, 6)],
    ids=["othello", "abalone"],
)
def test_an_index_has_the_counts_of_a_replay_on_boards(start, games, plies, tmp_path):
    path = tmp_path / "some.games"
    write_records(random_games(start, games, plies), path)
    index, builder, wrong = built(start.game, tmp_path / "games.index", path)
    assert (builder.games, wrong) == (games, [])
    counts, boards = counted(read_records(path))
    assert any(board.must_pass for board in boards.values()) == (plies == 14)
    for place, board in boards.items():
        explored = explore(board, [index])
        shown = {min(_image(board, board, code) for code in move.codes): move.games for move in explored.moves}
        assert shown == counts[place]
        assert explored.games == counts[place].total()


def test_a_look_up_has_results_for_the_side_to_move_and_the_latest_games(file, tmp_path):
    index, *_ = built(START.game, tmp_path / "games.index", file)
    board = OthelloBoard.from_text("f5")
    moves = {str(board.move(move.codes[0])): move for move in explore(board, [index]).moves}
    assert {name: (move.games, move.wins, move.draws, move.losses) for name, move in moves.items()} == {
        "d6": (3, 1, 1, 1),
        "f6": (1, 0, 0, 0),
        "f4": (1, 0, 0, 1),
    }
    assert moves["d6"].mean_score == pytest.approx((-12 + 4 + 0) / 3)
    assert moves["f6"].mean_score is None
    latest = explore(board, [index], most=3).latest
    assert [(game.number, game.year, game.black, game.score) for game in latest] == [
        (2, 2001, "Bob", -4.0),
        (5, 1999, "Cyd", 64.0),
        (1, 1999, "Ada", 12.0),
    ]
    assert [str(board.move(game.code)) for game in latest] == ["d6", "f4", "d6"]
    first = explore(START, [index]).moves
    assert [(move.games, len(move.codes)) for move in first] == [(5, 4)]
    twice = explore(board, [index, index])
    assert (twice.games, len(twice.moves)) == (10, 3)


def test_moves_of_the_book_are_shown_with_their_values(file, tmp_path):
    index, *_ = built(START.game, tmp_path / "games.index", file, plies=2)
    board = OthelloBoard.from_text("f5")
    d6, f6, f4 = (board.parse_move(name).code for name in ("d6", "f6", "f4"))
    first, second = key_of(board)
    key = f"{first:016x} {second:016x}"
    images = {int(code): value for code, value in ((d6, 10), (f4, -30))}
    text = f"{key} 9 " + " ".join(f"{_canonical(board, code)}:{value:+d}" for code, value in images.items())
    explored = explore(board, [index], Book.parse(START.game, text + "\n"))
    assert {move.codes[0]: move.book_value for move in explored.moves} == {d6: 10, f4: -30, f6: None}
    assert not explore(OthelloBoard.from_text("f5d6"), [index]).moves  # after the indexed moves


def _canonical(board, code):
    number = next(n for n in range(8) if board.symmetric(n).position == board.canonical().position)
    return int(mirror_move(board.game, code, number))


def test_the_same_file_is_read_once_and_other_rules_are_left_out(file, tmp_path):
    copied = tmp_path / "copied.ggf"
    copied.write_bytes(file.read_bytes())
    other = tmp_path / "other.games"
    write_records(random_games(OthelloBoard.start(4), 1, 3), other)
    index, builder, _ = built(START.game, tmp_path / "games.index", file, copied, other)
    assert (builder.games, builder.others, index.header.games) == (5, 1, 5)
    small = OthelloBoard.start(4)
    assert not index.fits(small.game)
    assert explore(small, [index]).games == 0


def test_a_position_counts_once_for_each_game(tmp_path):
    board = AbaloneBoard.start()
    for name in ("A1B2", "I9H8", "B2A1", "H8I9") * 2:
        board.push(name)
    twice = AbaloneBoard(board.game, board.positions[2], board.turn)
    assert board.positions[2] == board.positions[6]
    path = tmp_path / "some.games"
    write_records(read_all(" ".join(map(str, board.moves)), game="abalone"), path)
    index, builder, wrong = built(board.game, tmp_path / "games.index", path)
    assert (builder.moves, wrong) == (6, [])
    assert explore(twice, [index]).games == 1


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda data: b"", "it is empty"),
        (lambda data: b"(;GM[Othello])", "is not an index of games"),
        (lambda data: data[:-1], "is damaged: it has"),
        (lambda data: data + b"1", "is damaged: it has"),
        (lambda data: data.replace(b'"plies":30', b'"plies":-3'), "is damaged: plies: expected a whole number"),
        (lambda data: data.replace(b'"game":"othello"', b'"game":"othallo"'), "unknown game 'othallo'"),
    ],
)
def test_a_damaged_index_is_refused_in_one_line(damage, why, file, tmp_path):
    target = tmp_path / "games.index"
    built(START.game, target, file)
    target.write_bytes(damage(target.read_bytes()))
    with pytest.raises(OutflankError, match=why) as error:
        GameIndex(target)
    assert "\n" not in str(error.value)


def test_wrong_numbers_in_a_table_are_refused(file, tmp_path):
    target = tmp_path / "games.index"
    index, *_ = built(START.game, target, file)
    data = bytearray(target.read_bytes())
    for offset in range(len(data) - index.header.moves * game_index.MOVE_ROW.itemsize, len(data), 14):
        data[offset + 8 : offset + 12] = b"\xff\xff\xff\xff"
    target.write_bytes(data)
    with pytest.raises(FormatError, match="a move of no game"):
        explore(START, [GameIndex(target)])


def test_an_unreadable_game_is_reported_and_the_others_are_indexed(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("f5d6\nf5 no game\n")
    index, builder, wrong = built(START.game, tmp_path / "games.index", path)
    assert builder.games == index.header.games == 1
    assert len(wrong) == 1


def test_the_command_line(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    ran(["explore"], status=2)
    assert "no games are indexed yet: outflank explore index FILES" in capsys.readouterr().err
    ran(["explore", "index", str(file)])
    out = capsys.readouterr().out
    assert out.startswith(str(tmp_path / "data" / "outflank" / "games.index"))
    assert "5 games, 23 moves" in out
    ran(["explore", "index", str(file)], status=2)
    assert "exists already; --force overwrites it" in capsys.readouterr().err
    ran(["explore", "f5"])
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert out.startswith("5 games, white to move\n")
    assert ["d6", "3", "60%", "33%", "33%", "33%", "-2.7"] in [line[:7] for line in lines]
    assert ["2001", "Bob", "Ada", "-4", "d6", "2", file.name] in lines
    ran(["explore", "show", "f5d6c3", "--json", "--latest", "1"])
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["games"], document["moves"][0]["move"]) == ("outflank/explore/1", 3, "d3")
    assert [game["number"] for game in document["latest"]] == [2]
    ran(["explore", "f5d6c3", "--index", str(file)], status=2)
    assert "is not an index of games" in capsys.readouterr().err
    ran(["explore", "--game", "abalone"], status=2)
    assert "the index has games of Othello 8×8, not of Abalone" in " ".join(capsys.readouterr().err.split())
    ran(["explore", "--help"])
    assert "index" in capsys.readouterr().out


def ran(arguments, status=0):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == status
