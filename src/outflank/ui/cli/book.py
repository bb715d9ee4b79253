"""`outflank book`: opening books, built by the package's own searches."""

from pathlib import Path
from typing import Any

import click

from outflank.errors import OutflankError, reason_of
from outflank.players.book import Book
from outflank.players.book_building import BookPlan, Built, build
from outflank.search.contract import Stop
from outflank.ui.cli.common import (
    one_board,
    output,
    position_options,
    print_json,
)
from outflank.ui.cli.game_options import PositionCommand
from outflank.ui.cli.groups import Group
from outflank.ui.cli.interrupting import INTERRUPTED, interruptibly
from outflank.ui.cli.progress import progress_line, quiet_option
from outflank.words import how_many


@click.group("book", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Build an opening book, or look into one.

    A player uses it with `book=FILE`; `book=own` is the one that comes with the package.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("build", cls=PositionCommand)
@position_options
@click.option("--out", required=True, metavar="FILE", help="The book; one that is there is gone on with, or deepened.")
@click.option("--plies", default=8, show_default=True, help="Moves from the start.")
@click.option("--depth", default=12, show_default=True, help="Plies to search each position.")
@click.option("--width", default=3, show_default=True, help="Moves that are followed from each position.")
@click.option(
    "--margin",
    type=float,
    help="How much worse than the best they may be, in what the game counts.  [twice what hardly matters there]",
)
@click.option("--workers", type=int, help="Threads that search.  [one per core]")
@quiet_option
def build_command(
    out: str,
    plies: int,
    depth: int,
    width: int,
    margin: float | None,
    workers: int | None,
    quiet: bool,
    **options: Any,
) -> int:
    """Search the openings of a position. Ctrl-C ends it; the same command goes on from there.

    With a greater depth, positions that are known less deeply are searched again. Values are carried back: a move is
    worth what the best reply to it leaves.

    \b
      outflank book build --out {first}.book --plies 8 --depth 14
      outflank book build --game {last} --out {last}.book --margin 0.15
    """
    board = one_board(**options)
    if min(plies, depth, width) < 1 or (margin is not None and not 0 <= margin < 100):
        raise OutflankError("--plies, --depth and --width are at least 1, --margin 0 to 100")
    stop = Stop()
    scale = Book(board.game).scale
    points = 2 * scale.near if margin is None else round(margin * scale.points)
    plan = BookPlan(plies=plies, depth=depth, width=width, margin=points)
    with progress_line(quiet=quiet) as tell:

        def told(done: int, known: int) -> None:
            tell(f"{how_many(done, 'position')}, {known - done} more in this ply")

        try:
            built = interruptibly(lambda: build(board, Path(out), plan, stop=stop, told=told, workers=workers), stop)
        except OSError as error:
            raise OutflankError(f"{out}: {reason_of(error)}") from None
    output().print(f"{out}: {_told(built, plan, interrupted=stop.called)}")
    return INTERRUPTED if stop.called else 0


def _told(built: Built, plan: BookPlan, *, interrupted: bool) -> str:
    """What a build has done, above all if that is nothing."""
    positions = how_many(len(built.book.entries), "position")
    if not (built.searched or built.deepened or interrupted):
        return f"{positions}; nothing to search: those asked for are known to depth {plan.depth} or more"
    parts = [f"{built.searched:,} searched"]
    parts += [f"{built.deepened:,} searched again"] if built.deepened else []
    parts += [f"{built.known:,} known to depth {plan.depth} or more"] if built.known else []
    parts += ["interrupted"] if interrupted else []
    return f"{positions}; {', '.join(parts)}"


@command.command("show", cls=PositionCommand)
@position_options
@click.option("--book", "name", default="own", show_default=True, metavar="FILE", help="The book.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show_command(name: str, as_json: bool, **options: Any) -> int:
    """What a book knows of a position; status 1 if nothing."""
    board = one_board(**options)
    book = Book.read(board.game, name)
    entry = book.entry(board)
    moves, depth = (entry.moves, entry.depth) if entry is not None else ((), None)
    if as_json:
        from outflank.ui.cli.documents import BookDocument, ValuedMove

        document = BookDocument(
            position=board.to_text(),
            positions=len(book.entries),
            depth=depth,
            moves=[ValuedMove(move=str(board.move(code)), value=value) for code, value in moves],
            unit=book.scale.unit,
            points_per_unit=book.scale.points,
        )
        print_json(document)
        return 0 if moves else 1
    console = output()
    console.print(how_many(len(book.entries), "position"))
    for code, value in moves:
        console.print(f"  {board.move(code)}  {book.scale.say(value)}  depth {depth}")
    if not moves:
        console.print("the book does not know this position")
    return 0 if moves else 1
