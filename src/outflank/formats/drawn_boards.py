"""Reads boards drawn with letters, one row per line, as `str(board)`, `outflank show` and other programs print them.

Rows may have numbers or letters beside them and bars between their cells; other lines are ignored. In our own drawings
`*` marks a legal move, in other drawings a black disc; it is read as black if the drawing has no other sign for black.
This module has the part that all games share. A game's notation reads the rows.
"""

import re
from collections.abc import Iterator, Sequence

from outflank.errors import FormatError, OutflankError
from outflank.formats.game_record import Setup
from outflank.games.description import OWN_GAMES, claimants, game_named
from outflank.games.sides import Side

NAME = "drawing"

BLACK, WHITE, EMPTY, EITHER = "Xx@#●⚫Bb", "Oo0○⚪Ww", ".-_·∙•", "*"
BARS = "|│┃║¦"
LONGEST = 400
"""Largest number of characters in a line of a drawing."""

_escape = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_colour = rf"(?P<black>black|[{BLACK}*](?!\w))|(?P<white>white|[{WHITE}](?!\w))"
_turn_patterns = (
    re.compile(
        rf"(?<!\w)(?:{_colour})(?:\s+is)?(?:'s)?\s+(?:to\s+(?:move|play)|would\s+move|turn|moves)\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?:turn|(?:side\s+)?to\s+(?:move|play)|next|player)\s*(?:is|[:=])\s*(?:{_colour})", re.IGNORECASE),
    re.compile(rf"^\s*(?:{_colour})\s*$", re.IGNORECASE),
)

Rows = Sequence[Sequence[str]]


def without_colours(text: str) -> str:
    """Return `text` without a terminal's colour codes."""
    return _escape.sub("", text)


LEAST_LINES = 4
"""Smallest number of lines in a drawing."""


def read_drawing(text: str, games: Sequence[str]) -> Setup | None:
    """Return the position of one of `games` that `text` draws; None if `text` has no drawing.

    A line with a position of one of the package's own games, as `outflank show` prints it below a drawing, takes
    precedence.
    """
    lines = [line for line in without_colours(text).splitlines() if line.strip() and len(line) <= LONGEST]
    if len(lines) < LEAST_LINES:
        return None
    for line in reversed(lines):
        for game in claimants(OWN_GAMES, line):
            try:
                line_setup = game.notation.line(line)
            except OutflankError:
                continue
            if line_setup is not None:
                return line_setup
    drawings = (game_named(name).notation.drawing(lines) for name in games)
    return next((setup for setup in drawings if setup is not None), None)


def cells(line: str) -> list[str]:
    """Return the cells of a row, an empty list if the line is not a row. Between bars, a blank is an empty cell."""
    inner = line.strip().strip(BARS)
    between = re.split(f"[{BARS}]", inner)
    if len(between) > 1 and all(len(cell.strip()) <= 1 for cell in between):
        signs = [cell.strip() or "." for cell in between]
    else:
        signs = [char for char in inner if not char.isspace() and char not in BARS]
    return signs if all(cell in BLACK + WHITE + EMPTY + EITHER for cell in signs) else []


def black_signs(rows: Rows) -> str:
    """Return the characters that stand for black in the rows of a drawing."""
    signs = {sign for row in rows for sign in row}
    if "●" in signs and not signs & set(WHITE):
        raise FormatError(f"{NAME}: expected two kinds of discs, found ● alone: without colours they are all alike")
    return BLACK if signs & set(BLACK) else BLACK + EITHER


def stated_turn(lines: Sequence[str]) -> Side | None:
    """Return the side to move, from the last line that states it; None if no line does."""
    return next((side for line in reversed(lines) for side in _sides(line)), None)


def _sides(line: str) -> Iterator[Side]:
    for pattern in _turn_patterns:
        for match in pattern.finditer(line):
            yield Side.BLACK if match["black"] else Side.WHITE
