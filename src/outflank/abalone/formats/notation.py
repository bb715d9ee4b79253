"""Abalone's `Notation`: all its text and file formats, for `formats.recognise` and `formats.game_files`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from outflank.abalone.formats import line, move_text, position_file
from outflank.abalone.formats.abalone_games import likeness, looks_like_games, read_abalone_games, write_abalone_game
from outflank.abalone.formats.drawing import read_hexagon_drawing, read_line
from outflank.abalone.formats.move_text import meanings
from outflank.abalone.rules import Abalone
from outflank.errors import FormatError
from outflank.formats.fields import decoded
from outflank.formats.game_files import selecting
from outflank.formats.game_record import Record, Setup
from outflank.formats.movetext import is_address
from outflank.formats.selection import move_codes
from outflank.games.notation import FileFormat, Notation


@dataclass(frozen=True, slots=True)
class AbaloneOpening:
    """The first moves of a game, with which users select games of a file."""

    move_meanings: tuple[tuple[int, ...], ...]
    """The codes that the text of each move of the opening can mean."""

    @classmethod
    def parse(cls, text: str) -> "AbaloneOpening":
        """Return the opening that a list of moves describes."""
        move_meanings = tuple(meanings(word) for word in text.split())
        if not all(move_meanings):
            raise FormatError(f"{text!r} are no moves of Abalone")
        return cls(move_meanings)

    def begins(self, record: Record) -> bool:
        """Return whether a game begins with this opening."""
        codes = move_codes(record)
        if not isinstance(record.start.game, Abalone) or len(codes) < len(self.move_meanings):
            return False
        return all(code in possible for code, possible in zip(codes, self.move_meanings, strict=False))


def read_unmistakable(text: str) -> list[Record] | None:
    """Return the position or games in a text that can only be Abalone; None for any other text."""
    if position_file.HEADER.search(text):
        return [Record(start=position_file.read_position_file(text))]
    if looks_like_games(text):
        return list(read_abalone_games(BytesIO(text.encode("utf-8", "replace"))))
    word = text.split()[0] if text.split() else ""
    if "/" in word and not text.startswith("(") and not is_address(word):
        return [Record(start=line.read_abalone_line(text))]
    return None


def _read_moves(text: str, options: Mapping[str, Any]) -> Record:
    return move_text.read_abalone_game(text, str(options.get("layout", "standard")))


def _position_file(setup: Setup) -> tuple[str, str]:
    return "position.txt", position_file.write_position_file(setup.position, setup.turn, setup.ply)


def _likeness(text: str) -> int:
    """Return how much a list of moves looks like Abalone: 2 if it begins with an Abalone move, or has a cell that
    Othello's board does not have; else 0."""
    words = re.sub(r"^\d{1,3}\s*[.)]\s*", "", text.strip()).split()
    try:
        return 2 if words and move_text.meanings(words[0]) else 0
    except FormatError:
        return 2 if re.search(r"i[1-9]|[a-i]9", text, re.IGNORECASE) else 0


NOTATION = Notation(
    forms="an Abalone line, a list of Abalone moves, a saved game, a position file or a drawing of the board",
    positions=read_unmistakable,
    moves=_read_moves,
    moves_from=move_text.read_abalone_moves,
    likeness=_likeness,
    line=read_line,
    drawing=read_hexagon_drawing,
    position_file=_position_file,
    opening=AbaloneOpening.parse,
    files={
        ".abalone": FileFormat(
            title="Abalone games",
            read=selecting(read_abalone_games),
            write=write_abalone_game,
            likeness=likeness,
            holds_games=lambda head: looks_like_games(decoded(head.removeprefix(b"\xef\xbb\xbf"))),
        )
    },
)
