"""Output files of commands: `--force` allows overwriting, and `-` is standard output."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from outflank.errors import OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.ui.cli.shared.option_groups import Command
from outflank.ui.cli.shared.streams import exit_quietly

STANDARD_OUTPUT = "-"


def force_option(command: Command) -> Command:
    """Add the option `--force`, which allows a command to overwrite files."""
    return click.option("--force", is_flag=True, help="Overwrite existing files.")(command)


def refuse_to_overwrite(files: Iterable[str | Path], *, force: bool) -> None:
    """Raise an error if one of the files exists and `force` is false."""
    for file in files:
        if str(file) != STANDARD_OUTPUT and Path(file).is_file() and not force:
            raise OutflankError(f"{file} exists already; --force overwrites it")


def write_output(file: str | Path, content: str) -> None:
    """Write `content` to a file, or to standard output if `file` is `-`."""
    if str(file) == STANDARD_OUTPUT:
        if sys.stdout is None:
            raise OutflankError("- asks for standard output, which is closed")
        try:
            sys.stdout.buffer.write(content.encode())
            sys.stdout.flush()
        except BrokenPipeError:
            exit_quietly()
        return
    try:
        write_whole(Path(file), content)
    except OSError as error:
        raise OutflankError(f"{file}: {reason_of(error)}") from None
