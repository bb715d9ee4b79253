"""`outflank convert`."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from outflank.errors import FormatError, OutflankError, UnknownName, reason_of
from outflank.formats.game_files import file_formats, files_written, format_named, select_records, write_records
from outflank.formats.game_record import Record
from outflank.formats.selection import Selection
from outflank.ui.cli.common import diagnostics, output
from outflank.ui.cli.game_options import HelpWithGames
from outflank.ui.cli.streams import leave_quietly
from outflank.ui.cli.writing import force_option, refuse_to_overwrite
from outflank.words import how_many


class FormatName(click.ParamType):  # type: ignore[type-arg]  # generic in its newest versions alone
    """A format of files by the end of their names: one of the package's, or of a game of a user's own."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, if there is such a format."""
        try:
            format_named(value)
        except UnknownName as error:
            self.fail(str(error), param, ctx)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """All names of the package's, as of a choice."""
        return f"[{'|'.join(suffix.removeprefix('.') for suffix in file_formats())}]"


@click.command("convert", cls=HelpWithGames)
@click.argument("files", metavar="A… B", nargs=-1, required=True)
@click.option("--from", "from_", type=FormatName(), help="The format of A, where neither content nor name tells.")
@click.option("--to", type=FormatName(), help="The format of B, where its name does not tell.")
@force_option
def command(files: tuple[str, ...], from_: str | None, to: str | None, force: bool) -> None:
    """Copy the games in A to B, in another format; those of several files one after the other.

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
    games = _Counted(record for source in sources for _, record in games_of(source, Selection(), from_))
    where = "standard output" if to_stdout else target
    try:
        write_records(games, sys.stdout.buffer if to_stdout else target, format=to)
        sys.stdout.flush()
    except OutflankError as error:
        raise OutflankError(f"{error}; written before that to {where}: {games.told}") from None
    except BrokenPipeError:
        leave_quietly()
    except OSError as error:
        raise OutflankError(f"{where}: cannot write: {reason_of(error)}") from None
    # Data goes to standard output alone.
    (diagnostics() if to_stdout else output()).print(f"{games.told} written to {where}")


class _Counted:
    """Games as they pass by, and how many have."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = records
        self._games = 0

    def __iter__(self) -> Iterator[Record]:
        for record in self._records:
            yield record
            self._games += 1  # when the next one is asked for, this one has been written

    @property
    def told(self) -> str:
        """How many, in words."""
        return how_many(self._games, "game")


def games_of(source: str, selection: Selection, format: str | None) -> Iterator[tuple[int, Record]]:
    """The wanted games of a file, or of standard input, with their numbers; errors say of which."""
    if source == "-" and sys.stdin is None:
        raise OutflankError("- asks for standard input, which is closed")
    name = "standard input" if source == "-" else source
    is_told = False
    try:
        for number, record in select_records(sys.stdin.buffer if source == "-" else source, selection, format=format):
            if record.start.assumed and not is_told:
                diagnostics().print(f"{name}, game {number:,}: assumed: {record.start.assumed}")
                is_told = True
            yield number, record
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    except OSError as error:
        raise OutflankError(f"{name!r}: {reason_of(error)}") from None
