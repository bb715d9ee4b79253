"""Ending a program whose head has finished while other ranks do not answer.

`MPI_Finalize` would wait for such a rank for ever, and only the launcher can end a rank on another machine. `MPI_Abort`
makes it do so, but ends this process as well: everything that the program still does after its cluster was closed must
come first, and the abort must pass the exit status that this process would have had.
"""

import struct
import sys
import time
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from outflank.distributed.exiting import LastAtExit, flush_output
from outflank.errors import OutflankError

DRAIN_SECONDS = 5.0
"""Timeout for the launcher to read the output of this process: an abort discards the rest."""

_stalled = False


def end_without(communicator: Any, ranks: Iterable[int], seconds: float) -> None:
    """Warn that these ranks have not ended, and let the program end without them when this process does."""
    global _stalled
    names = [str(rank) for rank in ranks]
    subject = f"rank {names[0]} has" if len(names) == 1 else f"ranks {', '.join(names)} have"
    flush_output()
    sys.stderr.write(
        f"outflank: warning: {subject} not ended {seconds:g} s after the work was done: the program ends without "
        f"{'it' if len(names) == 1 else 'them'}\n"
    )
    sys.stderr.flush()

    def abort(status: int) -> None:
        _await_readers()
        communicator.Abort(status)

    if not _stalled:
        _stalled = True
        LastAtExit(abort)


def require_all_ranks() -> None:
    """Raise OutflankError if ranks of an earlier cluster do not answer: a second one cannot be opened."""
    if _stalled:
        raise OutflankError("ranks of this program do not answer any more: start it anew")


def _await_readers() -> None:
    """Wait until the launcher has read all output: the pipes are empty."""
    deadline = time.monotonic() + DRAIN_SECONDS
    while any(map(_unread_bytes, (1, 2))) and time.monotonic() < deadline:
        time.sleep(0.01)


def _unread_bytes(descriptor: int) -> int:
    try:
        fcntl, termios = import_module("fcntl"), import_module("termios")
        return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0])
    except (ImportError, OSError):  # not a pipe
        return 0
