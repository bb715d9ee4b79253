"""`outflank convert`: copy games to another format."""

import sys
from collections.abc import Iterable, Iterator

import click

from outflank.errors import FormatError, OutflankError, UnknownName, reason_of
from outflank.formats.game_files import file_formats, files_written, format_named, select_records, write_records
from outflank.formats.game_record import Record
from outflank.formats.selection import Selection
from outflank.ui.cli.shared.game_options import HelpWithGames
from outflank.ui.cli.shared.output_files import force_option, refuse_to_overwrite
from outflank.ui.cli.shared.position_options import diagnostics, output
from outflank.ui.cli.shared.streams import exit_quietly
from outflank.validation.text import how_many


class FormatName(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest versions of click
    """A file format, named by its file name extension. Formats of users' games are accepted too."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            format_named(value)
        except UnknownName as error:
            self.fail(str(error), param, ctx)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the names of the package's formats, as help texts show a choice: `[ggf|sgf|…]`."""
        return f"[{'|'.join(suffix.removeprefix('.') for suffix in file_formats())}]"


@click.command("convert", cls=HelpWithGames)
@click.argument("files", metavar="A… B", nargs=-1, required=True)
@click.option("--from", "from_", type=FormatName(), help="The format of A, if neither content nor name shows it.")
@click.option("--to", type=FormatName(), help="The format of B, if its name does not show it.")
@force_option
def command(files: tuple[str, ...], from_: str | None, to: str | None, force: bool) -> None:
    """Copy the games in A to B, in another format; several files A are joined.

    A is recognised by its content, B by its name: {files}. - is standard input or output. If A is damaged, the games
    before the damage are written, and the status is 2. Games with headers like PGN's (PlayOK) are read too.

    \b
      outflank convert WTH_1998.wtb games.ggf
      outflank convert match.ggf - --to txt
      outflank convert monday.ggf tuesday.sgf all.ggf
    """
    *sources, target = files
    if not sources:
        raise OutflankError(f"{target}: expected where to write its games as well, a file or -")
    to_stdout = target == "-"
    if to_stdout and to is None:
        raise OutflankError("-: --to says in which format")
    refuse_to_overwrite([] if to_stdout else files_written(target, to), force=force)
    games = _CountedRecords(record for source in sources for _, record in games_of(source, Selection(), from_))
    where = "standard output" if to_stdout else target
    try:
        write_records(games, sys.stdout.buffer if to_stdout else target, format=to)
        sys.stdout.flush()
    except OutflankError as error:
        raise OutflankError(f"{error}; written before that to {where}: {games.count_text}") from None
    except BrokenPipeError:
        exit_quietly()
    except OSError as error:
        raise OutflankError(f"{where}: cannot write: {reason_of(error)}") from None
    # Standard output holds only the games, so the message goes to standard error.
    (diagnostics() if to_stdout else output()).print(f"{games.count_text} written to {where}")


class _CountedRecords:
    """Iterates over games and counts the games that have been written."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = records
        self._games = 0

    def __iter__(self) -> Iterator[Record]:
        for record in self._records:
            yield record
            self._games += 1  # the next game is requested only after this one has been written

    @property
    def count_text(self) -> str:
        """Number of games that have been written, with the word "games"."""
        return how_many(self._games, "game")


def games_of(source: str, selection: Selection, format: str | None) -> Iterator[tuple[int, Record]]:
    """Yield the selected games of a file, or of standard input, with their numbers. Errors name the file."""
    if source == "-" and sys.stdin is None:
        raise OutflankError("- asks for standard input, which is closed")
    name = "standard input" if source == "-" else source
    reported = False
    try:
        for number, record in select_records(sys.stdin.buffer if source == "-" else source, selection, format=format):
            if record.start.assumed and not reported:
                diagnostics().print(f"{name}, game {number:,}: assumed: {record.start.assumed}")
                reported = True
            yield number, record
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    except OSError as error:
        raise OutflankError(f"{name!r}: {reason_of(error)}") from None
