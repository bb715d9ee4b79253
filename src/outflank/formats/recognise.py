"""What a person pastes, recognised without being told what it is.

What could be either game is Othello, unless the game is given.
"""

import re

from outflank.errors import FormatError, IllegalMove, UnknownName
from outflank.formats import abalone_line, abalone_moves, board_line, position_file, properties, transcript
from outflank.formats.setup import Setup

GAMES = ("othello", "abalone")

FORMATS = (
    "an Othello board line, OBF, a transcript, GGF or SGF, an Abalone line, a list of Abalone moves "
    "or an Abalone position file"
)


def read(text: str, *, game: str | None = None, size: int | None = None, layout: str | None = None) -> Setup:
    """The position or game in `text`, the first if there are several.

    `game` settles what could be either, and so does `size` for Othello or `layout` for Abalone:
    they say where lists of moves start.

    >>> read("a1b2").format, read("c4c3", game="othello").format
    ('Abalone game', 'transcript')
    """
    return read_all(text, game=game, size=size, layout=layout)[0]


def read_all(text: str, *, game: str | None = None, size: int | None = None, layout: str | None = None) -> list[Setup]:
    """All positions in `text`: a file of board lines or OBF may hold many, anything else is one."""
    if game is not None and game not in GAMES:
        raise UnknownName.among("game", game, GAMES)
    stripped = text.strip()
    if not stripped:
        raise FormatError(f"nothing to read: expected {FORMATS}")
    if game != "othello":
        if position_file.HEADER.search(text):
            return [position_file.read_position_file(text)]
        if "/" in stripped.split()[0] and not stripped.startswith("("):
            return [abalone_line.read_abalone_line(stripped)]
    if game == "abalone":
        return [abalone_moves.read_abalone_game(stripped, layout or "standard")]
    if stripped.startswith("(") and "[" in stripped:
        return [properties.read_game(stripped)]
    if re.match(r"(\d{1,3}\s*[.)]\s*)?[a-z][1-9]", stripped, re.IGNORECASE):
        return [_moves(stripped, game, size, layout)]
    if stripped[0] in board_line.CELLS or stripped[0] == "%":
        return _board_lines(text)
    raise FormatError.at("position", stripped, 0, FORMATS)


def _moves(text: str, game: str | None, size: int | None, layout: str | None) -> Setup:
    """Moves of either game: of Othello if they can be."""
    if game is None and layout is not None:
        return abalone_moves.read_abalone_game(text, layout)
    try:
        return transcript.read_transcript(text, size or 8)
    except (FormatError, IllegalMove) as error:
        if game is None and size is None:
            try:
                return abalone_moves.read_abalone_game(text)
            except (FormatError, IllegalMove) as other:
                if not _opens_othello(text):
                    raise other from None
        raise error


def _opens_othello(text: str) -> bool:
    """Whether the first move is one of Othello's four: then it was Othello that was meant."""
    return bool(re.match(r"(\d{1,3}\s*[.)])?\s*(d3|c4|f5|e6)", text, re.IGNORECASE))


def _board_lines(text: str) -> list[Setup]:
    """One position a line, or one that is broken into rows."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.partition("%")[0].strip()]
    if len(lines) < 2 or any(len(line.partition(";")[0].split("%")[0].strip()) <= 16 for _, line in lines):
        return [board_line.read_board_line(text.strip())]
    found = []
    for number, line in lines:
        try:
            found.append(board_line.read_board_line(line))
        except FormatError as error:
            raise FormatError(f"line {number}: {error}") from None
    return found
