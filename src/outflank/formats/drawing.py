"""Boards drawn with letters, a row a line: what `str(board)` and `outflank show` print, and what other programs do.

Rows may have their numbers or letters beside them and bars between their cells; lines that are no rows are passed over.
The legal moves in our own drawings are `*`, which elsewhere is a black disc: it is one where nothing else is black.
What is here is the same in every game; a game's notation knows its rows.
"""

import re
from collections.abc import Iterator, Sequence

from outflank.errors import FormatError, OutflankError
from outflank.formats.setup import Setup
from outflank.games.description import GameDescription
from outflank.games.sides import Side

NAME = "drawing"

BLACK, WHITE, EMPTY, EITHER = "Xx@#●⚫Bb", "Oo0○⚪Ww", ".-_·∙•", "*"
BARS = "|│┃║¦"
LONGEST = 400
"""Letters of the longest line that may be one of a drawing."""

_escape = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_colour = rf"(?P<black>black|[{BLACK}*](?!\w))|(?P<white>white|[{WHITE}](?!\w))"
_said = (
    re.compile(
        rf"(?<!\w)(?:{_colour})(?:\s+is)?(?:'s)?\s+(?:to\s+(?:move|play)|would\s+move|turn|moves)\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?:turn|(?:side\s+)?to\s+(?:move|play)|next|player)\s*(?:is|[:=])\s*(?:{_colour})", re.IGNORECASE),
    re.compile(rf"^\s*(?:{_colour})\s*$", re.IGNORECASE),
)

Rows = Sequence[Sequence[str]]


def without_colours(text: str) -> str:
    """`text` without what makes a terminal colour it."""
    return _escape.sub("", text)


LEAST_LINES = 4
"""Of a drawing."""


def read_drawing(text: str, games: Sequence[GameDescription], known: Sequence[GameDescription]) -> Setup | None:
    """The position of one of `games` that `text` draws; None if no board is to be seen in it.

    A position of any `known` game on a line of its own, as `outflank show` prints it below a drawing, says more.
    """
    lines = [line for line in without_colours(text).splitlines() if line.strip() and len(line) <= LONGEST]
    if len(lines) < LEAST_LINES:
        return None
    for line in reversed(lines):
        for game in known:
            try:
                written = game.notation.line(line)
            except OutflankError:
                continue
            if written is not None:
                return written
    return next((drawn for game in games if (drawn := game.notation.drawing(lines)) is not None), None)


def cells(line: str) -> list[str]:
    """The cells of a row; none if the line is no row. Between bars, what is blank is empty."""
    inner = line.strip().strip(BARS)
    between = re.split(f"[{BARS}]", inner)
    if len(between) > 1 and all(len(cell.strip()) <= 1 for cell in between):
        found = [cell.strip() or "." for cell in between]
    else:
        found = [char for char in inner if not char.isspace() and char not in BARS]
    return found if all(cell in BLACK + WHITE + EMPTY + EITHER for cell in found) else []


def black_signs(rows: Rows) -> str:
    """What stands for black here."""
    signs = {sign for row in rows for sign in row}
    if "●" in signs and not signs & set(WHITE):
        raise FormatError(f"{NAME}: expected two kinds of discs, found ● alone: without colours they are all alike")
    return BLACK if signs & set(BLACK) else BLACK + EITHER


def turn_told(lines: Sequence[str]) -> Side | None:
    """The side to move, where a line says so; the last that does counts."""
    return next((side for line in reversed(lines) for side in _sides(line)), None)


def _sides(line: str) -> Iterator[Side]:
    for pattern in _said:
        for found in pattern.finditer(line):
            yield Side.BLACK if found["black"] else Side.WHITE
