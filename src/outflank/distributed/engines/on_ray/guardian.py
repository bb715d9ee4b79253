"""A process that waits for the end of another one, its parent, and clears the directory that this has left.

Runs by its path, and loads nothing before it has something to do.
"""

import os
import select
import sys

LOOK_SECONDS = 1.0
"""How often to look after the parent. Its end of the pipe tells at once, unless a process that it forked has it too."""


def guard(directory: str) -> None:
    """Clear a directory whenever the parent says so, and when it has closed the pipe or is dead."""
    parent = os.getppid()
    lasts = True
    while lasts:
        asked, _, _ = select.select([0], [], [], LOOK_SECONDS)
        lasts = os.getppid() == parent and (not asked or os.read(0, 4096) != b"")
        if asked or not lasts:
            clear(directory)


def clear(directory: str) -> None:
    """Remove what is left of a directory."""
    if os.path.lexists(directory):
        from pathlib import Path

        from outflank.distributed.engines.on_ray.directories import clear_directory

        clear_directory(Path(directory))


if __name__ == "__main__":
    guard(sys.argv[1])
