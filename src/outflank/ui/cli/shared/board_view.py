"""Boards on the terminal: coloured discs if the terminal can show them, otherwise letters."""

from rich.console import Console
from rich.text import Text

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.presentation import TerminalColours
from outflank.ui.cli.shared.position_options import describe, letters_only

LAST = "#c05a2b"
"""Background colour of the cell of the last move."""
SHAPES = {"X": "●", "O": "●", ".": "·", "*": "•"}


def draw(console: Console, board: Board, *, last: bool = False) -> None:
    """Draw a board and the lines of `facts` below it. With `last`, the last move is marked."""
    draw_cells(console, board, last=last)
    console.print()
    for line in facts(board):
        console.print(line)


def draw_cells(console: Console, board: Board, *, last: bool = False) -> None:
    """Draw only the cells of a board."""
    # A game without its own diagram describes the position in words, which have no cells to colour.
    coloured = not letters_only(console) and type(board).diagram is not Board.diagram
    colours = description_of(board.game).presentation.colours
    for line in board.diagram(last=last):
        console.print(_coloured(line, colours) if coloured else line)


def _coloured(line: str, colours: TerminalColours) -> Text:
    """Return a line of a diagram with discs in place of letters. Labels outside the cells become dim."""
    letter_colours = {"X": colours.black, "O": colours.white, ".": colours.empty, "*": colours.legal}
    styles = {letter: f"{colour} on {colours.ground}" for letter, colour in letter_colours.items()}
    text = Text()
    cells = [index for index, char in enumerate(line) if char in styles]
    inside = range(cells[0], cells[-1] + 1) if cells else range(0)
    marked = False
    for index, char in enumerate(line):
        marked = char == "[" or (marked and char != "]")
        if char in "[]":
            text.append(" ", styles["."] if index in inside else "dim")
        elif index not in inside:
            text.append(char, "dim")
        elif char in styles:
            text.append(SHAPES[char], f"{letter_colours[char]} on {LAST}" if marked else styles[char])
        else:
            text.append(char, styles["."])
    return text


def facts(board: Board) -> list[str]:
    """Return three lines: game, move number, score and opening; side to move and legal moves, or outcome; position as
    text."""
    outcome = board.outcome()
    opening = f"opening: {board.opening}" if board.opening else ""
    lines = ["; ".join(filter(None, (f"{describe(board)}, move {board.ply + 1}", board.score_text(), opening)))]
    if outcome is None:
        moves = board.legal_move_texts()
        lines.append(f"{board.turn} to move, {len(moves)} legal: {' '.join(moves)}")
    else:
        winner = f"{outcome.winner} wins" if outcome.winner else "a draw"
        margin = f" by {abs(outcome.score)}" if description_of(board.game).scores.scored and outcome.winner else ""
        lines.append(f"over: {winner}{margin} ({outcome.reason})")
    return [*lines, board.to_text()]
