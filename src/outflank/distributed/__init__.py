"""Beyond one machine: searches that many processes share, on Ray or on MPI.

>>> from outflank import Limits, OthelloBoard
>>> with connect("local:2") as cluster:  # doctest: +SKIP
...     found = cluster.search(OthelloBoard.start(), Limits(depth=14))
"""

from outflank.distributed.cluster import Cluster, connect

__all__ = ["Cluster", "connect"]
