"""What is said to a person who waits, and to nobody else."""

import sys


def tell(message: str) -> None:
    """Say what is waited for, on standard error, if that is a terminal or a notebook's."""
    if sys.stderr.isatty() or _is_a_notebooks(sys.stderr):
        print(message, file=sys.stderr, flush=True)


def _is_a_notebooks(stream: object) -> bool:
    """Whether what is written there appears below a cell: no terminal, but somebody reads it."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"
