"""Closed standard streams, and output that can no longer be written."""

import io
import os
import sys
from typing import NoReturn, TextIO

from outflank.errors import OutflankError


def reopen_closed_streams() -> None:
    """Open the null device for closed standard streams (`>&-`), so that no other file gets their descriptors.

    If standard input is closed, `sys.stdin` is None, and code that reads input reports this. Writing to a closed
    standard output fails, as on a full disk. With a closed standard error, errors and warnings are discarded.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            descriptor = os.open(os.devnull, mode)  # the lowest free number, which is this one
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = _text(1)
    if sys.stderr is None:
        sys.stderr = _text(2)


def _text(number: int) -> io.TextIOWrapper:
    return open(number, "w", encoding="utf-8", errors="replace", closefd=False)


def standard_input() -> TextIO:
    """Return standard input, or raise an `OutflankError` if it is closed."""
    if sys.stdin is None:
        raise OutflankError("standard input is closed")
    return sys.stdin


def exit_quietly() -> NoReturn:
    """Exit with status 0 because the reader has closed the output pipe, which is not an error."""
    discard_output()
    sys.exit(0)


def discard_output() -> None:
    """Discard output that cannot be written. Otherwise the interpreter would try to flush it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
