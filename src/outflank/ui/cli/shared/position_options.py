"""Options that name a position, reading of positions and games, and the consoles for output."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click
from rich.console import Console

from outflank.boards import Board
from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.files import decoded_whole, peek
from outflank.formats.game_files import HEAD, file_formats, holds_records, select_records
from outflank.formats.game_record import Record, Setup, apply_rule_options, refuse_options
from outflank.formats.recognise import SkipCallback, records_in_text
from outflank.formats.selection import Selection
from outflank.games.description import OWN_GAMES, GameDescription, RuleOptions, description_of, game_named
from outflank.games.rules import Game
from outflank.ui.cli.shared.game_options import game_option, intended_game
from outflank.ui.cli.shared.option_groups import Command
from outflank.ui.cli.shared.streams import exit_quietly

if TYPE_CHECKING:
    from outflank.validation.documents import Document


MOST_BYTES = 16 << 20
"""Maximum size in bytes of a text with positions. A file of games may be larger if `--number` chooses one game."""

MOST_GAMES = 10_000
"""Maximum number of games that are read from a file, unless `--number` chooses one."""

STANDARD_INPUT = "-"


def records(
    words: str,
    *,
    is_file: bool,
    number: int | None,
    game: str | None,
    options: RuleOptions,
    on_skip: SkipCallback | None = None,
) -> list[Record]:
    """Return the positions and games in the text `words`, or in the file `words` if `is_file`. `number` chooses one.

    A line that cannot be read is an error. With `on_skip`, it is left out, and `on_skip` receives the reason.
    """
    if words != STANDARD_INPUT and not is_file:
        return _numbered(records_in_text(words, game, options, on_skip), "the text", number)
    name = "standard input" if words == STANDARD_INPUT else words
    with _open_stream(words, name) as stream:
        head, stream = peek(stream, HEAD)
        if holds_records(head):
            return _games(stream, name, number, game)
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OutflankError(f"{name}: more than {MOST_BYTES >> 20} MiB, which is no position")
    return _numbered(records_in_text(decoded_whole(data), game, options, on_skip), name, number)


def _is_a_file(words: str) -> bool:
    """Return whether `words` name an existing file, or end with the suffix of a file format."""
    suffix = os.path.splitext(words)[1]
    return os.path.isfile(words) or (suffix != "" and suffix in file_formats())


def _may_be_a_file(words: str) -> bool:
    """Return whether words that are neither a file nor a position look like the name of a file."""
    has_suffix = re.search(r"\.[A-Za-z]\w{0,8}\Z", words) is not None and not set(words) <= set("-.XOxo*")
    return len(words.split()) == 1 and (has_suffix or "/" in words or "\\" in words)


@contextmanager
def _open_stream(words: str, name: str) -> Iterator[BinaryIO]:
    if words == STANDARD_INPUT:
        if sys.stdin is None:
            raise OutflankError("- asks for standard input, which is closed")
        yield sys.stdin.buffer
        return
    try:
        with Path(words).open("rb") as stream:
            yield stream
    except OSError as error:
        raise OutflankError(f"{name!r}: {reason_of(error)}") from None


def _games(stream: BinaryIO, name: str, number: int | None, game: str | None) -> list[Record]:
    try:
        all_records = [record for _, record in islice(select_records(stream, Selection(number=number)), MOST_GAMES + 1)]
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    if len(all_records) > MOST_GAMES:
        raise OutflankError(f"{name}: more than {MOST_GAMES:,} games; --number N chooses one")
    if not all_records:
        raise OutflankError(f"{name}: there is no game number {number or 1:,}")
    for record in all_records:
        description = description_of(record.start.game)
        if game not in (None, description.name):
            raise OutflankError(f"{name}: a game of {description.title}, and {game} is asked for")
    return all_records


def _numbered(all_records: list[Record], name: str, number: int | None) -> list[Record]:
    if number is None:
        return all_records
    if number > len(all_records):
        raise OutflankError(f"{name} holds {len(all_records)}, and there is no number {number:,}")
    return all_records[number - 1 : number]


_OPTIONS = (
    click.argument("text", metavar="[POSITION|FILE]", required=False),
    click.option("--position", metavar="TEXT", help="The position or game, in any notation; - reads standard input."),
    click.option("--file", metavar="FILE", help="Read positions or games from a file; - is standard input."),
    click.option(
        "--number", type=click.IntRange(1), metavar="N", help="Choose number N of several positions or games."
    ),
    game_option("The game, where the text fits several."),
)


def position_options(command: Command) -> Command:
    """Add the options that name a position to a `PositionCommand`. `boards` turns their values into boards."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def boards(**options: Any) -> list[Board]:
    """Return the boards that the position options name. The default is the start of a game."""
    return [board for board, _ in games(**options)]


def games(
    *,
    text: str | None,
    position: str | None,
    file: str | None,
    game: str | None,
    game_options: RuleOptions,
    number: int | None = None,
    on_skip: SkipCallback | None = None,
) -> list[tuple[Board, Record]]:
    """Return the boards that the position options name, each with its record.

    A position that cannot be read is an error. With `on_skip`, it is left out, and `on_skip` receives the reason.
    """
    sources = [source for source in (text, position, file) if source is not None]
    if len(sources) > 1:
        raise OutflankError("one position at a time: give it as POSITION, --position or --file")
    if text is not None and _is_a_file(text):
        file = text
    description = intended_game(game, game_options)
    if not sources:
        return [start_of(description, game_options)]
    is_file = file is not None
    try:
        all_records = records(
            sources[0], is_file=is_file, number=number, game=game, options=game_options, on_skip=on_skip
        )
    except FormatError as error:
        if text is None or is_file or not _may_be_a_file(text):
            raise
        raise FormatError(f"there is no file {text!r}, and it is no position: {error}") from None
    for assumption in sorted({record.start.assumed for record in all_records} - {""}):
        diagnostics().print(f"assumed: {assumption}")
    positions = []
    for index, record in enumerate(all_records, 1):
        try:
            with_rules = _with_rules(record, game_options)
            positions.append((Board.from_setup(with_rules.setup), with_rules))
        except OutflankError as error:
            if on_skip is None or len(all_records) == 1:
                raise
            on_skip(f"position {index:,}: {error}")
    return positions


def _with_rules(record: Record, options: RuleOptions) -> Record:
    """Return a record with the rules that `options` choose. Raise an error if the record contradicts an option."""
    refuse_options(description_of(record.start.game), options)
    setup = apply_rule_options(record.setup, options, lambda name, value: f"--{name} {value}")
    return replace(record, start=record.start.with_game(setup.game))


def start_of(game: GameDescription | None, options: RuleOptions) -> tuple[Board, Record]:
    """Return the first board of a game, with an empty record. The default is the package's first game."""
    board = (game_named(OWN_GAMES[0]) if game is None else game).start(**options)
    return board, Record(start=Setup(format="", game=board.game, position=board.position, turn=board.turn))


def one_board(**options: Any) -> Board:
    """Return the only board that the position options name. Several boards are an error."""
    return one_game(**options)[0]


def one_game(**options: Any) -> tuple[Board, Record]:
    """Return the only board that the position options name, with its record. Several boards are an error."""
    positions = games(**options)
    if len(positions) > 1:
        raise OutflankError(f"there are {len(positions)} positions or games; --number N chooses one")
    return positions[0]


def describe(board: Board) -> str:
    """Return a short description of a board's game."""
    return description_of(board.game).describe(board.game)


def game_name(game: Game) -> str:
    """Return the name of a game that the command line and JSON documents use."""
    return description_of(game).name


def scaled(number: float) -> str:
    """Return a large number in a few digits: 950, 12.3 k, 5.1 M, 2.0 G."""
    for factor, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= factor:
            return f"{number / factor:.1f}{letter}"
    return f"{number:.0f}"


LEAST_SIZES = {"COLUMNS": 20, "LINES": 1}
"""Environment variables for the size of the terminal, each with the smallest value that is accepted."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        exit_quietly()


def output() -> Console:
    """Return the console for results: coloured and wrapped on a terminal, plain and unwrapped in a pipe."""
    return _unwrapped_in_pipe(_Console(highlight=False, markup=False, _environ=_environment()))


def diagnostics() -> Console:
    """Return the console for progress and warnings, which writes to standard error."""
    return _unwrapped_in_pipe(_Console(stderr=True, highlight=False, markup=False, _environ=_environment()))


def _environment() -> Mapping[str, str]:
    """Return the environment without impossible terminal sizes, because with a width of 0 Rich prints nothing."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in LEAST_SIZES or (re.fullmatch("[0-9]{1,4}", value) and int(value) >= LEAST_SIZES[name])
    }


def _unwrapped_in_pipe(console: Console) -> Console:
    console.soft_wrap = not console.is_terminal
    return console


def letters_only(console: Console) -> bool:
    """Return whether boards must be drawn with letters, because the console lacks discs or colours."""
    no_colour = console.no_color or console.color_system is None or console.is_dumb_terminal
    return not console.is_terminal or no_colour or not console.encoding.startswith("utf")


def print_json(document: "Document") -> None:
    """Print a document as a JSON object on one line."""
    from outflank.validation.documents import in_ascii

    try:
        print(in_ascii(document), flush=True)
    except BrokenPipeError:
        exit_quietly()
