"""`outflank book`, with the subcommands `show`, `tree` and `export`, which read an opening book."""

from collections.abc import Iterator
from typing import Any

import click

from outflank.boards import Board
from outflank.books.book import Book
from outflank.books.exchange import FORMATS, Branch, export_lines, tree_of
from outflank.errors import OutflankError
from outflank.ui.cli.books.build_commands import build_command, learn_command, merge_command, openings_command
from outflank.ui.cli.shared.game_options import PositionCommand
from outflank.ui.cli.shared.option_groups import Group
from outflank.ui.cli.shared.output_files import STANDARD_OUTPUT, force_option, refuse_to_overwrite, write_output
from outflank.ui.cli.shared.position_options import diagnostics, one_board, output, position_options, print_json
from outflank.validation.text import how_many

TEE, LAST, BAR, GAP = "├ ", "└ ", "│ ", "  "
VALUE, COUNT = 8, 10


def tree_lines(book: Book, branches: list[Branch], width: int) -> Iterator[str]:
    """Yield the lines of a book's tree, each at most `width` characters: move, value, positions, depth and games."""
    labels = [label for label, branch in _rows(branches, "") if not isinstance(branch, list)]
    room = min(max(map(len, labels)), width - VALUE - 3 * COUNT)
    played = any(branch.games for _, branch in _rows(branches, "") if isinstance(branch, Branch))
    headings = ["positions", "depth", *(["games"] if played else [])]
    yield _cut(f"{'':{room}}{book.scale.unit:>{VALUE}}" + "".join(f"{head:>{COUNT}}" for head in headings), width)
    for label, branch in _rows(branches, ""):
        if isinstance(branch, list):
            others = ", ".join(f"{other.move} {_value(book, other)}" for other in branch)
            yield _cut(f"{label}{others}", width)
            continue
        line = f"{label:{room}}{_value(book, branch):>{VALUE}}"
        if branch.same_as is not None:
            line += f"  = {branch.same_as}"
        else:
            counts = [branch.positions, branch.depth or 0, *([branch.games] if played else [])]
            line += "".join(f"{count:>{COUNT},}" for count in counts)
        yield _cut(line, width)


def _rows(branches: list[Branch], indent: str) -> Iterator[tuple[str, Branch | list[Branch]]]:
    """Yield the label and the moves of each printed line of a tree.

    A line has one move to a position in the book, or a list of all moves to positions outside the book.
    """
    followed = [branch for branch in branches if branch.is_home or branch.same_as is not None]
    others = [branch for branch in branches if not (branch.is_home or branch.same_as is not None)]
    for number, branch in enumerate(followed, 1):
        last = number == len(followed) and not others
        yield f"{indent}{LAST if last else TEE}{branch.move}", branch
        yield from _rows(branch.branches, indent + (GAP if last else BAR))
    if others:
        yield f"{indent}{LAST}also ", others


def _value(book: Book, branch: Branch) -> str:
    decimals = 0 if book.scale.is_final(branch.value) else book.scale.decimals
    return f"{book.scale.number(branch.value):+.{decimals}f}"


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"


SHOWN_PLIES, EXPORTED_PLIES, MOST_PLIES = 4, 12, 120

book_option = click.option("--book", "name", default="own", show_default=True, metavar="FILE", help="The book.")


@click.command("show", cls=PositionCommand)
@position_options
@book_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show_command(name: str, as_json: bool, **options: Any) -> int:
    """Print a book's entry for a position; the status is 1 if there is none."""
    board = one_board(**options)
    book = Book.read(board.game, name)
    entry = book.entry(board)
    moves, depth = (entry.moves, entry.depth) if entry is not None else ((), None)
    if as_json:
        from outflank.ui.cli.shared.json_documents import BookDocument, ValuedMove

        document = BookDocument(
            position=board.to_text(),
            opening=board.opening,
            positions=len(book.entries),
            depth=depth,
            games=0 if entry is None else entry.games,
            moves=[ValuedMove(move=str(board.move(code)), value=value) for code, value in moves],
            unit=book.scale.unit,
            points_per_unit=book.scale.points,
        )
        print_json(document)
        return 0 if moves else 1
    console = output()
    console.print(how_many(len(book.entries), "position"))
    if board.opening:
        console.print(f"opening: {board.opening}")
    for code, value in moves:
        console.print(f"  {board.move(code)}  {book.scale.text(value)}  depth {depth}{_name_after(board, code)}")
    if entry is not None and entry.games:
        console.print(f"  played in {how_many(entry.games, 'game')}")
    if not moves:
        console.print("the book does not know this position")
    return 0 if moves else 1


def _name_after(board: Board, code: int) -> str:
    """Return the name of the opening that a move leads to, for the end of a line; empty if it is still the same."""
    after = board.copy()
    after.push(board.move(code))
    return "" if after.opening == board.opening else f"  {after.opening}"


@click.command("tree", cls=PositionCommand)
@position_options
@book_option
@click.option(
    "--plies", type=click.IntRange(1, MOST_PLIES), default=SHOWN_PLIES, show_default=True, help="Depth of the tree."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def tree_command(name: str, plies: int, as_json: bool, **options: Any) -> int:
    """Print a book as a tree, from the start or from a position.

    Moves that are mirror images of each other are shown as one. If several lines reach a position, the tree shows it in
    the shortest line, and the other lines refer to that line. The status is 1 if the position is not in the book.

    \b
      outflank book tree
      outflank book tree f5d6c3 --plies 6
    """
    board = one_board(**options)
    book = Book.read(board.game, name)
    tops = tree_of(book, board, plies)
    if as_json:
        from outflank.books.exchange import BookTreeDocument

        document = BookTreeDocument(
            position=board.to_text(),
            positions=len(book.entries),
            plies=plies,
            branches=[_branch_document(branch) for branch in tops],
            unit=book.scale.unit,
            points_per_unit=book.scale.points,
        )
        print_json(document)
        return 0 if tops else 1
    console = output()
    if not tops:
        console.print("the book does not know this position")
        return 1
    for line in tree_lines(book, tops, console.width):
        console.print(line, no_wrap=True, soft_wrap=True)
    return 0


def _branch_document(branch: Branch) -> Any:
    from outflank.books.exchange import BookBranch

    return BookBranch(
        move=branch.move,
        value=branch.value,
        depth=branch.depth,
        games=branch.games,
        positions=branch.positions,
        same_as=branch.same_as,
        branches=[_branch_document(child) for child in branch.branches],
    )


@click.command("export", cls=PositionCommand)
@position_options
@book_option
@click.option("--out", required=True, metavar="FILE", help="File to write; - is standard output.")
@click.option("--to", type=click.Choice(FORMATS), help="The format, if the file name does not show it.")
@click.option(
    "--plies",
    type=click.IntRange(1, MOST_PLIES),
    default=EXPORTED_PLIES,
    show_default=True,
    help="Length of lines, for dot and txt.",
)
@force_option
def export_command(name: str, out: str, to: str | None, plies: int, force: bool, **options: Any) -> int:
    """Write a book for other programs.

    The formats jsonl (for `book merge`) and csv (a table of moves) contain all positions. The formats dot (a graph for
    Graphviz) and txt (lists of moves for `match --openings`) contain the lines from a position.

    \b
      outflank book export --out {first}.jsonl
      outflank book export f5d6 --out lines.txt --plies 8
      outflank book export --game {last} --out - --to csv
    """
    board: Board = one_board(**options)
    format = to or out.rpartition(".")[2]
    if format not in FORMATS:
        raise OutflankError(f"{out}: --to says in which format ({', '.join(FORMATS)}), or the end of the file's name")
    refuse_to_overwrite([out], force=force)
    book = Book.read(board.game, name)
    write_output(out, "".join(export_lines(book, format, board, plies)))
    console = diagnostics() if out == STANDARD_OUTPUT else output()
    console.print(f"{how_many(len(book.entries), 'position')}: {format} written to {out}")
    return 0


@click.group("book", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Build an opening book, learn one from games, or inspect one; find balanced openings for matches.

    A player with the setting `book=FILE` uses the book in FILE; `book=own` is the book that comes with the package.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for subcommand in (
    *(build_command, learn_command, merge_command, show_command, tree_command, export_command),
    openings_command,
):
    command.add_command(subcommand)
