"""The positions that experiments search, by name; everywhere a name stands, any notation may stand instead."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.othello.board import OthelloBoard
from outflank.search.contract import DEEPEST

MIDGAME_LINE = "------------XO-----OOOX---XOOOX--XOXXOX--OOOXX-----XXX----X----- X"

OPENINGS = {"diagonal": "f5d6c3d3c4f4f6", "perpendicular": "f5d6c5f4e3c6d3f6", "parallel": "f5f6e6f4e3"}
"""Boards of Othello after a few moves, by what their openings are called."""

ENDINGS = {
    "ffo20": "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X",
    "ffo21": "OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O",
    "ffo22": "--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O",
    "ffo40": "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
    "ffo41": "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X",
    "ffo42": "--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X",
}
"""Endings of the French federation's test suite, by the numbers that all programs know them by."""


STAGES = ("opening", "early", "middle", "late", "ending")
"""The stages that the tournament positions were taken from: after 8, 16, 24, 34 and 44 moves."""


def othello_start() -> OthelloBoard:
    """The start of Othello."""
    return OthelloBoard.start()


def othello_midgame() -> OthelloBoard:
    """Report 000's picture of its mid-game board is lost: this one is from a tournament game, after 22 moves."""
    return OthelloBoard.from_line(MIDGAME_LINE)


def _abalone(name: str) -> AbaloneBoard:
    """A position of report 003's laboratory."""
    text = (files("outflank") / "lab" / "positions" / f"{name}.position").read_text()
    board = Board.from_text(text)
    assert isinstance(board, AbaloneBoard)
    return board


def _tournament() -> dict[str, str]:
    """Positions of tournament games, drawn by lot, by the stage of the game: lines that `Board.from_text` reads."""
    text = (files("outflank") / "lab" / "positions" / "tournament.txt").read_text()
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {name: f"{squares} {side}" for name, squares, side, _ in rows}


TOURNAMENT = _tournament()

NAMED: dict[str, dict[str, Callable[[], Board[Any]]]] = {
    "othello": {
        "start": othello_start,
        **{name: partial(Board.from_text, moves) for name, moves in OPENINGS.items()},
        "midgame": othello_midgame,
        **{name: partial(Board.from_text, line) for name, line in ENDINGS.items()},
        **{name: partial(Board.from_text, line) for name, line in TOURNAMENT.items()},
        "start4": partial(OthelloBoard.start, 4),
        "start6": partial(OthelloBoard.start, 6),
    },
    "abalone": {
        "start": AbaloneBoard.start,
        **{name: partial(_abalone, name) for name in ("midgame1", "midgame2", "endgame")},
        "belgian-daisy": partial(AbaloneBoard.start, "belgian-daisy"),
    },
}
"""The positions that have a name, game by game."""

SETS: dict[str, dict[str, tuple[str, ...]]] = {
    "othello": {
        "openings": ("start", *OPENINGS),
        "endings": tuple(ENDINGS),
        "tournament": tuple(TOURNAMENT),
        **{stage: tuple(name for name in TOURNAMENT if name[:-1] == stage) for stage in STAGES},
    },
    "abalone": {"laboratory": ("start", "midgame1", "midgame2", "endgame")},
}
"""Several of them under one name."""

GAMES = tuple(NAMED)

USUAL = {"othello": "midgame", "abalone": "midgame1"}
"""The position of a game where none is asked for."""

POSITIONS = (
    "Positions, by name (Othello: "
    f"{', '.join(name for name in NAMED['othello'] if name not in TOURNAMENT)}, {STAGES[0]}1 to {STAGES[-1]}4; "
    f"Abalone: {', '.join(NAMED['abalone'])}; several at "
    f"once: {', '.join(name for sets in SETS.values() for name in sets)}) or in any notation; start@9: to that depth."
)
"""What `--positions` takes."""


def lab_positions() -> dict[str, AbaloneBoard]:
    """The positions of report 003: the start of Abalone, and those of its laboratory."""
    found = {name: NAMED["abalone"][name]() for name in SETS["abalone"]["laboratory"]}
    return {name: board for name, board in found.items() if isinstance(board, AbaloneBoard)}


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
    if game not in GAMES:
        raise InvalidOption(f"game={game!r}: {' or '.join(GAMES)}")
    found: dict[str, Chosen] = {}
    for text in positions or (USUAL[game],):
        name, depth = _with_depth(text)
        for each in SETS[game].get(name, (name,)):
            board = board_named(each, game)
            called = f"{name_of(board) or each}{f'@{depth}' if depth else ''}"
            found[called] = Chosen(called, board, depth)
    return list(found.values())


def board_named(text: str, game: str | None = None) -> Board[Any]:
    """The position of that name, or in that notation; with a game, it must be one of it.

    A name that both games have (`start`) is Othello's where no game is said.
    """
    for each in GAMES if game is None else (game,):
        if text in NAMED[each]:
            return NAMED[each][text]()
    try:
        board: Board[Any] = Board.from_text(text)
    except OutflankError:
        known = [name for each in GAMES if game in (None, each) for name in (*NAMED[each], *SETS[each])]
        elsewhere = [each for each in GAMES if text in NAMED[each]]
        if elsewhere:
            raise InvalidOption(f"game={game}, but the position is one of {elsewhere[0]}: {text}") from None
        if re.fullmatch(r"[a-z][a-z-]*\d*", text):
            raise UnknownName.among("position", text, dict.fromkeys(known)) from None
        raise
    found = type(board.game).__name__.lower()
    if game is not None and found != game:
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
    try:
        return name_of_line(type(board.game).__name__.lower(), board.to_text())
    except OutflankError:  # a game of one's own, without a notation
        return None


def name_of_line(game: str, line: str) -> str | None:
    """The same, for a position as documents have it."""
    return _names().get((game, line))


@cache
def _names() -> dict[tuple[str, str], str]:
    return {(game, board().to_text()): name for game, boards in NAMED.items() for name, board in boards.items()}
