"""`outflank show`."""

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from outflank.boards import AbaloneBoard, Board, OthelloBoard
from outflank.errors import OutflankError
from outflank.formats.abalone_moves import ends
from outflank.formats.diagram import abalone_diagram, othello_diagram
from outflank.games.abalone.geometry import Cell, on_board, stepped
from outflank.games.sides import Side
from outflank.ui.cli.common import PositionCommand, boards, describe, letters_only, output, position_options, print_json
from outflank.ui.cli.writing import STANDARD_OUTPUT, deliver, force_option, refuse_to_overwrite

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
SHAPES = {"X": "●", "O": "●", ".": "·", "*": "•"}


@click.command("show", cls=PositionCommand)
@position_options
@click.option("--svg", metavar="FILE", help="Write a picture to FILE as well; - prints it instead.")
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per position.")
def command(svg: str | None, force: bool, as_json: bool, **options: Any) -> None:
    """Draw a position, or the end of a game, with its legal moves.

    POSITION may be an Othello board line, OBF, a transcript, GGF, SGF, an Abalone line, a list
    of Abalone moves or an Abalone position file; it is recognised by itself.

    \b
      outflank show f5d6c3d3c4
      outflank show --game abalone --layout the-wall
      outflank show --file game.ggf --svg board.svg
    """
    found = boards(**options)
    if svg is not None and len(found) > 1:
        raise OutflankError(f"--svg: the text holds {len(found)} positions, a picture shows one")
    if svg is not None:
        refuse_to_overwrite([svg], force=force)
        deliver(svg, found[0].svg())
        if svg == STANDARD_OUTPUT:
            return
    console = output()
    for number, board in enumerate(found):
        if as_json:
            _print_as_json(board)
            continue
        if number:
            console.print()
        draw(console, board)


def draw(console: Console, board: Board[Any]) -> None:
    """Draw a board, with what there is to say of it."""
    coloured = not letters_only(console)
    game = "othello" if isinstance(board, OthelloBoard) else "abalone"
    for line in _diagram(board):
        console.print(_coloured(line, game) if coloured else line)
    console.print()
    for line in _facts(board):
        console.print(line)


def _diagram(board: Board[Any]) -> list[str]:
    black, white = board._by_colour()
    if isinstance(board, OthelloBoard):
        return othello_diagram(board.size, black, white, {move.code for move in board.legal_moves})
    return abalone_diagram(black, white, _reachable(board))


def _reachable(board: Board[Any]) -> set[Cell]:
    """The cells that some move's marbles step to."""
    reached = set()
    for move in board.legal_moves:
        first, last, step = ends(move.code)
        reached |= {cell for end in (first, last) if on_board(cell := stepped(end, step))}
    return reached


def _coloured(line: str, game: str) -> Text:
    """A line of a diagram with discs for its letters; labels stand before the first cell and after the last."""
    styles = STYLES[game]
    text = Text()
    body = [index for index, char in enumerate(line) if char in styles]
    inside = range(body[0], body[-1] + 1) if body else range(0)
    for index, char in enumerate(line):
        if index not in inside:
            text.append(char, "dim")
        elif char in styles:
            text.append(SHAPES[char], styles[char])
        else:
            text.append(char, styles["."])
    return text


def _facts(board: Board[Any]) -> list[str]:
    outcome = board.outcome()
    if isinstance(board, OthelloBoard):
        score = f"black {board.discs(Side.BLACK)}, white {board.discs(Side.WHITE)}"
    elif isinstance(board, AbaloneBoard):
        score = f"marbles lost: black {board.lost(Side.BLACK)}, white {board.lost(Side.WHITE)}"
    else:
        score = ""
    lines = [f"{describe(board)}, move {board.ply + 1}; {score}"]
    if outcome is None:
        moves = " ".join(map(str, board.legal_moves))
        lines.append(f"{board.turn} to move, {len(board.legal_moves)} legal: {moves}")
    else:
        winner = f"{outcome.winner} wins" if outcome.winner else "a draw"
        margin = f" by {abs(outcome.score)}" if isinstance(board, OthelloBoard) and outcome.winner else ""
        lines.append(f"over: {winner}{margin} ({outcome.reason})")
    return [*lines, board.to_text()]


def _print_as_json(board: Board[Any]) -> None:
    outcome = board.outcome()
    print_json(
        "show",
        game=type(board.game).__name__.lower(),
        position=board.to_text(),
        turn=str(board.turn),
        ply=board.ply,
        legal=[str(move) for move in board.legal_moves],
        moves=[str(move) for move in board.moves],
        result=board.result(),
        score=outcome.score if outcome else None,
        reason=outcome.reason if outcome else None,
    )
