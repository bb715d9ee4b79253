"""A separate process that waits until its parent process ends, and then removes the parent's Ray directory.

This module is run as a script, and imports other modules only when they are needed.
"""

import os
import select
import sys

LOOK_SECONDS = 1.0
"""Seconds between two checks that the parent is alive. The pipe is not enough: a forked process may hold it open."""


def guard(directory: str) -> None:
    """Remove `directory` each time the parent writes to this process's pipe, and when it closes the pipe or dies."""
    parent = os.getppid()
    parent_alive = True
    while parent_alive:
        readable, _, _ = select.select([0], [], [], LOOK_SECONDS)
        parent_alive = os.getppid() == parent and (not readable or os.read(0, 4096) != b"")
        if readable or not parent_alive:
            clear(directory)


def clear(directory: str) -> None:
    """Remove a directory, if it exists, and kill the Ray processes in it."""
    if os.path.lexists(directory):
        from pathlib import Path

        from outflank.distributed.engines.on_ray.ray_directories import clear_directory

        clear_directory(Path(directory))


if __name__ == "__main__":
    guard(sys.argv[1])
