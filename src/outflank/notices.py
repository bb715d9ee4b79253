"""Messages to a person who waits at a terminal or a notebook."""

import sys


def notify(message: str) -> None:
    """Print what is waited for on standard error, if that is a terminal or a notebook's."""
    if sys.stderr.isatty() or _is_a_notebooks(sys.stderr):
        print(message, file=sys.stderr, flush=True)


def _is_a_notebooks(stream: object) -> bool:
    """Return whether the stream's text appears below a notebook's cell, where a person reads it."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"
