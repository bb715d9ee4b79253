"""Named Othello positions for experiments."""

from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files

from outflank.othello.board import OthelloBoard
from outflank.othello.formats.transcript import read_transcript

MIDGAME_LINE = "------------XO-----OOOX---XOOOX--XOXXOX--OOOXX-----XXX----X----- X"

OPENINGS = {"diagonal": "f5d6c3d3c4f4f6", "perpendicular": "f5d6c5f4e3c6d3f6", "parallel": "f5f6e6f4e3"}
"""Moves of openings, by the openings' names."""

ENDINGS = {
    "ffo20": "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X",
    "ffo21": "OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O",
    "ffo22": "--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O",
    "ffo40": "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
    "ffo41": "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X",
    "ffo42": "--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X",
}
"""Endgame positions of the test suite of FFO (the French Othello federation) as board lines, by their usual numbers."""

STAGES = ("opening", "early", "middle", "late", "ending")
"""Game stages of the tournament positions: after 8, 16, 24, 34 and 44 moves."""


def midgame() -> OthelloBoard:
    """Return a tournament position after 22 moves. It replaces report 000's mid-game board, whose picture is lost."""
    return OthelloBoard.from_line(MIDGAME_LINE)


def _after(moves: str) -> OthelloBoard:
    board = OthelloBoard.start()
    for code in read_transcript(moves).moves:
        board.push(board.move(code))
    return board


@cache
def _tournament() -> dict[str, str]:
    """Return the positions as board lines, by name (`opening1`). They were chosen at random from tournament games."""
    text = (files("outflank.othello.positions") / "tournament.txt").read_text()
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {name: f"{squares} {side}" for name, squares, side, _ in rows}


TOURNAMENT = tuple(f"{stage}{number}" for stage in STAGES for number in range(1, 5))


def _of_tournament(name: str) -> OthelloBoard:
    return OthelloBoard.from_line(_tournament()[name])


POSITIONS: dict[str, Callable[[], OthelloBoard]] = {
    "start": OthelloBoard.start,
    **{name: partial(_after, moves) for name, moves in OPENINGS.items()},
    "midgame": midgame,
    **{name: partial(OthelloBoard.from_line, line) for name, line in ENDINGS.items()},
    **{name: partial(_of_tournament, name) for name in TOURNAMENT},
    "start4": partial(OthelloBoard.start, 4),
    "start6": partial(OthelloBoard.start, 6),
}

SETS: dict[str, tuple[str, ...]] = {
    "openings": ("start", *OPENINGS),
    "endings": tuple(ENDINGS),
    "tournament": TOURNAMENT,
    **{stage: tuple(name for name in TOURNAMENT if name[:-1] == stage) for stage in STAGES},
}
"""Names of the positions in each named set."""
