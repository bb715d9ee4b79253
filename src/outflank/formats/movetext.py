"""The text around moves: headers like PGN's or `Black: one`, addresses, remarks, and the result.

    [Event "Reversi"]
    [Black "one"]
    [Result "38-26"]

    1. f5 d6 {usual} 2. c3! d3 … 38-26

Such parts are blanked out, so that the rest keeps its place in the text.
"""

import re
from dataclasses import dataclass

_header = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_plain_header = re.compile(r"^[^\S\n]*([a-z][a-z ]{0,20}?)[^\S\n]*:(?!//)([^\n]*)$", re.IGNORECASE | re.MULTILINE)
_only_moves = re.compile(r"(?:[\s\d.,;)-]{0,9}[a-i][1-9])+\W*", re.IGNORECASE)
_players = ("black", "white")
_left = re.compile(r"^[^\S\n]*left unfinished[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
"""The line that `outflank play` prints before the moves of an abandoned game."""
_address = re.compile(r"\b(?:https?://|www\.)\S*", re.IGNORECASE)
_quotes = re.compile("[\"'`“”„‘’«»]")
_remark = re.compile(r"\{[^{}]*\}|\([^()]*\)|(?<=[a-i][1-9])[!?]{1,2}", re.IGNORECASE)
_result = re.compile(
    r"(?:(?<=\s)|(?<=^))\(?(?:1-0|0-1|1/2-1/2|½-½|\*|\d{1,2}\s?[-:–]\s?\d{1,2}|[+-]\d{1,2}(?:\.0+)?|[BW]\+\w{1,6}|draw)\)?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MoveText:
    """Moves, and the headers around them."""

    moves: str
    """The text with everything but the moves blanked out."""
    headers: dict[str, str]
    """The headers by their names in lower case."""

    @property
    def stated_game(self) -> str:
        """The headers that may name the game, in lower case."""
        return " ".join(self.headers.get(key, "") for key in ("variant", "gametype", "game", "event", "site")).lower()

    @property
    def start(self) -> str | None:
        """The starting position, if a header has one."""
        return self.headers.get("fen") or self.headers.get("start") or None


def read_movetext(text: str) -> MoveText:
    """Separate `text` into moves and headers."""
    headers: dict[str, str] = {}
    for match in _header.finditer(text):
        headers.setdefault(match[1].lower(), match[2])
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


def is_header(line: str) -> bool:
    """Return whether a line is a header in brackets."""
    return _header.fullmatch(line.strip()) is not None


def is_address(word: str) -> bool:
    """Return whether a word is a link, as copied along with a game."""
    return _address.match(word) is not None


class Divider:
    """Finds where one game of a text ends: at a header after moves."""

    def __init__(self) -> None:
        self._after_moves = False

    def begins_another(self, line: str) -> bool:
        """Return whether another game begins with this line, given the lines passed before."""
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
