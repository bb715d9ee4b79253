"""The positions that experiments search, by name; everywhere a name stands, any notation may stand instead."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.games.description import OWN_GAMES, GameDescription, description_of, game_named
from outflank.search.contract import DEEPEST

USUAL_GAME = OWN_GAMES[0]
"""The game of an experiment that asks for none."""

GAME = f"The game: {', '.join(OWN_GAMES)}, or the name of one that is installed."
"""What `--game` takes."""


def by_game(setting: str) -> str:
    """What a setting of `LabDefaults` is in each of the package's own games: `12 for Othello, 6 for …`."""
    own = [game_named(name) for name in OWN_GAMES]
    return ", ".join(f"{_said(getattr(each.lab, setting))} for {each.title}" for each in own)


def _said(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def game_with(position: str) -> str:
    """The first of the package's own games that has a position of that name."""
    return next(name for name in OWN_GAMES if position in game_named(name).positions)


def usual_board() -> Board[Any]:
    """The position of an experiment that asks for none, and has no game to choose."""
    return board_named(game_named(USUAL_GAME).lab.position)


def positions_help() -> str:
    """What `--positions` takes."""
    own = [game_named(name) for name in OWN_GAMES]
    by_game = "; ".join(f"{each.title}: {', '.join(_shown(each))}" for each in own)
    sets = ", ".join(name for each in own for name in each.position_sets)
    return f"Positions, by name ({by_game}; several at once: {sets}) or in any notation; start@9: to that depth."


def _shown(game: GameDescription) -> list[str]:
    """A game's names; of those that are numbered, the first and the last."""
    stems = [re.sub(r"(?<!\d)\d+$", "", name) for name in game.positions]
    shown: list[str] = []
    for name, stem in zip(game.positions, stems, strict=True):
        if stem in game.position_sets:
            if not any(each.startswith(stem) for each in shown):
                shown.append(f"{stem}1 to {stem}{stems.count(stem)}")
        else:
            shown.append(name)
    return shown


POSITIONS = positions_help()
"""What `--positions` takes."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A position that is asked for."""

    name: str
    """How tables and samples call it: its own name or the notation, and the depth if one is asked for."""
    board: Board[Any]
    depth: int | None = None
    """Plies, where a depth is asked for with it."""


def chosen_boards(game: str, positions: Iterable[str] | None) -> list[Chosen]:
    """The positions that are asked for, each once: names, sets of them, notations, all with or without a depth.

    Without any, the game's own mid-game board.

    >>> [(each.name, each.depth) for each in chosen_boards("othello", ("start@9", "f5d6", "endings"))][:3]
    [('start@9', 9), ('f5d6', None), ('ffo20', None)]
    """
    known = game_named(game)
    found: dict[str, Chosen] = {}
    for text in positions or (known.lab.position,):
        name, depth = _with_depth(text)
        for each in known.position_sets.get(name, (name,)):
            board = board_named(each, game)
            called = f"{name_of(board) or each}{f'@{depth}' if depth else ''}"
            found[called] = Chosen(called, board, depth)
    return list(found.values())


def board_named(text: str, game: str | None = None) -> Board[Any]:
    """The position of that name, or in that notation; with a game, it must be one of it.

    A name that several games have (`start`) is the first one's where no game is said.
    """
    own = [game_named(name) for name in OWN_GAMES]
    wanted = own if game is None else [game_named(game)]
    for each in wanted:
        if text in each.positions:
            return each.positions[text]()
        if text == "start":
            return each.start()
    try:
        board: Board[Any] = Board.from_text(text)
    except OutflankError:
        elsewhere = [each.name for each in own if text in each.positions]
        if elsewhere:
            raise InvalidOption(f"game={game}, but the position is one of {elsewhere[0]}: {text}") from None
        if game is not None and game not in OWN_GAMES:
            return Board.from_text(text, game=game)
        if re.fullmatch(r"[a-z][a-z-]*\d*", text):
            known = [name for each in wanted for name in (*each.positions, *each.position_sets)]
            raise UnknownName.among("position", text, dict.fromkeys(known)) from None
        raise
    found = description_of(board.game).name
    if game is not None and found != game:
        if game not in OWN_GAMES:
            return Board.from_text(text, game=game)
        raise InvalidOption(f"game={game}, but the position is one of {found}: {text}")
    return board


def _with_depth(text: str) -> tuple[str, int | None]:
    name, at, plies = text.rpartition("@")
    if not at:
        return text, None
    if not (plies.isascii() and plies.isdigit() and 1 <= int(plies) <= DEEPEST):
        raise InvalidOption(f"{text}: a number of plies is expected after the @")
    return name, int(plies)


def name_of(board: Board[Any]) -> str | None:
    """What a position is called, if it has a name."""
    return name_of_line(description_of(board.game).name, board.to_text())


def name_of_line(game: str, line: str) -> str | None:
    """The same, for a position as documents have it."""
    try:
        return _names(game).get(line)
    except UnknownName:  # a document of a game that is not installed here
        return None


@cache
def _names(game: str) -> dict[str, str]:
    return {board().to_text(): name for name, board in game_named(game).positions.items()}
