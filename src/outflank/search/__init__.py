"""What value a tree has, and how large it is.

The package is callable: `outflank.search(board, Limits(depth=12))` finds the best move. A function
of that name beside the folder would be hidden by it as soon as one of its modules is imported.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from outflank.search.deepening import search

        return search(*args, **options)


sys.modules[__name__].__class__ = _Callable
