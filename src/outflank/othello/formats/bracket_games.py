"""Files of games in brackets, GGF or SGF, one game after another."""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError
from outflank.formats.brackets import read_remarks
from outflank.formats.fields import decoded, read_number
from outflank.formats.game_record import PlayedMove, Record
from outflank.othello.formats.ggf import with_ggf_details
from outflank.othello.formats.properties import GGF, ParsedGame, parse_game
from outflank.othello.formats.sgf import with_sgf_details
from outflank.othello.formats.transcript import replay_named

MOST_BYTES = 1 << 20
"""The longest game, a thousand times the usual length; it bounds the memory of reading."""

CHUNK = 1 << 16

# The games server writes the number of games before the games of a match.
_between = re.compile(rb"[\s\d]*")
# A value whose bracket is not closed extends to the end of the buffer: its end has not been read yet.
_mark = re.compile(rb"[()]|\[(?:[^\]\\]|\\.)*+(?P<closed>\]?+)", re.DOTALL)


def read_bracket_games(stream: BinaryIO) -> Iterator[Record]:
    """Yield all games of `stream`, each in the format that its `GM` states."""
    for number, (text, line) in enumerate(split_games(stream), 1):
        try:
            record = read_game(text)
        except OutflankError as error:
            raise FormatError(f"game {number} (line {line}): {error}") from None
        yield record


def split_games(stream: BinaryIO) -> Iterator[tuple[str, int]]:
    """Yield the text of each game, from its opening to its closing parenthesis, and the line on which it begins."""
    buffer, place, line, number = stream.read(CHUNK).removeprefix(b"\xef\xbb\xbf"), 0, 1, 1
    ended = not buffer
    seen = depth = 0  # the scanned part of the current game, which is not scanned again
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
    """Return whether the game with `depth` parentheses open at `start` is closed, where, and how many are still open.

    If it is not closed yet, the place is where scanning continues when more has been read.
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
    """Return the first game in `text`, in the format that its `GM` states."""
    game = parse_game(text)
    played = replay_named(text, game.start, game.moves)
    details: dict[str, str] = {}
    for item in game.properties:
        details.setdefault(item.name, item.values[0])
    is_ggf = game.start.format == GGF
    remarks = _ggf_remarks(game) if is_ggf else _sgf_remarks(game)
    record = Record(
        start=game.start,
        moves=tuple(_with_remarks(played.codes, [move for move, _, _ in game.moves], remarks)),
        score=float(played.score) if played.finished else None,
    )
    return with_ggf_details(record, details) if is_ggf else with_sgf_details(record, details)


Remarks = list[tuple[float | None, float | None]]
"""The value and the seconds of each move."""


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


def _with_remarks(codes: Sequence[int], named: Sequence[int], remarks: Remarks) -> Iterator[PlayedMove]:
    """Yield the moves played: moves in the text with their remarks, inserted passes without."""
    index = 0
    for code in codes:
        if index < len(named) and code == named[index]:
            value, seconds = remarks[index]
            yield PlayedMove(code=code, value=value, seconds=seconds)
            index += 1
        else:
            yield PlayedMove(code=code)
