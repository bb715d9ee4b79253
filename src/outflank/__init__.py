"""outflank: parallel game-tree search for Othello and Abalone.

    >>> import outflank
    >>> board = outflank.Board.from_text("f5d6c3d3c4")
    >>> board.push("f4")
    <OthelloMove f4>
    >>> outflank.search(board, depth=6, evaluation="mobility").value
    1
    >>> outflank.perft(outflank.AbaloneBoard.start(), 2).leaves
    1936

Names are imported when they are first used: `import outflank` costs next to nothing, and the
compiler is loaded by the first search.
"""

from functools import cache
from importlib import import_module

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "__all__":
        return [*_homes(), "__version__"]
    if name.startswith("__") or name not in _homes():
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")
    module = import_module(_homes()[name])
    if name not in globals():  # as `lab` is now, and `search`, the package that can be called
        globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*_homes(), "__version__"])


@cache
def _homes() -> dict[str, str]:
    """The module of each public name, as the stub has them for type checkers.

    lazy_loader reads a stub too, at every start, and would give a function for `search` the first time alone.
    """
    import ast
    from pkgutil import get_data

    stub = get_data("outflank", "__init__.pyi") or b""
    lines = [line for line in ast.parse(stub).body if isinstance(line, ast.ImportFrom)]
    return {each.name: line.module or f"outflank.{each.name}" for line in lines for each in line.names}
