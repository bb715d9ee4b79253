"""Whole games through every format, damaged files, and the commands that list and convert them."""

import contextlib
import io
import itertools
import json
import re
import struct
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.abalone.formats.move_text import write_move
from outflank.abalone.layouts import LAYOUTS, RULES
from outflank.abalone.layouts import start as abalone_start
from outflank.abalone.rules import AbalonePosition
from outflank.boards import Board
from outflank.errors import FormatError, OutflankError, UnknownName
from outflank.formats import fields, replay
from outflank.formats.game_files import file_formats, files_written, read_records, select_records, write_records
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.formats.selection import Selection, move_codes, opening_of
from outflank.games.sides import Side
from outflank.kernels.bits import U64
from outflank.othello.formats.transcript import MIRRORED_ASSUMED
from outflank.othello.rules import PASS, OthelloPosition
from outflank.othello.squares import START, othello, size_of, square_number
from outflank.ui.cli import main
from tests import entries
from tests.conftest import examples
from tests.drawing import SEEDS, othello_positions
from tests.walking import legal, walk

# --- games to draw ---

NAMES = st.one_of(
    st.sampled_from(["", "Tastet Marc", "a ] bracket", "back\\slash", "(;GM[2])", "Prétendants", "x: y", "#1"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=12),
)
VALUES = st.one_of(st.none(), st.integers(-64, 64), st.floats(-1e6, 1e6), st.just(1e300))
SECONDS = st.one_of(st.none(), st.floats(0, 1e5), st.just(0.25))
DATES = st.sampled_from(["", "1998", "1998-05", "1998-05-17", "2003-12-15T13:24:03", "2003-12-15T13:24:03Z"])
CLOCKS = st.sampled_from(["", "1m", "5m+3s", "1:30", "2s/move", "15:00//02:00", "0.5s"])
REASONS = st.sampled_from(["", *fields.REASONS])


def game_from(start: Setup, seed: int, plies: int, remark=dict) -> Record:
    """A random game, with its score if it is over."""
    random = np.random.default_rng(seed)
    position, moves = start.position, []
    while len(moves) < plies and (options := legal(start.game, position)):
        moves.append(PlayedMove(code=int(random.choice(options)), **remark()))
        position = entries.play(start.game, position, moves[-1].code)
    return Record(start=start, moves=tuple(moves), score=score_of(start, moves))


def score_of(start: Setup, moves) -> float | None:
    board = Board.from_setup(replace(start, moves=tuple(move.code for move in moves)))
    if legal(board.game, board.position):
        return None
    if start.game == RULES:
        return float(board.marbles(Side.BLACK) - board.marbles(Side.WHITE))
    return float(board.outcome().score)


@st.composite
def records(draw, starts, *, told=True):
    start = draw(starts)
    remark = (lambda: {"value": draw(VALUES), "seconds": draw(SECONDS)}) if told else dict
    record = game_from(start, draw(SEEDS), draw(st.integers(0, 12 if told else 70)), remark)
    fields = {"black": draw(NAMES), "white": draw(NAMES), "event": draw(NAMES), "date": draw(DATES)}
    fields |= {"clock": draw(CLOCKS), "reason": draw(REASONS)}
    score = draw(st.one_of(st.just(record.score), st.integers(-32, 32).map(lambda half: 2.0 * half)))
    return replace(record, score=score, **fields)


@st.composite
def othello_starts(draw):
    if draw(st.booleans()):
        return Setup(format="", game=othello(draw(st.sampled_from([4, 6, 8]))), position=START)
    game, position = draw(othello_positions().filter(lambda drawn: any(drawn[1])))
    return Setup(format="", game=othello(size_of(game)), position=position, turn=draw(st.sampled_from(Side)))


@st.composite
def abalone_starts(draw):
    layout = draw(st.sampled_from(sorted(LAYOUTS)))
    plies = draw(st.integers(0, 30))
    position = walk(RULES, abalone_start(layout), draw(SEEDS), plies)
    turn = draw(st.sampled_from(Side)) if plies else Side.BLACK
    ply = 2 * draw(st.integers(0, 99)) + (turn is Side.WHITE) if plies else 0
    since = draw(st.integers(0, 9)) if plies else 0
    return Setup(format="", game=RULES, position=position, turn=turn, ply=ply, since_loss=since)


NORMAL = Setup(format="", game=othello(), position=START)


def essence(record: Record, *, seconds: bool = True, names: bool = True):
    """A record as far as it must come back."""
    start = record.start
    told = (record.black, record.white, record.event, record.date, record.clock, record.reason) if names else ()
    moves = [(move.code, move.value, milliseconds(move.seconds) if seconds else None) for move in record.moves]
    return start.game, tuple(map(int, start.position)), start.turn, moves, record.score, told


def milliseconds(seconds):
    """A time as it is kept."""
    return None if seconds is None else round(seconds, 3)


def through(records, format):
    """The records after having been written and read, by content and by name of the format."""
    stream = io.BytesIO()
    assert write_records(records, stream, format=format) == len(records)
    by_content = list(read_records(io.BytesIO(stream.getvalue())))
    by_name = list(read_records(io.BytesIO(stream.getvalue()), format=format))
    assert by_content == by_name
    return by_name


# --- there and back ---


@examples(100)
@given(st.lists(records(othello_starts()), min_size=1, max_size=3))
def test_ggf_keeps_everything(games):
    assert list(map(essence, through(games, "ggf"))) == list(map(essence, games))


@examples(100)
@given(st.lists(records(othello_starts()), min_size=1, max_size=3))
def test_sgf_keeps_all_but_the_seconds(games):
    back = through(games, "sgf")
    assert [essence(game) for game in back] == [essence(game, seconds=False) for game in games]


@examples(60)
@given(st.lists(records(abalone_starts()), min_size=1, max_size=3))
def test_abalone_files_keep_everything(games):
    back = through(games, "abalone")
    assert list(map(essence, back)) == list(map(essence, games))
    for one, other in zip(back, games, strict=True):
        assert (one.start.ply, one.start.since_loss) == (other.start.ply, other.start.since_loss)


@examples(60)
@given(st.lists(records(st.just(NORMAL), told=False).filter(lambda record: record.moves), min_size=1, max_size=3))
def test_transcripts_keep_the_moves(games):
    back = through(games, "txt")
    assert [game.moves for game in back] == [game.moves for game in games]
    assert [game.score for game in back] == [score_of(NORMAL, game.moves) for game in games]


def fits_wthor(record: Record) -> bool:
    return record.score is not None and codes(record)[-1:] != [PASS]


def codes(record: Record) -> list[int]:
    return [move.code for move in record.moves]


@examples(60)
@given(
    st.lists(records(st.just(NORMAL), told=False).filter(fits_wthor), max_size=4),
    st.sampled_from([None, 22, 24]),
)
def test_wthor_keeps_what_it_can(tmp_path_factory, games, depth):
    file = tmp_path_factory.mktemp("wthor") / "games.wtb"
    latin = [
        replace(
            game,
            black=game.black.encode("latin-1", "replace").decode("latin-1")[:19],
            white=game.white.encode("latin-1", "replace").decode("latin-1")[:19],
            event=game.event.encode("latin-1", "replace").decode("latin-1"),
            date="1998",
            clock="",
            reason="",
            best=None if depth is None else -game.score,
            best_empties=depth,
        )
        for game in games
    ]
    assert write_records(latin, file) == len(games)
    assert file.stat().st_size == 16 + 68 * len(games)
    back = list(read_records(file))
    assert list(map(essence, back)) == list(map(essence, latin))
    assert [(game.best, game.best_empties) for game in back] == [(game.best, game.best_empties) for game in latin]
    twin = file.with_name("twin.wtb")
    write_records(back, twin)
    for one, other in zip(files_written(file), files_written(twin), strict=True):
        assert one.read_bytes() == other.read_bytes()


@examples(60)
@given(st.lists(othello_positions(), min_size=1, max_size=3), st.sampled_from(Side))
def test_obf_keeps_positions_and_scores(drawn, turn):
    games = []
    for game, position in drawn:
        scores = {move: move % 7 - 3 for move in legal(game, position)}
        game = othello(size_of(game))
        games.append(Record(start=Setup(format="", game=game, position=position, turn=turn, scores=scores)))
    back = through(games, "obf")
    assert list(map(essence, back)) == list(map(essence, games))
    assert [record.start.scores for record in back] == [record.start.scores for record in games]


@pytest.mark.parametrize("seed", range(3))
def test_a_replay_to_the_end_has_blacks_score(seed):
    game = game_from(NORMAL, seed, 200)
    assert game.score
    for turn, sign in ((Side.BLACK, 1), (Side.WHITE, -1)):
        found = replay.replay(NORMAL.game, NORMAL.position, turn, replay.column(move.code for move in game.moves))
        assert (found.rows, found.finished, found.score) == (len(game.moves), True, sign * game.score)


def test_a_replay_to_the_end_of_abalone_counts_marbles():
    own, opp = map(int, abalone_start())
    for _ in range(RULES.goal):
        own &= own - 1  # without its lowest marble
    found = replay.replay(RULES, AbalonePosition(U64(own), U64(opp)), Side.BLACK, replay.column(()))
    assert (found.finished, found.score) == (True, -RULES.goal)


@pytest.mark.interpreted_only
def test_the_first_moves_of_a_process_are_interpreted(monkeypatch):
    monkeypatch.setattr(replay, "_moves_begun", 0)
    assert [replay._is_interpreted(moves) for moves in (2999, 2999, 0)] == [True, True, False]


@pytest.mark.compiled
@pytest.mark.parametrize("start", [NORMAL, Setup(format="", game=RULES, position=abalone_start())])
def test_compiled_and_interpreted_replays_agree(start, monkeypatch):
    games = [game_from(start, seed, 200) for seed in range(12)]
    format = "ggf" if start is NORMAL else "abalone"
    found = []
    for interpreted in (0, 10**9):
        monkeypatch.setattr(replay, "MOVES_INTERPRETED", interpreted)
        found.append(list(map(essence, through(games, format))))
    assert found[0] == found[1] == list(map(essence, games))


# --- files as others write them ---

GGS = (
    b"2 (;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RB[2197.01]RW[2199.72]"
    b"TI[05:00//02:00]TY[8]RE[-58.00:r]BO[8 ---------------------------O*------*O--------------------------- *]"
    b"B[d3//0.01]W[c5]B[D6/-2.00/1:03];)\r\n"
    b"(;GM[Othello]PC[NBoard]DT[1071519843]PB[J\xf6rg]PW[b]TI[15:00]RE[?]TY[8]"
    b"BO[8 ---------------------------O*------*O--------------------------- *]B[f5/nonsense]W[f6];)"
)


def test_what_the_games_server_writes():
    one, other = read_records(io.BytesIO(GGS))
    assert (one.black, one.white, one.event, one.date) == ("Saio1200", "Saio3000", "GGS/os", "2003-12-15T13:24:03")
    assert (one.score, one.reason, one.clock) == (-58.0, "resigned", "05:00//02:00")
    assert [(move.value, move.seconds) for move in one.moves] == [(None, 0.01), (None, None), (-2.0, 63.0)]
    assert (other.black, other.date, other.score, other.clock) == ("Jörg", "2003-12-15T20:24:03Z", None, "15m")


def test_what_sgf_says_of_results():
    texts = ["B+4", "W+2.5", "0", "Draw", "B+R", "W+Time", "Void", ""]
    file = "\n".join(f"(;GM[2]RE[{text}]TM[60]OT[fischer];B[f5](;W[d6])(;W[f6]))" for text in texts)
    found = list(read_records(io.BytesIO(file.encode())))
    assert [record.score for record in found] == [4.0, -2.5, 0.0, 0.0, None, None, None, None]
    assert [record.reason for record in found][4:6] == ["resigned", "time"]
    assert found[0].clock == "60 fischer"
    assert all(len(record.moves) == 2 for record in found)


def test_transcripts_with_comments_numbers_and_passes():
    text = "# a list\n\nf5d6c3 # good\n 1. F5 2. f6 % bad\n; nothing\nc4c3\n"
    assert [len(record.moves) for record in read_records(io.BytesIO(text.encode()))] == [3, 2, 2]


def test_a_pass_at_the_end_of_a_transcript_is_kept():
    game = next(game for seed in itertools.count() if PASS in codes(game := game_from(NORMAL, seed, 99)))
    end = codes(game).index(PASS) + 1
    (back,) = through([replace(game, moves=game.moves[:end])], "txt")
    assert codes(back) == codes(game)[:end]


def test_abalone_files_with_what_people_put_in_them():
    text = """
# two games
Game: Abalone
Black: A: the first
handicap: none
start: Belgian-Daisy
1. a1b2 {+1.5 0.25s} i5h5{a comment}
2) A2B3

1... I5H5
"""
    with pytest.raises(FormatError, match=r"game 2, line 10: .*I5 holds no marble"):
        list(read_records(io.BytesIO(text.encode())))
    first = next(read_records(io.BytesIO(text.encode())))
    assert (first.black, first.start.position) == ("A: the first", abalone_start("belgian-daisy"))
    assert [(move.value, move.seconds) for move in first.moves] == [(1.5, 0.25), (None, None), (None, None)]
    assert [write_move(move.code) for move in first.moves] == ["A1B2", "I5H5", "A2B3"]
    bare = next(read_records(io.BytesIO(b"A1B2 I5H5"), format="abalone"))
    assert bare.start.position == abalone_start()


# --- WTHOR, byte by byte ---

GAME_A = "f5d6c3d3c4f4c5b3c2b4e3e6c6f6a5a4b5a6d7c7e7f7d8e8"


def wthor_moves(text: str) -> bytes:
    squares = (text[place : place + 2] for place in range(0, len(text), 2))
    return bytes(10 * int(name[1]) + "abcdefgh".index(name[0]) + 1 for name in squares).ljust(60, b"\0")


def wthor_header(games=0, names=0, year=0, size=8, depth=24) -> bytes:
    return struct.pack("<4BIHH4B", 20, 7, 5, 22, games, names, year, size, 0, depth, 0)


def wthor_game(moves: str, *, event=1, black=2, white=1, discs=34, best=41) -> bytes:
    return struct.pack("<HHHBB", event, black, white, discs, best) + wthor_moves(moves)


def names_file(width: int, *names: str) -> bytes:
    return wthor_header(names=len(names), size=0) + b"".join(
        name.encode("latin-1").ljust(width, b"\0") for name in names
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "WTHOR.JOU").write_bytes(names_file(20, "???", "Tastet Marc", "Penloup Dominique"))
    (tmp_path / "WTHOR.TRN").write_bytes(names_file(26, "Diverses parties", "Prétendants (France)"))
    games = [wthor_game(GAME_A), wthor_game("f5f6", white=9, event=0, discs=0, best=64), wthor_game("", black=0)]
    (tmp_path / "WTH_1977.wtb").write_bytes(wthor_header(len(games), year=1977) + b"".join(games))
    return tmp_path


def test_wthor_is_read_as_it_is_described(folder):
    first, second, third = read_records(folder / "WTH_1977.wtb")
    assert (first.black, first.white) == ("Penloup Dominique", "Tastet Marc")
    assert (first.event, first.date, first.score) == ("Prétendants (France)", "1977", 4.0)
    assert (first.best, first.best_empties) == (18.0, 24)
    assert [move.code for move in first.moves][:3] == [square_number(8, name) for name in ("f5", "d6", "c3")]
    assert (second.white, second.event, second.score, second.best) == ("", "Diverses parties", -64.0, 64.0)
    assert (third.black, len(third.moves)) == ("???", 0)
    assert first.moves[0] == first.moves[:1][0] == PlayedMove(code=37)
    assert first == replace(first, moves=tuple(first.moves))
    assert hash(first.moves) == hash(tuple(first.moves))
    assert Board.from_setup(first.setup).ply == len(first.moves)


def test_wthor_passes_are_put_in(folder):
    game = next(game for seed in itertools.count() if PASS in codes(game := game_from(NORMAL, seed, 99)))
    text = "".join(str(Board.from_setup(NORMAL).move(code)) for code in codes(game) if code != PASS)
    (folder / "a.wtb").write_bytes(wthor_header(1) + wthor_game(text))
    assert codes(next(read_records(folder / "a.wtb"))) == codes(game)


def test_names_are_those_of_the_same_name_or_of_wthor_or_the_only_ones(folder):
    file = folder / "WTH_1977.wtb"
    (folder / "other.jou").write_bytes(names_file(20, "", "x", "y"))
    assert next(read_records(file)).black == "Penloup Dominique"
    (folder / "wth_1977.Jou").write_bytes(names_file(20, "", "one", "other"))
    assert next(read_records(file)).black == "other"
    (folder / "wth_1977.Jou").unlink()
    (folder / "WTHOR.JOU").unlink()
    assert next(read_records(file)).black == "y"
    (folder / "third.jou").write_bytes(names_file(20, "", "z", "z"))
    assert next(read_records(file)).black == ""
    assert next(read_records(io.BytesIO(file.read_bytes()))).event == ""


@pytest.mark.parametrize("damage", [b"", b"x", names_file(20, "a", "b")[:-1], names_file(20, "a") + b"x"])
def test_damaged_names_are_told(folder, damage):
    (folder / "WTHOR.JOU").write_bytes(damage)
    with pytest.raises(FormatError, match=r"WTHOR.JOU: "):
        next(read_records(folder / "WTH_1977.wtb"))


@pytest.mark.interpreted_only
def test_wthor_cut_short_anywhere_gives_the_games_before(folder):
    data = (folder / "WTH_1977.wtb").read_bytes()
    for length in range(len(data)):
        found, error = all_before_the_error(data[:length], "wtb")
        assert len(found) == max(length - 16, 0) // 68
        assert ("header has 16 bytes" if length < 16 else f"game {len(found) + 1} (byte ") in error
    found, error = all_before_the_error(data + b"\0", "wtb")
    assert (len(found), "WTHOR, game 4 (byte 220): more bytes" in error) == (3, True)


def all_before_the_error(data: bytes, format: str | None = None) -> tuple[list[Record], str]:
    found: list[Record] = []
    with pytest.raises(FormatError) as raised:
        found.extend(read_records(io.BytesIO(data), format=format))
    assert "\n" not in str(raised.value)
    return found, str(raised.value)


@pytest.mark.parametrize(
    ("data", "games", "message"),
    [
        (wthor_header(2) + wthor_game("f5") + wthor_game("f5").replace(b"\x38", b"\x59"), 1, "game 2 .*: move 1 is 89"),
        (wthor_header(2) + wthor_game("f5") * 2 + b"more", 2, "header says 2 games"),
        (wthor_header(1) + wthor_game("f5", discs=65), 0, "discs are 65"),
        (wthor_header(1) + wthor_game("f5")[:-1] + b"\x0b", 0, "a move after the last, which is number 1"),
        (wthor_header(1, size=10) + wthor_game("f5"), 0, "10×10"),
        (wthor_header(10**9) + wthor_game("f5"), 1, "game 2 .*ends here"),
        (names_file(20, "one"), 0, "this file holds 1 names"),
    ],
)
def test_damage_to_wthor_is_told_with_its_place(data, games, message):
    found, error = all_before_the_error(data)
    assert len(found) == games
    assert re.search(message, error), error


def test_a_wrong_move_is_told_when_it_is_looked_at():
    first, second = read_records(io.BytesIO(wthor_header(2) + wthor_game("f5") + wthor_game("f5d6a1")))
    assert len(first.moves) == 1
    assert move_codes(second) == bytes(square_number(8, name) for name in ("f5", "d6", "a1"))
    with pytest.raises(FormatError, match=r"WTHOR, game 2 \(byte 84\): move 3, a1, is not legal"):
        len(second.moves)


def test_long_names_are_cut_and_stay_apart(tmp_path):
    names = ["a program with a long name, level 1", "a program with a long name, level 2", "日本 太郎"]
    games = [replace(game_from(NORMAL, 1, 3), score=2.0, black=name, white=name) for name in names]
    write_records(games, tmp_path / "a.wtb")
    back = [record.black for record in read_records(tmp_path / "a.wtb")]
    assert back == ["a program with a lo", "a program with a ~2", "?? ??"]


# --- damage to text, and streams without an end ---


@pytest.mark.parametrize(
    ("text", "format", "games", "place"),
    [
        ("(;GM[2];B[f5])\n\n(;GM[2];B[f5];W[f5])", None, 1, r"game 2 (line 3): SGF, column 17: move 2, f5"),
        ("(;GM[2];B[f5])\n(;GM[2];B[f5", None, 1, "game 2 (line 2): the file ends before"),
        ("(;GM[2];B[f5])\n(;GM[2]", None, 1, "game 2 (line 2): the file ends before"),
        ("(;GM[2];B[f5])\ngarbage", None, 1, "game 2 (line 2): expected (; at its start, found 'garbage'"),
        ("(;GM[2];B[f5])(;GM[1];B[aa])", None, 1, "game 2 (line 1): SGF"),
        ("(;GM[2];B[f5];B[f6])", None, 0, "is black's, but white is to move"),
        ("(;GM[Othello]PB[a]B[F5];)", None, 0, "game 1 (line 1): GGF"),
        ("f5d6\nf5f5\nf5", None, 1, "game 2 (line 2): transcript, column 3: move 2, f5"),
        ("f5d6\n\0\0\0", None, 1, "game 2 (line 2): transcript"),
        ("A1B2\n", "txt", 0, "game 1 (line 1): transcript"),
        (f"{'-' * 64} X\n{'-' * 63} X", None, 1, "position 2 (line 2): board line"),
        ("black: a\nA1B2\n\nblack: b\nA1B2\nwhite: c", None, 1, "game 2, line 6: a header after moves"),
        ("start: nowhere\nA1B2", None, 0, "game 1, line 1: unknown layout 'nowhere'"),
        ("start: 5/6\nA1B2", None, 0, "game 1, line 1: Abalone line"),
        ("game: chess\n", None, 0, "game 1, line 1: unknown game 'chess'"),
        ("black: a\nA1B2 ?", None, 0, "game 1, line 2: Abalone game, column 6: expected a move"),
        ("black: a\nA1B2 {1", None, 0, "game 1, line 2: Abalone game, column 6"),
        ("black: a\nA1B2\nA1B2", None, 0, "game 1, line 3: Abalone game, move 2: 'A1B2' is not a legal move"),
        ("black: a\nA1B2B3B4", None, 0, "game 1, line 2: Abalone game, column 1"),
        ("", None, 0, "nothing to read"),
        ("?", None, 0, "not recognised"),
        ("\0" * 40, None, 0, "not recognised"),
        ("\0" * 40, "wtb", 0, "WTHOR, byte 2: expected a month and a day"),
    ],
)
def test_damage_to_text_is_told_with_its_place(text, format, games, place):
    found, error = all_before_the_error(text.encode(), format)
    assert len(found) == games
    assert place in error


class Endless(io.RawIOBase):
    """The same bytes for ever, and how many were asked for."""

    def __init__(self, head: bytes, again: bytes) -> None:
        self.given, self._data, self._again = 0, head, again

    def read(self, size=-1):
        while len(self._data) < size:
            self._data += self._again
        data, self._data = self._data[:size], self._data[size:]
        self.given += size
        return data

    def readline(self, size=-1):
        raise AssertionError("a stream that was looked into is wrapped")


@pytest.mark.parametrize(
    ("head", "again"),
    [(b"", b"(;GM[2];B[f5])\n"), (b"", b"f5d6\n"), (b"", b"black: x\nA1B2\n\n"), (b"", b"-----XO--OX----- X\n")],
)
def test_streams_are_read_as_they_come(head, again):
    stream = Endless(head, again)
    assert len(list(itertools.islice(read_records(stream), 50))) == 50
    assert stream.given < 1 << 17


def test_a_million_games_are_not_read_to_see_the_first():
    stream = Endless(wthor_header(4_000_000_000), wthor_game("f5d6"))
    assert len(list(itertools.islice(read_records(stream), 50))) == 50
    assert stream.given < 1 << 20


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("head", "again"),
    [
        (b"(;GM[2]C[", b"x" * 4096),
        (b"(;GM[2]", b";" * 4096),
        (b"f5", b"f6" * 4096),
        (b"black: x\n", b"A1B2 " * 4096),
        (b"black: x\n", b"A1B2\n" * 4096),
        (b"-----XO--OX----- X;", b" " * 4096),
    ],
)
def test_games_without_an_end_are_refused(head, again):
    stream = Endless(head, again)
    with pytest.raises(FormatError, match="MiB"):
        list(read_records(stream))
    assert stream.given < 1 << 22


PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            wthor_header(3, year=1998),
            wthor_game(GAME_A),
            GGS,
            b"(;GM[2]AB[a1]AW[b1]PL[W]RE[B+R]V[1];B[c1]V[-3];W[])",
            b"(;FF[4]GM[2]",
            b"f5d6c3\n",
            b"--\n",
            b"-----XO--OX----- X; a1:+3\n",
            b"black: x\nstart: star\n1. A1B2 {+1 0.2s}\n\n",
            b"start: sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS 0 0 w 3 9\nscore: 9\n",
            b"\xff\xfe\0",
        ]
    ),
)


@examples(600)
@given(st.lists(PIECES, max_size=5).map(b"".join), st.sampled_from([None, *file_formats()]))
def test_arbitrary_bytes(data, format):
    with contextlib.suppress(FormatError):
        for record in read_records(io.BytesIO(data), format=format):
            assert isinstance(record.setup, Setup)


@examples(300)
@given(st.sampled_from(["ggf", "sgf", "abalone", "txt", "wtb"]), st.integers(0, 10**6), st.integers(0, 255))
def test_files_with_one_byte_wrong(format, place, byte):
    data = bytearray(sound_files()[format])
    data[place % len(data)] = byte
    with contextlib.suppress(FormatError):
        for record in read_records(io.BytesIO(bytes(data)), format=format):
            len(record.moves)


@cache  # not made while tests are collected: every process would compile the rules for it
def sound_files() -> dict[str, bytes]:
    files = {"wtb": wthor_header(2) + wthor_game(GAME_A) + wthor_game("f5d6")}
    abalone = Setup(format="", game=RULES, position=abalone_start("star"))
    for format, start in (("ggf", NORMAL), ("sgf", NORMAL), ("txt", NORMAL), ("abalone", abalone)):
        stream = io.BytesIO()
        write_records(
            [replace(game_from(start, seed, 6), black="x", date="1998") for seed in (1, 2)], stream, format=format
        )
        files[format] = stream.getvalue()
    return files


# --- what formats cannot hold, and files that are written ---

SMALL = Record(start=Setup(format="", game=othello(6), position=START), score=2.0)
ABALONE = Record(start=Setup(format="", game=RULES, position=abalone_start()), score=2.0)
ELSEWHERE = Record(start=replace(NORMAL, turn=Side.WHITE), score=2.0)
MOVES = tuple(PlayedMove(code=square_number(8, name)) for name in ("f5", "d6", "c3", "d3"))
PLAYED = Record(start=NORMAL, moves=MOVES, score=2.0, date="1998")
EMPTY = Record(start=replace(NORMAL, position=OthelloPosition(U64(0), U64(0))))


@pytest.mark.parametrize(
    ("suffix", "records", "message"),
    [
        *(
            (suffix, [ABALONE], "of Othello, not of Abalone: .abalone files do")
            for suffix in file_formats()
            if suffix not in (".abalone", ".pgn", ".games")
        ),
        (".abalone", [SMALL], "of Abalone, not of Othello"),
        (".abalone", [Record(start=replace(ABALONE.start, game=RULES._replace(goal=3)))], "fourteen marbles"),
        (".wtb", [SMALL], "start of the 8×8 board"),
        (".wtb", [ELSEWHERE], "start of the 8×8 board"),
        (".wtb", [replace(PLAYED, score=None)], "whose score is known"),
        (".wtb", [replace(PLAYED, score=3.0)], r"score of \+3"),
        (".wtb", [replace(PLAYED, best=70.0)], r"score of \+70"),
        (".wtb", [PLAYED, replace(PLAYED, date="1999-01-01")], "game 2: WTHOR holds games of one year: 1998, not 1999"),
        (".wtb", [PLAYED, replace(PLAYED, best=2.0)], "game 2: WTHOR holds theoretical scores of one depth: none"),
        (".txt", [SMALL], "start of the 8×8 board"),
        (".txt", [PLAYED, replace(PLAYED, moves=())], "game 2: a transcript holds games of one move or more"),
        (".obf", [PLAYED], "OBF holds positions"),
        (".sgf", [EMPTY], "without discs"),
        (".ggf", [Record(start=replace(NORMAL, game=NORMAL.game._replace(mask=U64(7))))], "4×4, 6×6 and 8×8"),
    ],
)
def test_a_game_that_does_not_fit_is_one_clear_error(tmp_path, suffix, records, message):
    file = tmp_path / f"games{suffix}"
    with pytest.raises(FormatError, match=message) as raised:
        write_records(records, file)
    assert str(raised.value).startswith(f"game {len(records)}: ") == (len(records) > 1), "one alone needs no number"
    # What came before is there, whole; without anything before, there is nothing.
    assert len(list(read_records(file)) if len(records) > 1 else list(tmp_path.iterdir())) == len(records) - 1


def test_files_take_their_place_when_they_are_whole(tmp_path):
    file = tmp_path / "games.ggf"
    write_records([PLAYED], file)

    def crossed():
        yield PLAYED
        assert len(list(read_records(file))) == 1
        yield PLAYED
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_records(crossed(), file)
    assert len(list(read_records(file))) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.ggf"]
    assert write_records(itertools.chain(read_records(file), read_records(file)), file) == 2
    assert len(list(read_records(file))) == 2
    assert write_records([], tmp_path / "none.wtb") == 0
    assert list(read_records(tmp_path / "none.wtb")) == []


def test_formats_are_asked_for_by_name():
    with pytest.raises(UnknownName, match="did you mean 'ggf'"):
        write_records([], io.BytesIO(), format="ggff")
    with pytest.raises(UnknownName, match="known: ggf, sgf, wtb"):
        list(read_records(io.BytesIO(), format="pdn"))
    with pytest.raises(FormatError, match=r"'a.pdn' does not end in a known format: .ggf .sgf"):
        write_records([], "a.pdn")
    with pytest.raises(FormatError, match="PGN is read and not written"):
        write_records([], "a.pgn")
    with pytest.raises(FormatError, match="must be given"):
        write_records([], io.BytesIO())
    with pytest.raises(FormatError, match="3 files"):
        write_records([], io.BytesIO(), format="wtb")


def test_the_content_comes_before_the_name(tmp_path):
    (tmp_path / "a.obf").write_bytes(GGS)
    assert len(list(read_records(tmp_path / "a.obf"))) == 2
    (tmp_path / "a.sgf").write_bytes(b"")
    assert list(read_records(str(tmp_path / "a.sgf"))) == []
    (tmp_path / "a.abalone").write_bytes(b"A1B2")
    assert next(read_records(tmp_path / "a.abalone")).start.game == RULES


# --- choosing games ---

SELECTIONS = [
    Selection(),
    Selection(number=2),
    Selection(player="TASTET"),
    Selection(player="nobody"),
    Selection(event="prét"),
    Selection(years=(1970, 1977)),
    Selection(years=(1978, 9999)),
    Selection(min_score=4),
    Selection(min_score=4.5),
    Selection(opening=opening_of("f5d6")),
    Selection(opening=opening_of("c4e3")),
    Selection(opening=opening_of("f5"), player="marc", number=1),
    Selection(opening=opening_of("A1B2")),
]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_whole_pieces_are_chosen_from_as_single_games_are(folder, selection):
    file = folder / "WTH_1977.wtb"
    everything = list(enumerate(read_records(file), 1))
    wanted = [(number, record) for number, record in everything if selection.matches(number, record)]
    assert list(select_records(file, selection)) == wanted
    write_records((record for _, record in everything), folder / "a.ggf")
    assert [number for number, _ in select_records(folder / "a.ggf", selection)] == [number for number, _ in wanted]


def test_openings_are_the_same_however_the_board_is_turned():
    for text in ("f5d6c3", "d3c5f6", "c4e3f6", "e6f4c3"):
        record = next(read_records(io.BytesIO(text.encode())))
        assert opening_of("f5d6c3").begins(record)
        assert not opening_of("f5f6").begins(record)
        assert not opening_of("f5d6c3d3").begins(record)
    abalone = next(read_records(io.BytesIO(b"A1B2 I5H5"), format="abalone"))
    assert opening_of("a1b2").begins(abalone)
    assert not opening_of("a1b2 i5h5 a2b3").begins(abalone)
    with pytest.raises(OutflankError, match="not legal"):
        opening_of("f5f5")


# --- the commands ---


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*arguments, stdin: bytes = b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


def test_convert_there_and_back(run, folder):
    games = folder / "WTH_1977.wtb"
    for one, other in (("WTH_1977.wtb", "a.ggf"), ("a.ggf", "b.sgf"), ("b.sgf", "c.wtb")):
        assert run("convert", folder / one, folder / other) == (0, f"3 games written to {folder / other}\n", "")
    assert {file.name for file in folder.glob("c.*")} == {"c.wtb", "c.jou", "c.trn"}
    back = [replace(record, best=None, best_empties=None) for record in read_records(games)]
    assert list(map(essence, read_records(folder / "c.wtb"))) == list(map(essence, back))


def test_convert_between_standard_streams(run, folder):
    status, out, err = run("convert", "-", "-", "--to", "txt", stdin=b"(;GM[2];B[f5];W[d6])(;GM[2];B[c4])")
    assert (status, out, err) == (0, "f5d6\nc4\n", "2 games written to standard output\n")
    assert run("convert", "-", "-", "--from", "txt", "--to", "ggf", stdin=b"f5")[1].startswith("(;GM[Othello]")
    assert "--to" in run("convert", "-", "-")[2]
    assert "3 files" in run("convert", "-", "-", "--to", "wtb", stdin=b"f5")[2]


def test_convert_overwrites_only_by_force(run, folder):
    games, target = folder / "WTH_1977.wtb", folder / "a.wtb"
    (folder / "a.jou").write_bytes(b"precious")
    status, out, err = run("convert", games, target)
    assert (status, out) == (2, "")
    assert "a.jou exists already; --force" in err
    assert (folder / "a.jou").read_bytes() == b"precious"
    assert not target.exists()
    assert run("convert", games, target, "--force")[0] == 0
    assert run("convert", games, games)[0] == 2
    assert run("convert", target, target, "--force")[0] == 0
    assert len(list(read_records(target))) == 3


def test_convert_writes_what_comes_before_the_damage(run, folder):
    (folder / "cut.wtb").write_bytes((folder / "WTH_1977.wtb").read_bytes()[:-3])
    for name in ("a.ggf", "a.wtb"):
        status, out, err = run("convert", folder / "cut.wtb", folder / name)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert "cut.wtb: WTHOR, game 3 (byte 152): the file ends here" in err
        assert f"written before that to {folder / name}: 2 games" in err
        assert len(list(read_records(folder / name))) == 2
    illegal = wthor_header(2) + wthor_game("f5") + wthor_game("f5f5")
    status, out, err = run("convert", "-", folder / "b.txt", stdin=illegal)
    assert (status, "move 2, f5, is not legal" in err) == (2, True)
    assert (folder / "b.txt").read_text() == "f5\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "nowhere.ggf", "x.sgf"], "'nowhere.ggf': No such file"),
        (["convert", "-", "x.pgn"], "PGN is read and not written"),
        (["convert", "-", "x.pdn"], "'x.pdn' does not end in a known format"),
        (["convert", "-", "x.ggf", "--from", "pdn"], "--from"),
        (["convert", "-", "no/such/folder/x.ggf"], "x.ggf: cannot write: there is no folder no/such/folder"),
        (["games", "nowhere.ggf"], "'nowhere.ggf': No such file"),
        (["games", "-", "--year", "x"], "--year x: expected a year"),
        (["games", "-", "--opening", "f5f5"], "not legal"),
        (["games", "-", "--number", "0"], "--number"),
        (["games", "-", "--number", "9"], "no game number 9"),
    ],
)
def test_bad_wishes_get_one_line(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*arguments, stdin=b"(;GM[2];B[f5])")
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_games_are_listed(run, folder):
    status, out, err = run("games", folder / "WTH_1977.wtb")
    lines = out.splitlines()
    assert (status, err, len(lines)) == (0, "", 4)
    assert lines[0].split() == ["number", "date", "event", "black", "white", "score", "moves", "opening"]
    assert lines[1].split(maxsplit=1)[0] == "1"
    for part in (
        "1977",
        "Prétendants (France)",
        "Penloup Dominique",
        "Tastet Marc",
        " +4 ",
        " 24 ",
        "f5d6c3d3c4f4c5b3",
    ):
        assert part in lines[1]
    assert "\x1b" not in run("games", "-", stdin=b"(;GM[2]PB[\x1b\\[31mred];B[f5])")[1]


@pytest.mark.parametrize(
    ("wishes", "numbers"),
    [
        ([], [1, 2, 3]),
        (["--limit", "2"], [1, 2]),
        (["--limit", "0"], []),
        (["--player", "penloup"], [1, 2]),
        (["--event", "prétendants"], [1, 3]),
        (["--year", "1977"], [1, 2, 3]),
        (["--year", "1970-1980"], [1, 2, 3]),
        (["--year", "1978-"], []),
        (["--year", "-1977"], [1, 2, 3]),
        (["--opening", "f5d6"], [1]),
        (["--opening", "d3"], [1, 2]),
        (["--min-score", "0"], [1, 3]),
        (["--player", "penloup", "--min-score", "0"], [1]),
        (["--number", "2"], [2]),
    ],
)
def test_games_are_filtered(run, folder, wishes, numbers):
    status, out, err = run("games", folder / "WTH_1977.wtb", "--json", *wishes)
    found = [json.loads(line) for line in out.splitlines()]
    none = not numbers and "--limit" not in wishes
    assert (status, err) == ((1, f"outflank: {folder / 'WTH_1977.wtb'}: no such game\n") if none else (0, ""))
    assert [game["number"] for game in found] == numbers
    assert all(game["schema"] == "outflank/games/1" for game in found)
    assert all(("moves" in game) == ("--number" in wishes) for game in found)


def test_one_game_is_shown_as_its_moves(run, folder):
    assert run("games", folder / "WTH_1977.wtb", "--number", "1") == (0, GAME_A + "\n", "")
    assert run("games", "-", "--number", "1", stdin=b"start: star\nA1B2")[0] == 2
    assert run("games", "-", "--number", "2", stdin=b"black: x\n\nblack: y\na1b2 i5h5\n")[1] == "A1B2 I5H5\n"


def test_a_damaged_file_is_listed_as_far_as_it_goes(run, folder):
    status, out, err = run("games", "-", stdin=(folder / "WTH_1977.wtb").read_bytes()[:-1])
    assert (status, len(out.splitlines())) == (2, 3)
    assert err == ("outflank: standard input: WTHOR, game 3 (byte 152): the file ends here, its header says 3 games\n")


# --- many files, and their marks ---


@pytest.mark.interpreted_only
@pytest.mark.parametrize("format", ["ggf", "abalone"])
def test_times_are_kept_to_the_millisecond(format):
    position, rules = (abalone_start(), RULES) if format == "abalone" else (START, othello())
    board = Board.from_setup(Setup(format="", game=rules, position=position))
    moves = (PlayedMove(code=board.legal_moves[0].code, seconds=0.12345678901),)
    stream = io.BytesIO()
    write_records([Record(start=Setup(format="", game=rules, position=position), moves=moves)], stream, format=format)
    assert b"0.123" in stream.getvalue()
    assert b"0.1234" not in stream.getvalue()


@pytest.mark.interpreted_only
def test_many_files_are_merged_and_listed_together(run, tmp_path):
    one, other, third = tmp_path / "one.txt", tmp_path / "other.ggf", tmp_path / "third.txt"
    one.write_text("f5d6\nf5f6\n")
    third.write_text("e3f3\n")
    assert run("convert", one, other)[0] == 0
    status, out, err = run("convert", one, other, third, tmp_path / "all.txt")
    assert (status, out) == (0, f"5 games written to {tmp_path / 'all.txt'}\n")
    assert err == f"{third}, game 1: assumed: {MIRRORED_ASSUMED}\n"
    assert (tmp_path / "all.txt").read_text() == "f5d6\nf5f6\nf5d6\nf5f6\nd3c3\n"
    status, out, _ = run("games", one, other, "--opening", "f5f6")
    assert status == 0
    assert [(line.split()[0], line.split()[-1]) for line in out.splitlines()[1:]] == [
        ("2", str(one)),
        ("2", str(other)),
    ]
    rows = [json.loads(line) for line in run("games", one, other, "--json", "--limit", "3")[1].splitlines()]
    assert [(row["file"], row["number"]) for row in rows] == [(str(one), 1), (str(one), 2), (str(other), 1)]
    assert "of which of the 2 files" in run("games", one, other, "--number", "1")[2]
    assert run("convert", one)[0] == 2
    assert "No such file" in run("convert", one, "nowhere.txt", tmp_path / "some.txt")[2]
    assert (tmp_path / "some.txt").read_text() == "f5d6\nf5f6\n"  # what came before


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    "content", ["f5d6c3", "(;GM[2];B[f5];W[d6];B[c3])", "game: abalone\nA1B2 I5H5 A2B3", "-" * 64 + " X"]
)
def test_a_byte_order_mark_is_passed_over(run, tmp_path, content):
    marked, bare = tmp_path / "marked", tmp_path / "bare"
    marked.write_bytes(b"\xef\xbb\xbf" + content.encode())
    bare.write_bytes(content.encode())
    assert list(read_records(marked)) == list(read_records(bare))
    shown = run("show", "--file", bare)
    assert shown[0] == 0
    assert run("show", "--file", marked) == shown
    marked.write_bytes(content.encode("utf-16"))
    assert run("show", "--file", marked) == shown


PGN = """[Event "?"]
[Site "PlayOK"]
[Date "2020.05.05"]
[Black "one"]
[White "other"]
[Result "38-26"]
[TimeControl "300"]

1. f5 d6 2. c3 d3
38-26

[Event "Club [3]"]
[Date "1998.??.??"]
[Result "1-0"]
1. F5 F6
"""


@pytest.mark.interpreted_only
def test_games_with_headers_are_read(run, tmp_path):
    file = tmp_path / "games.pgn"
    file.write_text(PGN)
    one, other = read_records(file)
    assert (one.black, one.white, one.event, one.date) == ("one", "other", "PlayOK", "2020-05-05")
    assert (one.score, one.clock, len(one.moves)) == (12.0, "5m", 4)
    assert (other.event, other.date, other.score, len(other.moves)) == ("Club [3]", "1998", None, 2)
    assert run("convert", file, "-", "--to", "txt")[1] == "f5d6c3d3\nf5f6\n"
    told = json.loads(run("show", "--file", file, "--number", "2", "--json")[1])
    assert told["moves"] == ["f5", "f6"]
    assert len(run("show", PGN, "--json")[1].splitlines()) == 2
    file.write_text(PGN.replace("F6", "a1"))
    found, error = all_before_the_error(file.read_bytes(), None)
    assert len(found) == 1
    assert "game 2 (line 12): transcript" in error
