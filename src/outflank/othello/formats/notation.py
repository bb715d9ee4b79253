"""Othello's `Notation`: all its text and file formats, for `formats.recognise` and `formats.game_files`."""

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from outflank.errors import FormatError, OutflankError
from outflank.formats.fields import decoded
from outflank.formats.game_files import selecting
from outflank.formats.game_record import Record
from outflank.formats.movetext import read_movetext
from outflank.formats.recognise import FIRST_MOVE
from outflank.games.notation import FileFormat, Notation
from outflank.othello.formats import board_line, transcript
from outflank.othello.formats.bracket_games import read_bracket_games, read_game, split_games
from outflank.othello.formats.drawing import read_line, read_square_drawing
from outflank.othello.formats.ggf import write_ggf
from outflank.othello.formats.line_games import (
    OthelloOpening,
    read_positions,
    read_transcripts,
    write_position_line,
    write_transcript_line,
)
from outflank.othello.formats.sgf import write_sgf, write_sgf_position
from outflank.othello.formats.wthor import files_of, read_wthor, write_wthor
from outflank.othello.formats.wthor_files import HEADER_BYTES, Header

FIRST = ("d3", "c4", "f5", "e6")
MIRRORED_FIRST = ("e3", "f4", "c5", "d6")
"""First moves of games on 8×8 from the usual starting position (`FIRST`) and from the mirrored one."""

_dashed = re.compile(r"[a-i][1-9]-[a-i][1-9]", re.IGNORECASE)


def read_unmistakable(text: str) -> list[Record] | None:
    """Return the games (GGF, SGF) or board lines in a text that can only be Othello; None for any other text."""
    if text.startswith("(") and "[" in text:
        return _bracket_games(text)
    is_board = text[:1] in board_line.CELLS + "%" and not re.match(
        FIRST_MOVE, read_movetext(text).moves.strip(), re.IGNORECASE
    )
    return _board_lines(text) if is_board else None


def _bracket_games(text: str) -> list[Record]:
    try:
        games = [game for game, _ in split_games(BytesIO(text.encode("utf-8", "replace")))]
    except FormatError:
        games = [text]  # the first game may be complete
    if len(games) == 1:
        return [read_game(text)]
    records = []
    for number, game in enumerate(games, 1):
        try:
            records.append(read_game(game))
        except OutflankError as error:
            raise FormatError(f"game {number}: {error}") from None
    return records


def _board_lines(text: str) -> list[Record]:
    """Return the position on each line of `text`, or the single position that `text` breaks into rows."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.partition("%")[0].strip()]
    if len(lines) < 2 or any(len(line.partition(";")[0].split("%")[0].strip()) <= 16 for _, line in lines):
        return [Record(start=board_line.read_board_line(text.strip()))]
    records = []
    for number, line in lines:
        try:
            records.append(Record(start=board_line.read_board_line(line)))
        except FormatError as error:
            raise FormatError(f"line {number}: {error}") from None
    return records


def _read_moves(text: str, options: Mapping[str, Any]) -> Record:
    return transcript.read_game_from_start(text, int(options.get("size", 8)))


def _first_move(text: str) -> str:
    match = re.match(FIRST_MOVE, text.strip(), re.IGNORECASE)
    return match[1].lower() if match else ""


def _claim(moves: str) -> bool:
    """Return whether a list of moves is usual for Othello: it starts from the usual position, and has no dashes."""
    return _first_move(moves) not in MIRRORED_FIRST and not _dashed.search(moves)


def _first_line(head: bytes) -> str:
    lines = (line.strip() for line in _text(head).splitlines())
    return next((line for line in lines if line and line[0] not in "#%;"), "")


def _text(head: bytes) -> str:
    return decoded(head.removeprefix(b"\xef\xbb\xbf"))


def _is_wthor(head: bytes) -> int:
    return 100 if b"\0" in head[:HEADER_BYTES] and Header.fits(head) else 0


def _has_brackets(head: bytes, *, ggf: bool) -> int:
    text = _text(head)
    if b"\0" in head[:HEADER_BYTES] or not re.match(r"[\s\d]*\(\s*;", text):
        return 0
    return 90 if bool(re.search(r"GM\s*\[\s*Othello", text, re.IGNORECASE)) is ggf else 80


def _has_positions(head: bytes) -> int:
    line = _first_line(head)
    return 40 if len(line) >= 16 and set("".join(line.split())[:10]) <= set(board_line.CELLS) else 0


def _has_transcripts(head: bytes) -> int:
    return 30 if re.match(r"(?:\d{1,3}\s*[.)]\s*)?[a-i]\s*[1-9]", _first_line(head), re.IGNORECASE) else 0


def _always(head: bytes) -> bool:
    return True


FILES = {
    ".ggf": FileFormat(
        title="GGF",
        read=selecting(read_bracket_games),
        write=write_ggf,
        likeness=lambda head: _has_brackets(head, ggf=True),
        holds_games=_always,
    ),
    ".sgf": FileFormat(
        title="SGF",
        read=selecting(read_bracket_games),
        write=write_sgf,
        likeness=lambda head: _has_brackets(head, ggf=False),
        holds_games=_always,
    ),
    ".wtb": FileFormat(
        title="WTHOR",
        read=read_wthor,
        write_all=write_wthor,
        files=files_of,
        likeness=_is_wthor,
        holds_games=_always,
    ),
    ".txt": FileFormat(
        title="transcripts",
        read=selecting(read_transcripts),
        write=write_transcript_line,
        likeness=_has_transcripts,
        by_line=True,
    ),
    ".obf": FileFormat(
        title="OBF", read=selecting(read_positions), write=write_position_line, likeness=_has_positions, by_line=True
    ),
}

NOTATION = Notation(
    forms="an Othello board line, OBF, a transcript, GGF, SGF or a drawing of the board",
    positions=read_unmistakable,
    moves=_read_moves,
    moves_from=transcript.read_game_from,
    write_moves=transcript.write_transcript,
    claim=_claim,
    likeness=lambda moves: 3 if _first_move(moves) in (*FIRST, *MIRRORED_FIRST) else 1,
    line=read_line,
    drawing=read_square_drawing,
    position_file=lambda setup: ("position.sgf", write_sgf_position(setup)),
    opening=OthelloOpening.parse,
    files=FILES,
)
