"""What stands around moves in a text: headers like PGN's or `Black: one`, addresses, remarks, and the result.

    [Event "Reversi"]
    [Black "one"]
    [Result "38-26"]

    1. f5 d6 {usual} 2. c3! d3 … 38-26

Such things are blanked out, so that what is left keeps its place in the text.
"""

import re
from dataclasses import dataclass

_header = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
_plain_header = re.compile(r"^[^\S\n]*([a-z][a-z ]{0,20}?)[^\S\n]*:(?!//)([^\n]*)$", re.IGNORECASE | re.MULTILINE)
_only_moves = re.compile(r"(?:[\s\d.,;)-]{0,9}[a-i][1-9])+\W*", re.IGNORECASE)
_players = ("black", "white")
_left = re.compile(r"^[^\S\n]*left unfinished[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
"""What `outflank play` prints before the moves of a game that somebody left."""
_address = re.compile(r"\b(?:https?://|www\.)\S*", re.IGNORECASE)
_quotes = re.compile("[\"'`“”„‘’«»]")
_remark = re.compile(r"\{[^{}]*\}|\([^()]*\)|(?<=[a-i][1-9])[!?]{1,2}", re.IGNORECASE)
_result = re.compile(
    r"(?:(?<=\s)|(?<=^))\(?(?:1-0|0-1|1/2-1/2|½-½|\*|\d{1,2}\s?[-:–]\s?\d{1,2}|[+-]\d{1,2}(?:\.0+)?|[BW]\+\w{1,6}|draw)\)?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MoveText:
    """Moves, and what was said around them."""

    moves: str
    """The text with all but the moves blanked out."""
    headers: dict[str, str]
    """By their names, in small letters."""

    @property
    def told_game(self) -> str:
        """What the headers say of the game, in small letters."""
        return " ".join(self.headers.get(key, "") for key in ("variant", "gametype", "game", "event", "site")).lower()

    @property
    def start(self) -> str | None:
        """The position from which it starts, if a header has one."""
        return self.headers.get("fen") or self.headers.get("start") or None


def read_movetext(text: str) -> MoveText:
    """`text`, divided into moves and the rest."""
    headers: dict[str, str] = {}
    for found in _header.finditer(text):
        headers.setdefault(found[1].lower(), found[2])
    bare = _header.sub(_blank, text)

    def without_plain_header(found: re.Match[str]) -> str:
        name, said = found[1].lower(), found[2]
        if name == "moves" or (name not in _players and _only_moves.fullmatch(said.strip())):  # Moves: f5 pass
            return " " * (len(found[0]) - len(said)) + said
        headers.setdefault(name, said.strip())
        return _blank(found)

    for around in (_address, _remark, _quotes, _left):
        bare = around.sub(_blank, bare)
    bare = _plain_header.sub(without_plain_header, bare)
    return MoveText(_result.sub(_blank, bare), headers)


def is_header(line: str) -> bool:
    """Whether a line is one of the headers in brackets."""
    return _header.fullmatch(line.strip()) is not None


def is_address(word: str) -> bool:
    """Whether a word is a link, as it is copied along with a game."""
    return _address.match(word) is not None


class Divider:
    """Tells where in a text one game ends: at a header after moves."""

    def __init__(self) -> None:
        self._after_moves = False

    def begins_another(self, line: str) -> bool:
        """Whether another game begins with this line, after those asked for before."""
        header = is_header(line)
        another = header and self._after_moves
        self._after_moves = not header and (self._after_moves or bool(line.strip()))
        return another


def split_movetexts(text: str) -> list[str]:
    """The games of a text, each with its headers."""
    games: list[list[str]] = [[]]
    divider = Divider()
    for line in text.splitlines():
        if divider.begins_another(line):
            games.append([])
        games[-1].append(line)
    return ["\n".join(lines) for lines in games]


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])
