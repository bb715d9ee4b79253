"""Output that cannot be written any more."""

import os
import sys
from typing import NoReturn


def leave_quietly() -> NoReturn:
    """The reader of our pipe has gone: nobody is left to tell, and nothing went wrong."""
    forget_output()
    sys.exit(0)


def forget_output() -> None:
    """Keep the interpreter from flushing, on its way out, what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
