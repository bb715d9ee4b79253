"""Reading and writing of files with one game (transcript) or one position (OBF) on each line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError
from outflank.formats.files import lines_of, without_comment
from outflank.formats.game_record import Record
from outflank.formats.selection import move_codes
from outflank.games.rules import mirror, mirror_move, symmetries
from outflank.games.sides import Side
from outflank.othello.formats.board_line import OBF, othello_size, read_board_line, write_obf
from outflank.othello.formats.transcript import read_game_from_start, read_transcript, write_transcript
from outflank.othello.rules import PASS, Othello
from outflank.othello.squares import START, othello


def read_transcripts(stream: BinaryIO) -> Iterator[Record]:
    """Yield the 8×8 Othello game on each line; `#`, `%`, and `;` at the start of a line begin comments."""
    games = 0
    for number, line in lines_of(stream):
        text = without_comment(line)
        if not text.strip():
            continue
        games += 1
        try:
            record = read_game_from_start(text)
        except OutflankError as error:
            raise FormatError(f"game {games} (line {number}): {error}") from None
        yield record


def write_transcript_line(record: Record) -> str:
    """Return the game's moves on a line. Passes are omitted, except a pass at the end, which no later move implies."""
    othello_size(record, "a transcript")
    if not is_standard_game(record):
        raise FormatError("a transcript holds games from the start of the 8×8 board")
    if not record.moves:
        raise FormatError("a transcript holds games of one move or more")
    ending = "--" if record.moves[-1].code == PASS else ""
    return write_transcript(record.start.game, (move.code for move in record.moves)) + f"{ending}\n"


def read_positions(stream: BinaryIO) -> Iterator[Record]:
    """Yield the position on each board line or OBF line, as a record without moves.

    `%` starts a comment; a line that starts with `#` or `;` is a comment."""
    games = 0
    for number, line in lines_of(stream):
        if not line.partition("%")[0].strip() or line.lstrip().startswith(("#", ";")):
            continue
        games += 1
        try:
            record = Record(start=read_board_line(line))
        except OutflankError as error:
            raise FormatError(f"position {games} (line {number}): {error}") from None
        yield record


def write_position_line(record: Record) -> str:
    """Return the position of a record without moves as an OBF line."""
    othello_size(record, OBF)
    if record.moves:
        raise FormatError("OBF holds positions, not games with moves")
    start = record.start
    return write_obf(start.game, start.position, start.turn, start.scores) + "\n"


def is_standard_game(record: Record) -> bool:
    """Return whether a record is an Othello game from the starting position on 8×8."""
    start = record.start
    is_usual = isinstance(start.game, Othello) and start.game.mask == othello().mask
    return is_usual and start.turn is Side.BLACK and tuple(start.position) == tuple(START)


@dataclass(frozen=True, slots=True)
class OthelloOpening:
    """The first moves of a game, without passes, in all equivalent orientations of the board.

    >>> len(OthelloOpening.parse("f5d6").squares)
    4
    """

    squares: tuple[bytes, ...]
    """The squares of the moves under each symmetry of the board that keeps the starting position."""

    @classmethod
    def parse(cls, text: str) -> "OthelloOpening":
        """Return the opening that a transcript of its moves describes."""
        codes = [code for code in read_transcript(text).moves if code != PASS]
        game = othello()
        start_symmetries = [number for number in range(symmetries(game)) if mirror(game, START, number) == START]
        return cls(tuple(bytes(int(mirror_move(game, code, number)) for code in codes) for number in start_symmetries))

    def begins(self, record: Record) -> bool:
        """Return whether a game begins with this opening."""
        if not is_standard_game(record):
            return False
        codes = move_codes(record)
        return any(bytes(codes[: len(image)]) == image for image in self.squares)
