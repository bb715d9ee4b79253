"""A process that waits for the end of its parent, and removes the directory that the parent has left.

It is run by its path, and imports nothing before it has something to do.
"""

import os
import select
import sys

LOOK_SECONDS = 1.0
"""Seconds between two checks of the parent. The pipe closes at its end, unless a process that it forked has it open."""


def guard(directory: str) -> None:
    """Remove a directory whenever the parent writes to the pipe, and when it has closed the pipe or is dead."""
    parent = os.getppid()
    parent_alive = True
    while parent_alive:
        readable, _, _ = select.select([0], [], [], LOOK_SECONDS)
        parent_alive = os.getppid() == parent and (not readable or os.read(0, 4096) != b"")
        if readable or not parent_alive:
            clear(directory)


def clear(directory: str) -> None:
    """Remove a directory, if it exists, and end Ray's processes in it."""
    if os.path.lexists(directory):
        from pathlib import Path

        from outflank.distributed.engines.on_ray.ray_directories import clear_directory

        clear_directory(Path(directory))


if __name__ == "__main__":
    guard(sys.argv[1])
