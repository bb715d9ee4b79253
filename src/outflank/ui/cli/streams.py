"""Streams that are closed, and output that cannot be written any more."""

import io
import os
import sys
from typing import NoReturn, TextIO

from outflank.errors import OutflankError


def fill_closed_streams() -> None:
    """Put something in the place of standard streams that are closed (`>&-`), so that no file of ours takes it.

    What asks for input finds that `sys.stdin` is None, and says so. Output that is written fails as on a full disk;
    a command that writes none goes on. Errors and warnings nobody wants to hear.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            taken = os.open(os.devnull, mode)  # the lowest that is free: this one, for those below are taken
            if taken != number:
                os.dup2(taken, number)
                os.close(taken)
    if sys.stdout is None:
        sys.stdout = _text(1)
    if sys.stderr is None:
        sys.stderr = _text(2)


def _text(number: int) -> io.TextIOWrapper:
    return open(number, "w", encoding="utf-8", errors="replace", closefd=False)


def standard_input() -> TextIO:
    """Standard input; one clear line where it is closed."""
    if sys.stdin is None:
        raise OutflankError("standard input is closed")
    return sys.stdin


def leave_quietly() -> NoReturn:
    """The reader of our pipe has gone: nobody is left to tell, and nothing went wrong."""
    forget_output()
    sys.exit(0)


def forget_output() -> None:
    """Keep the interpreter from flushing, on its way out, what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
