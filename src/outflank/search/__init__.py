"""Search: the best move and value of a position, and the number of leaves of a game tree (perft).

The package is callable: `outflank.search(board, depth=12)` finds the best move. If `outflank.search` were a plain
function, the package of the same name would replace it as soon as one of the package's modules is imported. Type
checkers see only the function. They find the modules through `from outflank.search.request import …`; after
`import outflank.search.request` pyright would take `outflank.search` for a module, which cannot be called.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """A package that looks like a function to `help`, to `inspect` and in a notebook."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from outflank.search.whole_search import search

        return search(*args, **options)

    @property
    def __signature__(self) -> object:
        import inspect

        from outflank.search.whole_search import search

        return inspect.signature(search)

    @property
    def __doc__(self) -> str:  # type: ignore[override]  # made on request
        from outflank.search.python_arguments import documentation
        from outflank.search.whole_search import search

        return documentation(search)


sys.modules[__name__].__class__ = _Callable


def __dir__() -> list[str]:
    """Return the dunder names and the imported submodules, without other imported names."""
    return sorted(
        name
        for name, value in globals().items()
        if name.startswith("__") or (isinstance(value, ModuleType) and value.__name__.startswith(f"{__name__}."))
    )
