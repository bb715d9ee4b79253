"""Distributed search: many processes share one search, on Ray or on MPI.

>>> from outflank import Limits, OthelloBoard
>>> with connect("local:2") as cluster:  # doctest: +SKIP
...     result = cluster.search(OthelloBoard.start(), Limits(depth=14))
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outflank.distributed.cluster import Cluster, connect

__all__ = ["Cluster", "connect"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'outflank.distributed' has no attribute {name!r}")
    # Imported late, because commands that need no cluster import parts of this package too.
    return getattr(import_module("outflank.distributed.cluster"), name)
