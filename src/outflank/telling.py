"""What is said to a person who waits, and to nobody else."""

import sys


def tell(message: str) -> None:
    """Say what is waited for, on standard error, if that is a terminal."""
    if sys.stderr.isatty():
        print(message, file=sys.stderr, flush=True)
