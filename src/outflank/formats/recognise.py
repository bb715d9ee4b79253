"""What a person pastes, recognised without being told what it is.

What could be either game is Othello, unless the game is given.
"""

import re
from collections.abc import Callable
from io import BytesIO

from outflank.abalone.rules import Abalone
from outflank.errors import FormatError, IllegalMove, OutflankError, UnknownName
from outflank.formats import abalone_line, abalone_moves, board_line, position_file, properties, transcript
from outflank.formats.abalone_games import looks_like_games, read_abalone_games
from outflank.formats.bracket_games import split_games
from outflank.formats.drawing import read_drawing, without_colours
from outflank.formats.line_games import without_comment
from outflank.formats.movetext import MoveText, is_address, read_movetext, split_movetexts
from outflank.formats.setup import Setup

GAMES = ("othello", "abalone")

FORMATS = {
    "othello": "an Othello board line, OBF, a transcript, GGF, SGF or a drawing of the board",
    "abalone": "an Abalone line, a list of Abalone moves, a saved game, a position file or a drawing of the board",
    None: (
        "an Othello board line, OBF, a transcript, GGF or SGF, an Abalone line, a list of Abalone moves, "
        "a saved Abalone game, an Abalone position file or a drawing of either board"
    ),
}
"""What is understood, by the game that is asked for."""

_one_move = r"(?:\d{1,3}\s*[.)]\s*(?:\.\.)?)?\s*([a-z][1-9])"


def read(text: str, *, game: str | None = None, size: int | None = None, layout: str | None = None) -> Setup:
    """The position or game in `text`, the first if there are several.

    `game` settles what could be either, and so does `size` for Othello or `layout` for Abalone:
    they say where lists of moves start.

    >>> read("a1b2").format, read("c4c3", game="othello").format
    ('Abalone game', 'transcript')
    """
    return read_all(text, game=game, size=size, layout=layout)[0]


def read_all(text: str, *, game: str | None = None, size: int | None = None, layout: str | None = None) -> list[Setup]:
    """All positions and games in `text`: one, or as many as there are lines, games in brackets, or saved games."""
    if game is not None and game not in GAMES:
        raise UnknownName.among("game", game, GAMES)
    text = without_colours(text.removeprefix("\ufeff"))
    if not text.strip():
        raise FormatError(f"nothing to read: expected {FORMATS[game]}")
    try:
        return _written(text, game, size, layout)
    except (FormatError, IllegalMove) as error:
        drawn = read_drawing(text, game)
        if drawn is not None:
            return [drawn]
        _refuse_the_other_game(text, game)
        raise error from None


def _written(text: str, game: str | None, size: int | None, layout: str | None) -> list[Setup]:
    stripped = text.strip()
    if game != "othello":
        if position_file.HEADER.search(text):
            return [position_file.read_position_file(text)]
        if looks_like_games(stripped):
            return [record.setup for record in read_abalone_games(BytesIO(text.encode("utf-8", "replace")))]
        word = stripped.split()[0]
        if "/" in word and not stripped.startswith("(") and not is_address(word):
            return [abalone_line.read_abalone_line(stripped)]
    if game != "abalone" and stripped.startswith("(") and "[" in stripped:
        return _bracket_games(stripped)
    games = split_movetexts(stripped)
    if len(games) > 1:
        return [setup for each in games for setup in _written(each, game, size, layout)]
    told = read_movetext(stripped)
    if re.match(_one_move, told.moves.strip(), re.IGNORECASE):
        return _moves(told, game or told.game, size, layout)
    if game != "abalone" and (stripped[0] in board_line.CELLS or stripped[0] == "%"):
        return _board_lines(text)
    raise FormatError.at("position", stripped, 0, FORMATS[game])


def _refuse_the_other_game(text: str, game: str | None) -> None:
    """Say so if the text is of the other game, in a notation that only that one has."""
    try:
        found = _written(text, None, None, None)[0] if game is not None else None
    except OutflankError:
        return
    if found is None or (found.format in (transcript.NAME, abalone_moves.GAME) and not looks_like_games(text)):
        return
    if isinstance(found.game, Abalone) is (game == "othello"):
        raise FormatError(f"{found.format}: of {_other(game).capitalize()}, and {str(game).capitalize()} is asked for")


def _other(game: str | None) -> str:
    return "abalone" if game == "othello" else "othello"


def _bracket_games(text: str) -> list[Setup]:
    try:
        games = [game for game, _ in split_games(BytesIO(text.encode("utf-8", "replace")))]
    except FormatError:
        games = [text]  # the first one may be whole
    if len(games) == 1:
        return [properties.read_game(text)]
    found = []
    for number, game in enumerate(games, 1):
        try:
            found.append(properties.read_game(game))
        except OutflankError as error:
            raise FormatError(f"game {number}: {error}") from None
    return found


# --- lists of moves ---


def _moves(told: MoveText, game: str | None, size: int | None, layout: str | None) -> list[Setup]:
    """Moves of either game, of Othello if they can be: one game, or one a line."""
    game = game or ("abalone" if layout is not None else "othello" if size is not None else None)
    if told.start is not None:
        return [_from_position(told, game)]
    readers: dict[str, Callable[[str], Setup]] = {
        "othello": lambda text: transcript.read_transcript(text, size or 8),
        "abalone": lambda text: abalone_moves.read_abalone_game(text, layout or "standard"),
    }
    try:
        return [_read_moves(told.moves, game, readers)]
    except (FormatError, IllegalMove):
        lines = [line for line in told.moves.splitlines() if without_comment(line).strip()]
        if len(lines) < 2 or not all(_first_move(line) for line in lines):
            raise
        try:
            return [_read_moves(read_movetext(without_comment(line)).moves, game, readers) for line in lines]
        except (FormatError, IllegalMove):
            pass
        raise


def _read_moves(text: str, game: str | None, readers: dict[str, Callable[[str], Setup]]) -> Setup:
    if game is not None:
        return readers[game](text)
    # That Othello began on a mirrored board is an assumption, and dashes stand in moves of Abalone more than between
    # those of Othello: what is a game of Abalone comes first then.
    order = GAMES[::-1] if _first_move(text) in MIRRORED_FIRST or _dashed.search(text) else GAMES
    errors: dict[str, OutflankError] = {}
    for kind in order:
        try:
            return readers[kind](text)
        except (FormatError, IllegalMove) as error:
            errors[kind] = error
    raise errors[_meant(text)]


_dashed = re.compile(r"[a-i][1-9]-[a-i][1-9]", re.IGNORECASE)

FIRST = ("d3", "c4", "f5", "e6")
MIRRORED_FIRST = ("e3", "f4", "c5", "d6")
"""The moves with which a game of Othello can begin on the 8×8 board, and on a mirrored one."""


def _first_move(text: str) -> str:
    found = re.match(_one_move, text.strip(), re.IGNORECASE)
    return found[1].lower() if found else ""


def _meant(text: str) -> str:
    """The game of a list of moves that is right in neither: that of its first move."""
    if _first_move(text) in (*FIRST, *MIRRORED_FIRST):
        return "othello"
    word = re.sub(r"^\d{1,3}\s*[.)]\s*", "", text.strip()).split()[0]
    try:
        return "abalone" if abalone_moves.meanings(word) else "othello"
    except FormatError:
        return "abalone" if re.search(r"i[1-9]|[a-i]9", text, re.IGNORECASE) else "othello"


def _from_position(told: MoveText, game: str | None) -> Setup:
    """Moves from a position that a header has."""
    start = _written(told.start or "", game, None, None)[0]
    if start.moves:
        raise FormatError(f"the header of the start: expected a position, found {(told.start or '')[:40]!r}")
    if isinstance(start.game, Abalone):
        return abalone_moves.read_abalone_moves(told.moves, start)
    return transcript.read_moves(told.moves, start)


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
