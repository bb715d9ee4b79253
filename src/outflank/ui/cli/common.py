"""What subcommands share: choosing a position, and printing."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.layouts import LAYOUTS
from outflank.boards import Board
from outflank.errors import OutflankError, UnknownName
from outflank.formats.game_record import Record
from outflank.formats.setup import Setup
from outflank.games.description import GAMES
from outflank.othello.board import OthelloBoard
from outflank.othello.formats.board_line import CELLS
from outflank.othello.rules import Othello
from outflank.othello.squares import SCORINGS, SIZES, othello, size_of
from outflank.ui.cli.names import NameOf
from outflank.ui.cli.sources import records
from outflank.ui.cli.streams import leave_quietly

if TYPE_CHECKING:
    from outflank.documents import Document

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("text", metavar="[POSITION]", required=False),
    click.option("--position", metavar="TEXT", help="The position or game, in any notation; - reads standard input."),
    click.option("--file", metavar="FILE", help="Read positions or games from a file; - is standard input."),
    click.option(
        "--number", type=click.IntRange(1), metavar="N", help="The one with number N, where there are several."
    ),
    click.option("--game", type=NameOf(GAMES), help="The game, where the text could be either.  [othello]"),
    click.option("--size", type=click.Choice([str(size) for size in SIZES]), help="Side of the Othello board.  [8]"),
    click.option("--layout", metavar="NAME", help=f"Start of an Abalone game: {', '.join(LAYOUTS)}.  [standard]"),
    click.option("--scoring", type=click.Choice(list(SCORINGS)), help="Who gets the empty squares at the end."),
)


class PositionCommand(click.Command):
    """A command whose POSITION may start with dashes, as most board lines do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_a_value = {
            name
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        lines = [
            place
            for place, arg in enumerate(args)
            if _looks_like_a_board(arg) and (place == 0 or args[place - 1] not in takes_a_value | {"--"})
        ]
        if lines:
            others = [arg for place, arg in enumerate(args) if place not in lines]
            args = [*others, "--", *(args[place] for place in lines)]
        return super().parse_args(ctx, args)


def _looks_like_a_board(text: str) -> bool:
    cells = "".join(text.split())[:10]
    return text.startswith("-") and len(cells) == 10 and set(cells) <= set(CELLS)


def position_options(command: Command) -> Command:
    """Give a command the ways of naming a position; `boards` turns them into boards."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def boards(**options: Any) -> list[Board[Any]]:
    """The boards that the options name: those in the text, or the start of a game."""
    return [board for board, _ in games(**options)]


def games(
    *,
    text: str | None,
    position: str | None,
    file: str | None,
    game: str | None,
    size: str | None,
    layout: str | None,
    scoring: str | None,
    number: int | None = None,
) -> list[tuple[Board[Any], Record]]:
    """The same, each with what its text says of the game."""
    given = [source for source in (text, position, file) if source is not None]
    if len(given) > 1:
        raise OutflankError("one position at a time: give it as POSITION, --position or --file")
    if layout is not None and game == "othello":
        raise OutflankError("--layout is for Abalone")
    if (size is not None or scoring is not None) and game == "abalone":
        raise OutflankError(f"{'--size' if size else '--scoring'} is for Othello")
    if layout is not None and layout not in LAYOUTS:
        raise UnknownName.among("layout", layout, LAYOUTS)
    if layout is not None and (size is not None or scoring is not None):
        raise OutflankError(f"--layout is for Abalone, {'--size' if size else '--scoring'} for Othello")
    game = game or ("abalone" if layout is not None else None)
    if not given:
        if game == "abalone":
            return [_untold(AbaloneBoard.start("standard" if layout is None else layout))]
        return [_untold(OthelloBoard.start(int(size or 8), scoring=scoring or "winner-takes-empties"))]
    named = records(
        given[0], is_file=file is not None, number=number, game=game, size=int(size) if size else None, layout=layout
    )
    for assumed in sorted({record.start.assumed for record in named} - {""}):
        diagnostics().print(f"assumed: {assumed}")
    found = []
    for record in named:
        setup = record.start
        is_othello = isinstance(setup.game, Othello)
        if size is not None and is_othello and size_of(setup.game) != int(size):
            raise OutflankError(
                f"--size {size}: the position given has {size_of(setup.game)} × {size_of(setup.game)} squares"
            )
        if layout is not None and not record.moves:
            raise OutflankError(f"--layout {layout}: the position given is a position, not a list of moves")
        if not is_othello and (size is not None or scoring is not None):
            raise OutflankError(f"{'--size' if size else '--scoring'} is for Othello; the position given is Abalone")
        if is_othello and scoring is not None:
            record = replace(record, start=setup.with_game(othello(size_of(setup.game), scoring)))
        found.append((Board.from_setup(record.setup), record))
    return found


def _untold(board: Board[Any]) -> tuple[Board[Any], Record]:
    return board, Record(start=Setup(format="", game=board.game, position=board.position, turn=board.turn))


def one_board(**options: Any) -> Board[Any]:
    """The one board that the options name."""
    return one_game(**options)[0]


def one_game(**options: Any) -> tuple[Board[Any], Record]:
    """The same with what its text says of the game."""
    found = games(**options)
    if len(found) > 1:
        raise OutflankError(f"there are {len(found)} positions or games; --number N chooses one")
    return found[0]


def describe(board: Board[Any]) -> str:
    """A board's game in a few words."""
    if isinstance(board, OthelloBoard):
        return f"Othello {board.size}×{board.size}"
    return type(board.game).__name__


def scaled(number: float) -> str:
    """A large number in a few digits: 950, 12.3 k, 5.1 M, 2.0 G."""
    for factor, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= factor:
            return f"{number / factor:.1f}{letter}"
    return f"{number:.0f}"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        leave_quietly()


def output() -> Console:
    """Where data goes: coloured and folded between words on a terminal, plain and never folded in a pipe."""
    return _unfolded_in_a_pipe(_Console(highlight=False, markup=False))


def diagnostics() -> Console:
    """Where progress goes."""
    return _unfolded_in_a_pipe(_Console(stderr=True, highlight=False, markup=False))


def _unfolded_in_a_pipe(console: Console) -> Console:
    console.soft_wrap = not console.is_terminal
    return console


def letters_only(console: Console) -> bool:
    """Whether discs cannot be told apart there by their colour, or cannot be shown at all."""
    no_colour = console.no_color or console.color_system is None or console.is_dumb_terminal
    return not console.is_terminal or no_colour or not console.encoding.startswith("utf")


def print_json(document: "Document") -> None:
    """One object on one line."""
    from outflank.documents import in_ascii

    try:
        print(in_ascii(document), flush=True)
    except BrokenPipeError:
        leave_quietly()
