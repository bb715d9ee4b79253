"""Separates moves from the text around them: headers like PGN's or `Black: one`, links, remarks, and the result.

    [Event "Reversi"]
    [Black "one"]
    [Result "38-26"]

    1. f5 d6 {usual} 2. c3! d3 … 38-26

Everything but the moves is replaced by blanks, so that the moves keep their places in the text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outflank.errors import OutflankError, place_in
from outflank.formats.clock_text import ClockTimes, write_clock
from outflank.formats.fields import read_number
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.games.description import GameDescription, RuleOptions, description_of
from outflank.games.rules import Game
from outflank.games.sides import Side

if TYPE_CHECKING:
    from outflank.boards.board import Board


NAME = "moves"

_word = re.compile(r"(?:\d{1,4}[.)](?:\.\.)?)?([^\s,;]*)")


def read_moves(description: GameDescription, text: str, options: RuleOptions) -> Record:
    """Return the game with the moves in `text`, from the starting position that `options` determine."""
    if description.notation.moves is not None:
        return description.notation.moves(text, options)
    board = description.start(**options)
    first = Setup(format=NAME, game=board.game, position=board.position, turn=board.turn)
    return _play_words(first, board, text)


def read_moves_from(description: GameDescription, text: str, start: Setup) -> Record:
    """Return the game with the moves in `text`, from the position `start`."""
    if description.notation.moves_from is not None:
        return description.notation.moves_from(text, start)
    board = description.boards(start.game, start.position, start.turn, ply=start.ply)
    return _play_words(replace(start, format=NAME), board, text)


def write_moves(game: Game, codes: Sequence[int], turn: Side = Side.BLACK) -> str:
    """Return moves as a line of text; `turn` makes the first move."""
    description = description_of(game)
    if description.notation.write_moves is not None:
        return description.notation.write_moves(game, codes)
    board = description.boards(game, description.start().position, turn)  # names of moves do not depend on the position
    return " ".join(str(move) for move in board.line(codes))


def _play_words(start: Setup, board: "Board", text: str) -> Record:
    for match in _word.finditer(text):
        if match[1]:
            try:
                board.push(match[1])
            except OutflankError as error:
                number = len(board.moves) + 1
                raise type(error)(f"{NAME}, {place_in(text, match.start(1))}, move {number}: {error}") from None
    outcome = board.outcome()
    score = None if outcome is None else float(board.recorded_score(outcome))
    return Record(start=start, moves=tuple(PlayedMove(code=move.code) for move in board.moves), score=score)


_header = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_plain_header = re.compile(r"^[^\S\n]*([a-z][a-z ]{0,20}?)[^\S\n]*:(?!//)([^\n]*)$", re.IGNORECASE | re.MULTILINE)
_only_moves = re.compile(r"(?:[\s\d.,;)-]{0,9}[a-i][1-9])+\W*", re.IGNORECASE)
_players = ("black", "white")
_left = re.compile(r"^[^\S\n]*left unfinished[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
"""Line that `outflank play` prints before the moves of an abandoned game."""
_address = re.compile(r"\b(?:https?://|www\.)\S*", re.IGNORECASE)
_quotes = re.compile("[\"'`“”„‘’«»]")
_remark = re.compile(r"\{[^{}]*\}|\([^()]*\)|(?<=[a-i][1-9])[!?]{1,2}", re.IGNORECASE)
_result = re.compile(
    r"(?:(?<=\s)|(?<=^))\(?(?:1-0|0-1|1/2-1/2|½-½|\*|\d{1,2}\s?[-:–]\s?\d{1,2}|[+-]\d{1,2}(?:\.0+)?|[BW]\+\w{1,6}|draw)\)?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MoveText:
    """The moves of a text, separated from its headers."""

    moves: str
    """Text in which everything but the moves is replaced by blanks."""
    headers: dict[str, str]
    """Headers by their names, which are in lower case."""

    @property
    def stated_game(self) -> str:
        """Text of the headers that may name the game, in lower case."""
        return " ".join(self.headers.get(key, "") for key in ("variant", "gametype", "game", "event", "site")).lower()

    @property
    def start(self) -> str | None:
        """Starting position that a header states; None if no header does."""
        return self.headers.get("fen") or self.headers.get("start") or None


def bracketed_headers(text: str) -> dict[str, str]:
    """Return the headers in brackets of a text, like PGN's, by name. Of headers with one name, the first counts."""
    headers: dict[str, str] = {}
    for match in _header.finditer(text):
        headers.setdefault(match[1].lower(), match[2])
    return headers


def read_movetext(text: str) -> MoveText:
    """Return the moves and the headers of `text`."""
    headers = bracketed_headers(text)
    bare = _header.sub(_blank, text)

    def without_plain_header(match: re.Match[str]) -> str:
        name, content = match[1].lower(), match[2]
        if name == "moves" or (name not in _players and _only_moves.fullmatch(content.strip())):  # Moves: f5 pass
            return " " * (len(match[0]) - len(content)) + content
        headers.setdefault(name, content.strip())
        return _blank(match)

    for pattern in (_address, _remark, _quotes, _left):
        bare = pattern.sub(_blank, bare)
    bare = _plain_header.sub(without_plain_header, bare)
    return MoveText(_result.sub(_blank, bare), headers)


def with_headers(record: Record, headers: Mapping[str, str]) -> Record:
    """Return the record with the data of `headers`, which are headers of PGN or of a saved game."""
    saved = headers if "game" in headers else {}
    score = _score(headers.get("result", ""))
    if score is None:
        score = read_number(saved.get("score", ""))
    return replace(
        record,
        black=_known(headers.get("black", "")),
        white=_known(headers.get("white", "")),
        event=_known(headers.get("event", "")) or _known(headers.get("site", "")),
        date=_date(headers.get("date", "")),
        score=record.score if score is None else score,
        clock=_clock(headers.get("timecontrol", "")) or saved.get("clock", ""),
        reason=saved.get("reason", ""),
    )


def _known(text: str) -> str:
    return "" if text.strip() in ("?", "-") else text.strip()


def _score(text: str) -> float | None:
    """Return black's score from a PGN result, 0 for a draw; None if the result states only who won."""
    match = re.fullmatch(r"\s*(\d{1,2})\s*[-:–]\s*(\d{1,2})\s*", text, re.ASCII)
    if match is None or int(match[1]) + int(match[2]) <= 1:
        return 0.0 if text.strip() in ("1/2-1/2", "½-½") else None
    return float(int(match[1]) - int(match[2]))


def _date(text: str) -> str:
    """Return the known part of a date like `2020.05.??`, in ISO format."""
    match = re.fullmatch(r"\s*(\d{4})(?:[.-](\d\d))?(?:[.-](\d\d))?(T[\d:]+\S*)?.*", text, re.ASCII | re.DOTALL)
    return "-".join(part for part in match.groups()[:3] if part) + (match[4] or "") if match else ""


def _clock(text: str) -> str:
    """Return a PGN time control (`seconds+increment`) in our notation; empty if `text` is not one."""
    match = re.fullmatch(r"(\d{1,6})(?:\+(\d{1,6}))?", text.strip(), re.ASCII)
    return write_clock(ClockTimes(float(match[1]), float(match[2] or 0))) if match and int(match[1]) else ""


def is_header(line: str) -> bool:
    """Return whether a line is a header in brackets."""
    return _header.fullmatch(line.strip()) is not None


def is_address(word: str) -> bool:
    """Return whether a word is a web address, which may have been copied along with a game."""
    return _address.match(word) is not None


class Divider:
    """Divides the lines of a text into games: a header after moves begins the next game."""

    def __init__(self) -> None:
        self._after_moves = False

    def begins_another(self, line: str) -> bool:
        """Return whether another game begins with this line, given the lines of earlier calls."""
        header = is_header(line)
        another = header and self._after_moves
        self._after_moves = not header and (self._after_moves or bool(line.strip()))
        return another


def split_movetexts(text: str) -> list[str]:
    """Return the games of a text, each with its headers."""
    games: list[list[str]] = [[]]
    divider = Divider()
    for line in text.splitlines():
        if divider.begins_another(line):
            games.append([])
        games[-1].append(line)
    return ["\n".join(lines) for lines in games]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
