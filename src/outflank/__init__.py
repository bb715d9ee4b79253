"""outflank: parallel game-tree search for Othello and Abalone.

    >>> import outflank
    >>> board = outflank.Board.from_text("f5d6c3d3c4")
    >>> board.push("f4")
    <OthelloMove f4>
    >>> outflank.search(board, depth=6, evaluation="mobility").value
    1
    >>> outflank.perft(outflank.AbaloneBoard.start(), 2).leaves
    1936

Each name is imported at its first use: `import outflank` takes almost no time, and the first search
loads the compiler.
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
    if name not in globals():  # an import sets the names of subpackages itself; `search` is one that can be called
        globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*_homes(), "__version__"])


@cache
def _homes() -> dict[str, str]:
    """Return the module of each public name, read from the stub that type checkers use.

    The library lazy_loader also reads a stub, but parses it with `ast` at every start, which takes longer than this
    function. With lazy_loader, `outflank.search` would be a function at the first access, and the subpackage
    afterwards.
    """
    stub = __loader__.get_data(f"{__file__.removesuffix('c')}i").decode()
    lines = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    return {name: f"outflank.{name}" if home == "." else home for _, home, _, name, *_ in lines}
