"""Boards on the terminal: coloured discs where they can be told apart, letters elsewhere."""

from typing import Any

from rich.console import Console
from rich.text import Text

from outflank.abalone.board import AbaloneBoard
from outflank.boards import Board
from outflank.games.sides import Side
from outflank.othello.board import OthelloBoard
from outflank.ui.cli.common import describe, letters_only

STYLES = {
    "othello": {
        "X": "#101010 on #2e7d54",
        "O": "#ffffff on #2e7d54",
        ".": "#1d5337 on #2e7d54",
        "*": "#f2d95c on #2e7d54",
    },
    "abalone": {
        "X": "#101010 on #a97f4c",
        "O": "#ffffff on #a97f4c",
        ".": "#7d5a2e on #a97f4c",
        "*": "#f2e08a on #a97f4c",
    },
}
LAST = "#c05a2b"
"""Behind the last move."""
SHAPES = {"X": "●", "O": "●", ".": "·", "*": "•"}


def draw(console: Console, board: Board[Any], *, last: bool = False) -> None:
    """Draw a board, with what there is to say of it; with `last` the last move is marked."""
    draw_cells(console, board, last=last)
    console.print()
    for line in facts(board):
        console.print(line)


def draw_cells(console: Console, board: Board[Any], *, last: bool = False) -> None:
    """Draw a board and nothing else."""
    coloured = not letters_only(console)
    game = "othello" if isinstance(board, OthelloBoard) else "abalone"
    for line in board.diagram(last=last):
        console.print(_coloured(line, game) if coloured else line)


def _coloured(line: str, game: str) -> Text:
    """A line of a diagram with discs for its letters; labels stand before the first cell and after the last."""
    styles = STYLES[game]
    text = Text()
    body = [index for index, char in enumerate(line) if char in styles]
    inside = range(body[0], body[-1] + 1) if body else range(0)
    marked = False
    for index, char in enumerate(line):
        marked = char == "[" or (marked and char != "]")
        if char in "[]":
            text.append(" ", styles["."] if index in inside else "dim")
        elif index not in inside:
            text.append(char, "dim")
        elif char in styles:
            text.append(SHAPES[char], f"{styles[char].partition(' on ')[0]} on {LAST}" if marked else styles[char])
        else:
            text.append(char, styles["."])
    return text


def facts(board: Board[Any]) -> list[str]:
    """Game, move and score; who is to move and where, or how it ended; the position on a line."""
    outcome = board.outcome()
    if isinstance(board, OthelloBoard):
        score = f"black {board.discs(Side.BLACK)}, white {board.discs(Side.WHITE)}"
    elif isinstance(board, AbaloneBoard):
        score = f"marbles lost: black {board.lost(Side.BLACK)}, white {board.lost(Side.WHITE)}"
    else:
        score = ""
    lines = [f"{describe(board)}, move {board.ply + 1}; {score}"]
    if outcome is None:
        moves = board.listed_moves()
        lines.append(f"{board.turn} to move, {len(moves)} legal: {' '.join(moves)}")
    else:
        winner = f"{outcome.winner} wins" if outcome.winner else "a draw"
        margin = f" by {abs(outcome.score)}" if isinstance(board, OthelloBoard) and outcome.winner else ""
        lines.append(f"over: {winner}{margin} ({outcome.reason})")
    return [*lines, board.to_text()]
