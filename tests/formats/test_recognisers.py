"""Text from elsewhere is read in time that grows as the text does, whatever it is."""

import io
import re

import pytest

from outflank.abalone.formats.move_text import read_abalone_game
from outflank.errors import FormatError, IllegalMove
from outflank.formats.bounds import TooMuchText, reading_at_most
from outflank.formats.recognise import read_all
from outflank.othello.formats import bracket_games
from tests.hostile_text import BLANKS, FEW_TEXTS, Hostile, texts_for
from tests.recognisers import grows_faster, patterns, readers

pytestmark = pytest.mark.interpreted_only

PARTS = 4
"""Of the readers: each is a test, for the workers to share."""


@pytest.mark.slow(3)
def test_no_pattern_scans_a_text_again_and_again() -> None:
    wrong = {
        f"{each.name} {each.pattern.pattern!r}": said
        for each in patterns()
        for run in each.runs()
        for text in texts_for(each.pattern)
        if (said := grows_faster(run, text))
    }
    assert not wrong


@pytest.mark.slow(4)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_reader_scans_a_text_again_and_again(part: int) -> None:
    wrong = {
        name: said
        for number, (name, reader) in enumerate(readers().items())
        if number % PARTS == part
        for text in (*BLANKS, *FEW_TEXTS[number // PARTS % PARTS :: PARTS])
        if (said := grows_faster(reader, text))
    }
    assert not wrong


def test_what_scans_again_and_again_is_found() -> None:
    blanks = Hostile("", " ", "x")
    assert grows_faster(re.compile(r"\s*\s*y").match, blanks)
    assert not grows_faster(re.compile(r"\s*+\s*+y").match, blanks)
    assert not grows_faster(lambda text: [char.isspace() for char in text], blanks)
    assert {Hostile("", " ", tail) for tail in ("", "\0")} <= set(texts_for(re.compile(r"\s*(?:,|;)?\s*y")))


def test_readers_count_games_up_to_a_bound() -> None:
    texts = ("f5\n" * 9, "-----XO--OX----- X\n" * 9, "(;GM[2];B[f5])" * 9, "game: abalone\nA1B2\n\n" * 9)
    for text in texts:
        assert len(read_all(text)) == 9
        with (
            reading_at_most(8, 60.0),
            pytest.raises((TooMuchText, FormatError), match="more than 8 games or positions"),
        ):
            read_all(text)
        with reading_at_most(100, -1.0), pytest.raises((TooMuchText, FormatError), match="took longer than"):
            read_all(text)
    assert len(read_all(texts[0])) == 9


def test_a_game_of_abalone_says_its_first_wrong_move() -> None:
    with pytest.raises(IllegalMove, match=r"column 6, move 2: 'A1B2' is not a legal move here"):
        read_abalone_game("A1B2 A1B2 nonsense")
    with pytest.raises(FormatError, match=r"column 11, move 3: Abalone move, column 1: expected two or three cells"):
        read_abalone_game("A1B2 I9H8 nonsense A1B2")
    assert len(read_abalone_game("A1B2 I9H8 B2A1 H8I9 " * 50).moves) == 200


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1 << 16])
def test_games_in_brackets_are_split_wherever_they_are_cut(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"2 (;GM[2]C[a \\] ( b];B[f5](;W[d6]))\n\n(;GM[2])\n(;C[)]\n)"
    monkeypatch.setattr(bracket_games, "CHUNK", chunk)
    found = list(bracket_games.split_games(io.BytesIO(data)))
    assert found == [("(;GM[2]C[a \\] ( b];B[f5](;W[d6]))", 1), ("(;GM[2])", 3), ("(;C[)]\n)", 4)]
    for open_ended in (b"(;GM[2]", b"(;C[a", b"(;C[a\\", b"(()"):
        with pytest.raises(FormatError, match="the file ends before the game does"):
            list(bracket_games.split_games(io.BytesIO(open_ended)))
