"""Comments, arrows and circles on positions: written in every format that has a place for them, and read again."""

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, Board, OthelloBoard
from outflank.formats.game_files import read_records, write_records
from outflank.formats.game_record import NO_NOTES, Notes, PlayedMove, Record
from tests.conftest import examples

pytestmark = pytest.mark.interpreted_only

LINES = st.text("ab 1]\\[;():/-é", max_size=12).map(str.strip)
COMMENTS = st.lists(LINES, max_size=3).map("\n".join).map(str.strip)


def notes(cells, comments=COMMENTS):
    names = st.sampled_from(cells)
    arrows = st.lists(st.tuples(names, names), max_size=3, unique=True).map(tuple)
    return st.builds(Notes, comments, arrows)


def game(board: Board, drawn: list[Notes]) -> Record:
    first = board.setup()
    for _ in drawn[1:]:
        board.push(board.legal_moves[0])
    moves = [PlayedMove(code=move.code, notes=each) for move, each in zip(board.moves, drawn[1:], strict=True)]
    return Record(start=first, moves=tuple(moves), notes=drawn[0])


def again(record: Record, format: str) -> list[Notes]:
    stream = io.BytesIO()
    write_records([record, record], stream, format=format)
    one, other = read_records(io.BytesIO(stream.getvalue()), format=format)
    assert (one.moves, one.notes) == (other.moves, other.notes)
    assert [move.code for move in one.moves] == [move.code for move in record.moves]
    return [one.notes, *(move.notes for move in one.moves)]


def circles_last(each: Notes) -> Notes:
    return replace(each, arrows=tuple(sorted(each.arrows, key=lambda arrow: arrow[0] == arrow[1])))


def on_a_line(each: Notes) -> Notes:
    return replace(each, comment=each.comment.replace("\n", " "))


SQUARES = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)]


@examples(200)
@given(st.lists(notes(SQUARES), min_size=1, max_size=5))
def test_othello_games_keep_notes(drawn) -> None:
    record = game(OthelloBoard.start(), drawn)
    assert again(record, "sgf") == [circles_last(each) for each in drawn]
    # GGF has a game on a line, and blanks at a line's end are not kept: two lines become one.
    single = [on_a_line(each) for each in drawn]
    assert again(game(OthelloBoard.start(), single), "ggf") == [circles_last(each) for each in single]
    assert [each.arrows for each in again(record, "ggf")] == [circles_last(each).arrows for each in drawn]


@examples(150)
@given(st.lists(notes(["A1", "B2", "I9", "E5"], LINES), min_size=1, max_size=5))
def test_abalone_games_keep_notes(drawn) -> None:
    assert again(game(AbaloneBoard.start(), drawn), "abalone") == drawn


def test_braces_in_a_comment_become_parentheses() -> None:
    found = again(game(AbaloneBoard.start(), [NO_NOTES, Notes("{+1} is\nwrong")]), "abalone")
    assert found == [NO_NOTES, Notes("(+1) is wrong")]


def test_notes_as_others_write_them() -> None:
    text = b"(;GM[2]SZ[8]C[the start]N[a name];C[before\r\nthe move]B[fe]AR[ef:fe][zz:aa]CR[d4];C[a position];W[f6])"
    (record,) = read_records(io.BytesIO(text))
    assert record.notes == Notes("the start")
    first, second = (move.notes for move in record.moves)
    assert first == Notes("before\nthe move\na position", (("e6", "f5"), ("d4", "d4")))
    assert second is NO_NOTES


def test_notes_in_files_of_games_beside_values_and_times() -> None:
    text = (
        b"game: abalone\ncomment: at first\n1. A1B2 {+12 0.3s} {comment: a push?} {arrows: a1-b2 nonsense C3-C3} I9H8\n"
    )
    (record,) = read_records(io.BytesIO(text))
    first, second = record.moves
    assert (first.value, first.seconds) == (12.0, 0.3)
    assert first.notes == Notes("a push?", (("a1", "b2"), ("C3", "C3")))
    assert (record.notes, second.notes) == (Notes("at first"), NO_NOTES)
