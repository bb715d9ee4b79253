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

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from outflank.abalone.rules import Kind
    from outflank.boards import (
        AbaloneBoard,
        AbaloneMove,
        Board,
        Move,
        OthelloBoard,
        OthelloMove,
        Outcome,
    )
    from outflank.errors import (
        FormatError,
        IllegalMove,
        InvalidOption,
        InvalidPosition,
        OutflankError,
        UnknownName,
    )
    from outflank.games.sides import Side
    from outflank.search.contract import (
        Comparison,
        Limits,
        MoveValue,
        Options,
        Progress,
        Result,
        Stop,
        WorkerStatistics,
    )
    from outflank.search.deepening import compare, iterate, search
    from outflank.search.division import Scheme, register_scheme, schemes
    from outflank.search.ordering import Ordering
    from outflank.search.perft import Perft, perft
    from outflank.search.table import Table

_HOME = {
    "outflank.boards": (
        "AbaloneBoard",
        "AbaloneMove",
        "Board",
        "Move",
        "OthelloBoard",
        "OthelloMove",
        "Outcome",
    ),
    "outflank.errors": (
        "FormatError",
        "IllegalMove",
        "InvalidOption",
        "InvalidPosition",
        "OutflankError",
        "UnknownName",
    ),
    "outflank.abalone.rules": ("Kind",),
    "outflank.games.sides": ("Side",),
    "outflank.search.contract": (
        "Comparison",
        "Limits",
        "MoveValue",
        "Options",
        "Progress",
        "Result",
        "Stop",
        "WorkerStatistics",
    ),
    "outflank.search.deepening": ("compare", "iterate"),
    "outflank.search.division": ("Scheme", "register_scheme", "schemes"),
    "outflank.search.ordering": ("Ordering",),
    "outflank.search.perft": ("Perft", "perft"),
    "outflank.search.table": ("Table",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

_FOLDERS = ("lab", "search")
"""Themselves: `search` can be called, and `lab` is the laboratory."""

__all__ = [
    "AbaloneBoard",
    "AbaloneMove",
    "Board",
    "Comparison",
    "FormatError",
    "IllegalMove",
    "InvalidOption",
    "InvalidPosition",
    "Kind",
    "Limits",
    "Move",
    "MoveValue",
    "Options",
    "Ordering",
    "OthelloBoard",
    "OthelloMove",
    "Outcome",
    "OutflankError",
    "Perft",
    "Progress",
    "Result",
    "Scheme",
    "Side",
    "Stop",
    "Table",
    "UnknownName",
    "WorkerStatistics",
    "__version__",
    "compare",
    "iterate",
    "perft",
    "register_scheme",
    "schemes",
    "search",
]


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return import_module(f"outflank.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_FOLDERS})
