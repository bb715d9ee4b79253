"""Distributed search: many processes share one search, on Ray or on MPI.

>>> from outflank import Limits, OthelloBoard
>>> with connect("local:2") as cluster:  # doctest: +SKIP
...     result = cluster.search(OthelloBoard.start(), Limits(depth=14))
"""

from outflank.distributed.cluster import Cluster, connect

__all__ = ["Cluster", "connect"]
