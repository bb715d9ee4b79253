"""The positions that experiments search: finding them by name or notation, and the names of known positions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.games.description import OWN_GAMES, GameDescription, description_of, game_named
from outflank.search.request import DEEPEST

DEFAULT_GAME = OWN_GAMES[0]
"""Game of experiments without a `game` parameter."""

GAME = f"The game: {', '.join(OWN_GAMES)}, or the name of one that is installed."
"""Help text of `--game`."""


def by_game(setting: str) -> str:
    """Return the value of a `LabDefaults` field for each built-in game as text: `12 for Othello, 6 for Abalone`."""
    games = [game_named(name) for name in OWN_GAMES]
    return ", ".join(f"{_value_text(getattr(game.lab, setting))} for {game.title}" for game in games)


def _value_text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def game_with(position: str) -> str:
    """Return the name of the first built-in game that has a position named `position`."""
    return next(name for name in OWN_GAMES if position in game_named(name).lab.positions)


def default_board() -> Board:
    """Return the position that experiments search if they have neither a `game` nor a `positions` parameter."""
    return board_named(game_named(DEFAULT_GAME).lab.position)


def positions_help() -> str:
    """Return the help text of `--positions`."""
    games = [game_named(name) for name in OWN_GAMES]
    names = "; ".join(f"{game.title}: {', '.join(_position_names(game))}" for game in games)
    sets = ", ".join(name for game in games for name in game.lab.position_sets)
    return f"Positions, by name ({names}; several at once: {sets}) or in any notation; start@9: to that depth."


def _position_names(game: GameDescription) -> list[str]:
    """Return the names of a game's positions. A numbered series is shortened to its first and last name."""
    stems = [re.sub(r"(?<!\d)\d+$", "", position) for position in game.lab.positions]
    names: list[str] = []
    for position, stem in zip(game.lab.positions, stems, strict=True):
        if stem in game.lab.position_sets:
            if not any(listed.startswith(stem) for listed in names):
                names.append(f"{stem}1 to {stem}{stems.count(stem)}")
        else:
            names.append(position)
    return names


POSITIONS = positions_help()
"""Help text of `--positions`."""


@dataclass(frozen=True, slots=True)
class StudyPosition:
    """A position that an experiment searches."""

    name: str
    """Label in tables and samples: the position's name or notation, with `@depth` if the user gave a depth."""
    board: Board
    depth: int | None = None
    """Search depth in plies, if the user gave one with the position, else None."""


def study_positions(game: str, positions: Iterable[str] | None) -> list[StudyPosition]:
    """Return the positions that a user gave as names, names of sets or notations, without duplicates.

    If `positions` is empty, return the game's default mid-game position.

    >>> [(place.name, place.depth) for place in study_positions("othello", ("start@9", "f5d6", "endings"))][:3]
    [('start@9', 9), ('f5d6', None), ('ffo20', None)]
    """
    description = game_named(game)
    places: dict[str, StudyPosition] = {}
    for text in positions or (description.lab.position,):
        name, depth = _with_depth(text)
        for member in description.lab.position_sets.get(name, (name,)):
            board = board_named(member, game)
            label = f"{name_of(board) or member}{f'@{depth}' if depth else ''}"
            places[label] = StudyPosition(label, board, depth)
    return list(places.values())


def board_named(text: str, game: str | None = None) -> Board:
    """Return the position that `text` names or gives in notation. It must belong to `game`, if `game` is given.

    Without `game`, a name that several games have (`start`) means a position of the first of these games.
    """
    own_games = [game_named(name) for name in OWN_GAMES]
    candidates = own_games if game is None else [game_named(game)]
    for description in candidates:
        if text in description.lab.positions:
            return description.lab.positions[text]()
        if text == "start":
            return description.start()
    try:
        board: Board = Board.from_text(text)
    except OutflankError:
        owners = [description.name for description in own_games if text in description.lab.positions]
        if owners:
            raise InvalidOption(f"game={game}, but the position is one of {owners[0]}: {text}") from None
        if game is not None and game not in OWN_GAMES:
            return Board.from_text(text, game=game)
        if re.fullmatch(r"[a-z][a-z-]*\d*", text):
            labs = [description.lab for description in candidates]
            known = [name for lab in labs for name in (*lab.positions, *lab.position_sets)]
            raise UnknownName.among("position", text, dict.fromkeys(known)) from None
        raise
    actual = description_of(board.game).name
    if game is not None and actual != game:
        if game not in OWN_GAMES:
            return Board.from_text(text, game=game)
        raise InvalidOption(f"game={game}, but the position is one of {actual}: {text}")
    return board


def _with_depth(text: str) -> tuple[str, int | None]:
    name, at, plies = text.rpartition("@")
    if not at:
        return text, None
    if not (plies.isascii() and plies.isdigit() and 1 <= int(plies) <= DEEPEST):
        raise InvalidOption(f"{text}: a number of plies is expected after the @")
    return name, int(plies)


def name_of(board: Board) -> str | None:
    """Return the name of a position, or None if it has no name."""
    return name_of_line(description_of(board.game).name, board.to_text())


def name_of_line(game: str, line: str) -> str | None:
    """Return the name of the position that `line` gives in notation, or None if it has no name."""
    try:
        return _names(game).get(line)
    except UnknownName:  # the game is not installed here
        return None


@cache
def _names(game: str) -> dict[str, str]:
    return {board().to_text(): name for name, board in game_named(game).lab.positions.items()}
