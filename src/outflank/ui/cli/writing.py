"""Files that a command is asked to write: none is overwritten unasked, and `-` is standard output."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from outflank.errors import OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.ui.cli.streams import leave_quietly

Command = TypeVar("Command", bound=Callable[..., Any])

STANDARD_OUTPUT = "-"


def force_option(command: Command) -> Command:
    """The option that lets files be overwritten."""
    return click.option("--force", is_flag=True, help="Overwrite what is there.")(command)


def refuse_to_overwrite(files: Iterable[str | Path], *, force: bool) -> None:
    """An error if one of the files is there, before any work is done for it."""
    for file in files:
        if str(file) != STANDARD_OUTPUT and Path(file).is_file() and not force:
            raise OutflankError(f"{file} exists already; --force overwrites it")


def deliver(file: str | Path, content: str) -> None:
    """Write a file whole, or its content to standard output."""
    if str(file) == STANDARD_OUTPUT:
        if sys.stdout is None:
            raise OutflankError("- asks for standard output, which is closed")
        try:
            sys.stdout.buffer.write(content.encode())
            sys.stdout.flush()
        except BrokenPipeError:
            leave_quietly()
        return
    try:
        write_whole(Path(file), content)
    except OSError as error:
        raise OutflankError(f"{file}: {reason_of(error)}") from None
