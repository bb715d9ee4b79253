"""What subcommands share: choosing a position, and printing."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.formats.chosen_rules import under
from outflank.formats.game_record import Record
from outflank.formats.setup import Setup
from outflank.games.description import OWN_GAMES, GameDescription, description_of, game_named
from outflank.ui.cli.game_options import game_meant, game_option, refuse_options
from outflank.ui.cli.sources import Skipped, records
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
    game_option("The game, where the text could be of several."),
)


def position_options(command: Command) -> Command:
    """Give a command, a `PositionCommand`, the ways of naming a position; `boards` turns them into boards."""
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
    game_options: Mapping[str, Any],
    number: int | None = None,
    skipped: Skipped | None = None,
) -> list[tuple[Board[Any], Record]]:
    """The same, each with what its text says of the game; where `skipped` is told of what is wrong, without that."""
    given = [source for source in (text, position, file) if source is not None]
    if len(given) > 1:
        raise OutflankError("one position at a time: give it as POSITION, --position or --file")
    meant = game_meant(game, game_options)
    if not given:
        return [start_of(meant, game_options)]
    is_file = file is not None
    named = records(given[0], is_file=is_file, number=number, game=game, options=game_options, skipped=skipped)
    for assumed in sorted({record.start.assumed for record in named} - {""}):
        diagnostics().print(f"assumed: {assumed}")
    found = []
    for place, record in enumerate(named, 1):
        try:
            chosen = _under(record, game_options)
            found.append((Board.from_setup(chosen.setup), chosen))
        except OutflankError as error:
            if skipped is None or len(named) == 1:
                raise
            skipped(f"position {place:,}: {error}")
    return found


def _under(record: Record, options: Mapping[str, Any]) -> Record:
    """What was read, with the options that it leaves open."""
    refuse_options(description_of(record.start.game), options)
    chosen = under(record.setup, options, lambda name, value: f"--{name} {value}")
    return replace(record, start=record.start.with_game(chosen.game))


def start_of(game: GameDescription | None, options: Mapping[str, Any]) -> tuple[Board[Any], Record]:
    """The start of a game, the first of the package's own if none is meant; nothing is told of it."""
    board = (game_named(OWN_GAMES[0]) if game is None else game).start(**options)
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
    return description_of(board.game).describe(board.game)


def game_name(game: Any) -> str:
    """What a game is called on the command line and in documents, by its rules."""
    return description_of(game).name


def scaled(number: float) -> str:
    """A large number in a few digits: 950, 12.3 k, 5.1 M, 2.0 G."""
    for factor, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= factor:
            return f"{number / factor:.1f}{letter}"
    return f"{number:.0f}"


LEAST_SIZES = {"COLUMNS": 20, "LINES": 1}
"""Variables for the size of the terminal, with the smallest value that is accepted."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        leave_quietly()


def output() -> Console:
    """Where data goes: coloured and folded between words on a terminal, plain and never folded in a pipe."""
    return _unfolded_in_a_pipe(_Console(highlight=False, markup=False, _environ=_environment()))


def diagnostics() -> Console:
    """Where progress goes."""
    return _unfolded_in_a_pipe(_Console(stderr=True, highlight=False, markup=False, _environ=_environment()))


def _environment() -> Mapping[str, str]:
    """Return the environment without impossible sizes of the terminal: with a width of 0 Rich prints nothing."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in LEAST_SIZES or (re.fullmatch("[0-9]{1,4}", value) and int(value) >= LEAST_SIZES[name])
    }


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
