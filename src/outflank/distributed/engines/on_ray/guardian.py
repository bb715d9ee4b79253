"""A separate process that waits until its parent ends, and then removes the directory that the parent has left.

It is run as a script, and imports nothing before it is needed.
"""

import os
import select
import sys

LOOK_SECONDS = 1.0
"""Seconds between two checks of the parent. The pipe alone is not enough, as a forked process may hold it open."""


def guard(directory: str) -> None:
    """Remove the directory whenever the parent writes to the pipe, and when it closes the pipe or dies."""
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
