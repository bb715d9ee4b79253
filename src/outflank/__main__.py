"""Where the program begins: `outflank`, and `python -m outflank`.

Everything else is imported here, for that takes the better part of a second, in which Ctrl-C is pressed as well.
"""

import gc
import os
import signal
import sys

INTERRUPTED = 130

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""More than a start makes: hardly anything of it is garbage, and Python looks after every 700."""


def begin() -> None:
    """Run the command line; Ctrl-C leaves without a traceback from the first moment."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # it may be ignored, as behind nohup
        signal.signal(signal.SIGINT, _leave)
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from outflank.ui.cli import main

    signal.signal(signal.SIGINT, before)
    try:
        main()
    finally:
        gc.freeze()  # the interpreter would look through all there is as it ends, a fifth of a second for nothing


def _leave(*_: object) -> None:
    """End at once: an exception would come out of whatever module is half imported, or be caught there."""
    sys.stderr.write("outflank: interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    begin()
