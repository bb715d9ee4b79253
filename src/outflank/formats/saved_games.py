"""Reads and writes files of saved games: headers, the start, and numbered moves in the game's own notation.

    game: connect-four
    black: one
    white: other
    date: 1998-05-17
    score: +1
    start: connect-four: 0000000000000000 0000000000000000 black 0 [7]
    1. d {+12 0.3s} d
    2. e …

A blank line separates games. Every header but `game` may be left out; unknown headers are ignored. Braces after a move
hold its value from the mover's side and the seconds it took. Either may be missing, and other text is ignored. Notes on
the position after a move are in further braces, `{comment: text}` and `{arrows: a1-b2 c3-c3}`; an arrow from a cell to
itself is a circle. Notes on the start are headers. A line that starts with `#` is ignored. A game with file formats of
its own may use this format as well.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError
from outflank.formats.bounds import count_game
from outflank.formats.fields import decoded, one_line, read_number, write_number, write_seconds
from outflank.formats.files import MOST_BYTES, lines_of
from outflank.formats.game_record import NO_NOTES, Notes, PlayedMove, Record, Setup
from outflank.formats.numbered import read_numbered, write_numbered
from outflank.games.description import GameDescription, description_of, game_named
from outflank.games.sides import Side

NAME = "saved game"

HEADER = re.compile(r"\s*([A-Za-z][A-Za-z -]*):(.*)", re.DOTALL)
KEYS = ("game", "black", "white", "event", "date", "clock", "score", "reason", "start", "comment", "arrows")
_word = re.compile(r"\s*+(?:\{([^{}]*+)\}|\d{1,9}\s*+[.)](?:\.\.)?(?=\s)|([^\s{},;]++)|[,;])")
_remark = re.compile(
    r"\s*+(?P<value>[+-]?[\d.]++(?:e[+-]?\d++)?+(?!\S))?+\s*+(?:(?P<seconds>[\d.]++(?:e[+-]?\d++)?+)s)?+\s*+", re.ASCII
)
_notes = re.compile(r"\s*+(comment|arrows):(.*)", re.DOTALL)
_arrow = re.compile(r"([A-Za-z0-9]{1,9})-([A-Za-z0-9]{1,9})(?!\S)", re.ASCII)
# Blanks before the name must not include line feeds: a text of n line feeds would take n² steps.
_game = re.compile(r"^[^\S\n]*+game\s*+:\s*+([a-z][a-z0-9-]*+)[^\S\n]*+$", re.IGNORECASE | re.MULTILINE)

Line = tuple[int, str]


@dataclass(slots=True)
class SavedMove:
    """A move as text, with its line number, and with the value, the seconds and the notes from the braces after it."""

    text: str
    line: int
    value: float | None = None
    seconds: float | None = None
    notes: Notes = NO_NOTES


def likeness(head: bytes) -> int:
    """Return a score for how much a file that begins with `head` looks like saved games; 0 if it does not."""
    text = decoded(head.removeprefix(b"\xef\xbb\xbf"))
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    header = HEADER.fullmatch(lines[0]) if lines else None
    return 65 if header is not None and header[1].strip().lower() in KEYS and stated_game(text) else 0


def stated_game(text: str) -> str:
    """Return the name of the game in the first `game` header; empty if there is none."""
    match = _game.search(text)
    return "" if match is None else match[1].lower()


def read_saved_games(stream: BinaryIO) -> Iterator[Record]:
    """Yield all saved games of `stream`."""
    return records_in(stream, _record)


def write_saved_game(record: Record) -> str:
    """Return the game in the format of saved games, with a blank line at its end."""
    first, description = record.start, description_of(record.start.game)
    board = description.boards(first.game, first.position, first.turn, ply=first.ply)
    start = write_numbered(description, first.game, first.position, first.turn, first.ply)
    return saved_game_text(record, description.name, start, board.line(move.code for move in record.moves))


def saved_game_text(record: Record, game: str, start: str, names: Iterable[object]) -> str:
    """Return a game in the format of saved games, given the texts of its start and of its moves (`names`)."""
    first = record.start
    headers = {
        "game": game,
        "black": record.black,
        "white": record.white,
        "event": record.event,
        "date": record.date,
        "clock": record.clock,
        "score": write_number(record.score, sign=True),
        "reason": record.reason,
        "start": start,
        "comment": record.notes.comment,
        "arrows": _write_arrows(record.notes),
    }
    lines = [f"{key}: {one_line(text)}" for key, text in headers.items() if one_line(text)]
    turn, number = first.turn, first.ply // 2 + 1
    for place, (name, move) in enumerate(zip(names, record.moves, strict=True)):
        text = f"{name}{_write_remark(move)}"
        if turn is Side.BLACK:
            lines.append(f"{number}. {text}")
        elif place == 0:
            lines.append(f"{number}... {text}")
        else:
            lines[-1] += f" {text}"
        number += turn is Side.WHITE
        turn = turn.other
    return "\n".join(lines) + "\n\n"


def records_in(stream: BinaryIO, record_of: Callable[[list[Line]], Record]) -> Iterator[Record]:
    """Yield the record that `record_of` makes from the lines of each game; errors state the number of the game."""
    for number, lines in enumerate(_blocks(stream), 1):
        count_game()
        try:
            record = record_of(lines)
        except OutflankError as error:
            raise FormatError(f"game {number}, {error}") from None
        yield record


def _blocks(stream: BinaryIO) -> Iterator[list[Line]]:
    """Yield the numbered lines of each game, without comments."""
    lines: list[Line] = []
    size = 0
    for number, line in lines_of(stream):
        if not line.strip():
            if lines:
                yield lines
            lines, size = [], 0
        elif not line.lstrip().startswith("#"):
            lines.append((number, line))
            size += len(line)
            if size > MOST_BYTES:
                raise FormatError(f"line {number}: a game of more than {MOST_BYTES >> 20} MiB is none")
    if lines:
        yield lines


def parse_lines(
    lines: Sequence[Line], on_header: Callable[[str, str], None], words: Callable[[str, int], Iterator[SavedMove]]
) -> list[SavedMove]:
    """Return the moves of a game; `words` finds them in a line, and `on_header` receives the headers before them."""
    moves: list[SavedMove] = []
    for number, line in lines:
        header = HEADER.fullmatch(line)
        try:
            if header is None:
                moves.extend(words(line, number))
                continue
            if moves:
                raise FormatError("a header after moves: a blank line divides games")
            on_header(header[1].strip().lower(), header[2].strip())
        except OutflankError as error:
            raise FormatError(f"line {number}: {error}") from None
    return moves


def moves_in_line(
    line: str, number: int, word: re.Pattern[str] = _word, *, format: str = NAME, expected: str = "a move"
) -> Iterator[SavedMove]:
    """Yield the moves of a line with their remarks; the pattern `word` has a group for a remark and one for a move."""
    place, end = 0, len(line.rstrip())
    move: SavedMove | None = None
    while place < end:
        match = word.match(line, place)
        if match is None:
            place += len(line[place:]) - len(line[place:].lstrip())
            raise FormatError.at(format, line, place, f"{expected}, its number, or a remark in braces")
        if match[2]:
            if move:
                yield move
            move = SavedMove(match[2], number)
        elif match[1] and move and (remark := _remark.fullmatch(match[1])):
            move.value, move.seconds = (read_number(remark[name] or "") for name in ("value", "seconds"))
        elif match[1] and move and (notes := _notes.fullmatch(match[1])):
            move.notes = _with_note(move.notes, notes[1], notes[2])
        place = match.end()
    if move:
        yield move


def make_record(
    start: Setup, moves: Sequence[SavedMove], codes: Sequence[int], headers: dict[str, str], score: float | None
) -> Record:
    """Return the record of a game, with the data of its headers; `score` is used if no header states the score."""
    return Record(
        start=start,
        moves=tuple(
            PlayedMove(code=code, value=move.value, seconds=move.seconds, notes=move.notes)
            for code, move in zip(codes, moves, strict=True)
        ),
        black=headers.get("black", ""),
        white=headers.get("white", ""),
        event=headers.get("event", ""),
        date=headers.get("date", ""),
        clock=headers.get("clock", ""),
        score=read_number(headers["score"]) if "score" in headers else score,
        reason=headers.get("reason", ""),
        notes=_with_note(
            _with_note(NO_NOTES, "comment", headers.get("comment", "")), "arrows", headers.get("arrows", "")
        ),
    )


def _record(lines: Sequence[Line]) -> Record:
    headers: dict[str, str] = {}

    def add_header(key: str, text: str) -> None:
        headers[key] = text
        if key == "game":
            game_named(text.lower())  # an unknown game is an error of this line

    moves = parse_lines(lines, add_header, moves_in_line)
    name = headers.get("game", "").lower()
    if not name:
        raise FormatError(f"line {lines[0][0]}: a header says which game it is: game: connect-four")
    game = game_named(name)
    start = _start(game, headers.get("start", ""))
    board = game.boards(start.game, start.position, start.turn, ply=start.ply)
    for number, move in enumerate(moves, 1):
        try:
            board.push(move.text)
        except OutflankError as error:
            raise FormatError(f"line {move.line}: {NAME}, move {number}: {error}") from None
    outcome = board.outcome()
    score = None if outcome is None else float(board.recorded_score(outcome))
    return make_record(start, moves, [move.code for move in board.moves], headers, score)


def _start(game: GameDescription, text: str) -> Setup:
    if not text:
        board = game.start()
        return Setup(format=NAME, game=board.game, position=board.position, turn=board.turn)
    setups = read_numbered(text, game)
    if setups is None:
        raise FormatError(f"start: expected a position as to_text writes it, found {text[:40]!r}")
    return setups[0]


def _write_remark(move: PlayedMove) -> str:
    value = write_number(move.value, sign=True)
    seconds = write_seconds(move.seconds)
    numbers = " ".join(text for text in (value, f"{seconds}s" if seconds else "") if text)
    comment = one_line(move.notes.comment).replace("{", "(").replace("}", ")")
    arrows = _write_arrows(move.notes)
    texts = (numbers, comment and f"comment: {comment}", arrows and f"arrows: {arrows}")
    return "".join(f" {{{text}}}" for text in texts if text)


def _write_arrows(notes: Notes) -> str:
    return " ".join(f"{start}-{end}" for start, end in notes.arrows)


def _with_note(notes: Notes, name: str, text: str) -> Notes:
    """Return the notes with a comment or with arrows as they are written in a file."""
    if not text.strip():
        return notes
    if name == "comment":
        return replace(notes, comment=text.strip())
    return replace(notes, arrows=tuple(dict.fromkeys((match[1], match[2]) for match in _arrow.finditer(text))))
