"""What value a tree has, and how large it is.

The package is callable: `outflank.search(board, depth=12)` finds the best move. A function of that name beside the
folder would be hidden by it as soon as one of its modules is imported. Type checkers know it as the function alone, as
the list of public names has it: they take its modules from `from outflank.search.contract import …`, and not from
`import outflank.search.contract`, by which pyright would see a module that cannot be called.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """A package that looks like the function that it is called as: to `help`, to `inspect`, in a notebook."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from outflank.search.deepening import search

        return search(*args, **options)

    @property
    def __signature__(self) -> object:
        import inspect

        from outflank.search.deepening import search

        return inspect.signature(search)

    @property
    def __doc__(self) -> str:  # type: ignore[override]  # made when somebody asks
        from outflank.search.deepening import search
        from outflank.search.options import documentation

        return documentation(search)


sys.modules[__name__].__class__ = _Callable


def __dir__() -> list[str]:
    """What is of this folder: not what it is made with."""
    return sorted(
        name
        for name, value in globals().items()
        if name.startswith("__") or (isinstance(value, ModuleType) and value.__name__.startswith(f"{__name__}."))
    )
