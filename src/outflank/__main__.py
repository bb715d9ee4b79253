"""Entry point of the program: `outflank`, and `python -m outflank`.

The command line is imported inside `begin`, under a handler for Ctrl-C, because this import takes most of a second.
"""

import gc
import os
import signal
import sys

INTERRUPTED = 130

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Number of new objects after which garbage is collected (Python's default: 700). A command's start makes fewer."""


def begin() -> None:
    """Run the command line. Ctrl-C ends it without a traceback, even during the imports."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else SIGINT may be ignored, as under nohup
        signal.signal(signal.SIGINT, _leave)
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from outflank.ui.cli import main

    signal.signal(signal.SIGINT, before)
    try:
        main()
    finally:
        gc.freeze()  # otherwise a useless last collection delays the exit by a fifth of a second


def _leave(*_: object) -> None:
    """End the process at once: an exception would be raised in a half-imported module, which might catch it."""
    sys.stderr.write("outflank: interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    begin()
