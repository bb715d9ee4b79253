"""What differs between operating systems: child processes, locks and replacement of files, the size of the memory.

The modules `posix` and `windows` define the same names. The choice between them is made here, and nowhere else.
"""

import sys

if sys.platform == "win32":
    from outflank.systems.windows import (
        CHILD_OPTIONS,
        REMOVES_OPEN_FILES,
        Descendants,
        children_ignore_interrupts,
        lock,
        machine_memory,
        move,
    )
else:
    from outflank.systems.posix import (
        CHILD_OPTIONS,
        REMOVES_OPEN_FILES,
        Descendants,
        children_ignore_interrupts,
        lock,
        machine_memory,
        move,
    )

__all__ = [
    "CHILD_OPTIONS",
    "REMOVES_OPEN_FILES",
    "Descendants",
    "children_ignore_interrupts",
    "lock",
    "machine_memory",
    "move",
]
