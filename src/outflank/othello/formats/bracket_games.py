"""Reading of GGF and SGF files, the formats with values in brackets: their positions, and the moves of the main line.

GGF: `(;GM[Othello]…BO[8 <64 cells> *]B[F5/eval/time]W[PA]…;)`. SGF:
`(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B];B[f5];W[d6]…)`; squares in letters (`fe`) and an empty pass are accepted.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError
from outflank.formats.bounds import count_game
from outflank.formats.brackets import NOTE_PROPERTIES, Property, notes_of, read_properties, read_remarks
from outflank.formats.fields import decoded, read_number
from outflank.formats.game_record import NO_NOTES, Notes, PlayedMove, Record, Setup
from outflank.games.sides import Side
from outflank.kernels.bits import U64
from outflank.othello.formats.board_line import read_board_line
from outflank.othello.formats.ggf import with_ggf_details
from outflank.othello.formats.sgf import with_sgf_details
from outflank.othello.formats.transcript import NamedMove, replay_named
from outflank.othello.rules import PASS, OthelloPosition
from outflank.othello.squares import SIZES, START, othello, size_of, square_name, square_number

GGF, SGF = "GGF", "SGF"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedGame:
    """A game read from GGF or SGF, before its moves are checked."""

    start: Setup
    """The position before the first move."""
    moves: list[NamedMove]
    properties: list[Property]


def parse_game(text: str) -> ParsedGame:
    """Return the first game in `text`, with the properties of its main line; its moves are not checked."""
    count_game()
    properties = list(read_properties(text))
    kind = next((item.values[0] for item in properties if item.name == "GM"), "")
    start = _ggf_start(text, properties) if kind.lower() == "othello" else _sgf_start(text, properties, kind)
    size = size_of(start.game)
    moves: list[NamedMove] = []
    for name, values, place, _ in properties:
        if name in ("B", "W"):
            move = _square(size, values[0].partition("/")[0])
            if move is None:
                raise FormatError.at(start.format, text, place, "a square or a pass (PA)")
            moves.append((move, place, Side.BLACK if name == "B" else Side.WHITE))
    return ParsedGame(start=start, moves=moves, properties=properties)


def _ggf_start(text: str, properties: list[Property]) -> Setup:
    board = next((item for item in properties if item.name == "BO"), None)
    if board is None:
        raise FormatError.at(GGF, text, 0, "the board, BO[8 …]")
    size_text, _, cells = board.values[0].strip().partition(" ")
    if size_text not in map(str, SIZES):
        raise FormatError.at(GGF, text, board.place, "the board's size, 8, and its cells")
    try:
        return replace(read_board_line(cells), format=GGF, scores={})
    except FormatError as error:
        raise FormatError(f"{GGF}, column {board.place + 1}: {error}") from None


def _sgf_start(text: str, properties: list[Property], kind: str) -> Setup:
    if kind not in ("", "2"):
        raise FormatError.at(SGF, text, 0, f"a game of Othello, GM[2], not GM[{kind[:20]}]")
    first_move = next((index for index, item in enumerate(properties) if item.name in ("B", "W")), len(properties))
    before, later = properties[:first_move], properties[first_move:]
    for name, _, place, _ in later:
        if name in ("AB", "AW", "AE", "PL"):
            raise FormatError.at(SGF, text, place, f"no {name} after the first move")
    size = 8
    for name, values, place, _ in before:  # properties of a node have no order, so the size is read first
        if name == "SZ":
            if values[0] not in map(str, SIZES):
                raise FormatError.at(SGF, text, place, "a size of 4, 6 or 8")
            size = int(values[0])
    stones: dict[str, int] = {"AB": 0, "AW": 0}
    turn = Side.WHITE if later and later[0].name == "W" else Side.BLACK
    for name, values, place, _ in before:
        if name in stones:
            squares = [_square(size, value) for value in values]
            if None in squares or PASS in squares:
                raise FormatError.at(SGF, text, place, "squares of the board")
            stones[name] |= sum(1 << square for square in set(squares) if square is not None)
        elif name == "PL":
            turn = Side.WHITE if values[0][:1].upper() == "W" else Side.BLACK
    black, white = (stones["AB"], stones["AW"]) if any(stones.values()) else map(int, START)
    if black & white:
        raise FormatError.at(SGF, text, 0, "no square in both AB and AW")
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    return Setup(format=SGF, game=othello(size), position=OthelloPosition(U64(own), U64(opp)), turn=turn)


@lru_cache(1024)
def _square(size: int, text: str) -> int | None:
    name = text.strip().lower()
    if name in ("", "pa", "pass", "--"):
        return PASS
    if len(name) == 2 and name[1].isalpha():
        name = name[0] + str("abcdefgh".find(name[1]) + 1)
    return square_number(size, name)


MOST_BYTES = 1 << 20
"""Largest number of bytes of one game, a thousand times the usual number; it limits the memory for reading."""

CHUNK = 1 << 16

# The Generic Game Server writes the number of games before the games of a match.
_between = re.compile(rb"[\s\d]*")
# A value without a closing bracket extends to the end of the buffer; the rest has not been read yet.
_mark = re.compile(rb"[()]|\[(?:[^\]\\]|\\.)*+(?P<closed>\]?+)", re.DOTALL)


def read_bracket_games(stream: BinaryIO) -> Iterator[Record]:
    """Yield all games in `stream`, each in the format (GGF or SGF) that its property `GM` states."""
    for number, (text, line) in enumerate(split_games(stream), 1):
        try:
            record = read_game(text)
        except OutflankError as error:
            raise FormatError(f"game {number} (line {line}): {error}") from None
        yield record


def split_games(stream: BinaryIO) -> Iterator[tuple[str, int]]:
    """Yield each game's text, from the opening to the closing parenthesis, and the number of its first line."""
    buffer, place, line, number = stream.read(CHUNK).removeprefix(b"\xef\xbb\xbf"), 0, 1, 1
    ended = not buffer
    seen = depth = 0  # `seen`: end of the part of the current game that need not be scanned again
    while True:
        start = _match_end(_between, buffer, place)
        line += buffer.count(b"\n", place, start)
        if buffer[start : start + 1] not in (b"", b"("):
            actual = decoded(buffer[start : start + 20]).partition("\n")[0]
            raise FormatError(f"game {number} (line {line}): expected (; at its start, found {actual!r}")
        closed, end, depth = _end_of_game(buffer, max(start, seen), depth)
        if closed:
            yield decoded(buffer[start:end]), line
            line += buffer.count(b"\n", start, end)
            place, number, seen, depth = end, number + 1, 0, 0
            continue
        if ended:
            if start == len(buffer):
                return
            raise FormatError(f"game {number} (line {line}): the file ends before the game does")
        if len(buffer) - start > MOST_BYTES:
            raise FormatError(f"game {number} (line {line}): more than {MOST_BYTES >> 20} MiB, which is no game")
        more = stream.read(CHUNK)
        buffer, place, seen, ended = buffer[start:] + more, 0, end - start, not more


def _match_end(pattern: re.Pattern[bytes], buffer: bytes, place: int) -> int:
    match = pattern.match(buffer, place)
    return match.end() if match else place


def _end_of_game(buffer: bytes, start: int, depth: int) -> tuple[bool, int, int]:
    """Return whether a game with `depth` open parentheses at `start` is closed, its end, and the new depth.

    If the game is not closed, the returned end is the index at which scanning must continue when more has been read.
    """
    place = start
    for mark in _mark.finditer(buffer, start):
        if mark[0] == b"(":
            depth += 1
        elif mark[0] == b")":
            depth -= 1
            if depth == 0:
                return True, mark.end(), 0
        elif not mark["closed"]:
            return False, mark.start(), depth
        place = mark.end()
    return False, place, depth


def read_game(text: str) -> Record:
    """Return the first game in `text`, in the format (GGF or SGF) that its property `GM` states."""
    game = parse_game(text)
    played = replay_named(text, game.start, game.moves)
    details: dict[str, str] = {}
    for item in game.properties:
        details.setdefault(item.name, item.values[0])
    is_ggf = game.start.format == GGF
    remarks = _ggf_remarks(game) if is_ggf else _sgf_remarks(game)
    first_notes, *notes = _notes(game, is_ggf)
    record = Record(
        start=game.start,
        moves=tuple(_with_remarks(played.codes, [move for move, _, _ in game.moves], remarks, notes)),
        score=float(played.score) if played.finished else None,
        notes=first_notes,
    )
    return with_ggf_details(record, details) if is_ggf else with_sgf_details(record, details)


Remarks = list[tuple[float | None, float | None]]
"""The value of each move and its time in seconds; None if the text does not state them."""


def _ggf_remarks(game: ParsedGame) -> Remarks:
    return [read_remarks(item.values[0]) for item in game.properties if item.name in ("B", "W")]


def _sgf_remarks(game: ParsedGame) -> Remarks:
    values = {item.node: read_number(item.values[0]) for item in game.properties if item.name == "V"}
    remarks: Remarks = []
    for item in game.properties:
        if item.name in ("B", "W"):
            value = values.get(item.node)
            remarks.append((-value if value is not None and item.name == "W" else value, None))
    return remarks


def _notes(game: ParsedGame, is_ggf: bool) -> list[Notes]:
    """Return the notes on the start and on the position after each move of the text.

    In SGF, the notes belong to the move of the same node. GGF has all moves in one node, each before its notes.
    """
    if not any(item.name in NOTE_PROPERTIES for item in game.properties):
        return [NO_NOTES] * (len(game.moves) + 1)
    size = size_of(game.start.game)

    def cell_name(text: str) -> str | None:
        square = _square(size, text)
        return None if square is None or square == PASS else square_name(size, square)

    groups: list[list[Property]] = [[]]
    node = -1
    pending: list[Property] = []
    for item in game.properties:
        if item.node != node and not is_ggf:
            groups[-1] += pending
            node, pending = item.node, []
        if item.name in ("B", "W"):
            groups.append(pending)
            pending = []
        elif is_ggf:
            groups[-1].append(item)
        else:
            pending.append(item)
    groups[-1] += pending
    return [notes_of(group, cell_name) for group in groups]


def _with_remarks(
    codes: Sequence[int], named: Sequence[int], remarks: Remarks, notes: Sequence[Notes]
) -> Iterator[PlayedMove]:
    """Yield the moves of a game: the moves of the text with their values, times and notes, and the inserted passes
    without."""
    index = 0
    for code in codes:
        if index < len(named) and code == named[index]:
            value, seconds = remarks[index]
            yield PlayedMove(code=code, value=value, seconds=seconds, notes=notes[index])
            index += 1
        else:
            yield PlayedMove(code=code)
