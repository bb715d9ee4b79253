"""`outflank show`: draw positions."""

from typing import Any

import click

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.ui.cli.shared.board_view import draw
from outflank.ui.cli.shared.game_options import PositionCommand
from outflank.ui.cli.shared.output_files import STANDARD_OUTPUT, force_option, refuse_to_overwrite, write_output
from outflank.ui.cli.shared.position_options import boards, game_name, output, position_options, print_json


@click.command("show", cls=PositionCommand)
@position_options
@click.option("--svg", metavar="FILE", help="Write a picture to FILE as well; - prints it instead.")
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per position.")
def command(svg: str | None, force: bool, as_json: bool, **options: Any) -> None:
    """Draw a position, or the end of a game, with its legal moves.

    POSITION is recognised automatically: {forms}; or it is the name of a file.

    \b
      outflank show f5d6c3d3c4
      outflank show --game {last} {choice}
      outflank show game.ggf --svg board.svg
    """
    positions = boards(**options)
    if svg is not None and len(positions) > 1:
        raise OutflankError(f"--svg: the text holds {len(positions)} positions, a picture shows one")
    if svg is not None:
        refuse_to_overwrite([svg], force=force)
        write_output(svg, positions[0].svg())
        if svg == STANDARD_OUTPUT:
            return
    console = output()
    for number, board in enumerate(positions):
        if as_json:
            _print_as_json(board)
            continue
        if number:
            console.print()
        draw(console, board)


def _print_as_json(board: Board) -> None:
    from outflank.ui.cli.shared.json_documents import ShowDocument

    outcome = board.outcome()
    document = ShowDocument(
        game=game_name(board.game),
        position=board.to_text(),
        turn=board.turn.value,
        ply=board.ply,
        legal=board.legal_move_texts(),
        moves=[str(move) for move in board.moves],
        opening=board.opening,
        result=board.result(),
        score=outcome.score if outcome else None,
        reason=outcome.reason if outcome else None,
    )
    print_json(document)
