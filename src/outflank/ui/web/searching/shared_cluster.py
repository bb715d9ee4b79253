"""The cluster of a server (`outflank serve --cluster`), which searches for one analysis at a time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outflank.distributed.cluster import ALGORITHMS, Cluster
from outflank.errors import OutflankError, notify
from outflank.games.description import OWN_GAMES, game_named
from outflank.search.division import Scheme
from outflank.search.request import Limits


class SharedCluster:
    """A cluster that searches for one analysis at a time.

    The server's own cores search for the other analyses. If the cluster is lost, they search for all analyses.
    """

    def __init__(self, cluster: Cluster, where: str) -> None:
        self._cluster, self.where = cluster, where
        self._in_use = threading.Lock()
        self._is_lost = False
        self.warn: Callable[[str], object] = notify
        """Function that is called with the reason when the cluster is lost."""

    def prepare(self) -> int:
        """Wait until the nodes have joined, and return their number."""
        self._cluster.search(game_named(OWN_GAMES[0]).start(), Limits(depth=1))
        assert self._cluster.head is not None
        return len(self._cluster.head.members)

    @contextmanager
    def lease(self, algorithm: str) -> Iterator[Scheme | None]:
        """Yield the cluster as a scheme, or None if it cannot search with `algorithm`, is in use or is lost."""
        if algorithm not in ALGORITHMS or self._is_lost or not self._in_use.acquire(blocking=False):
            yield None
            return
        try:
            yield self._cluster.scheme()
            head = self._cluster.head
            if head is not None and head.trouble is not None:
                self._lose(head.trouble)
        except OutflankError as error:
            self._lose(str(error))
        finally:
            self._in_use.release()

    def _lose(self, reason: str) -> None:
        self._is_lost = True
        self.warn(f"the cluster at {self.where} is lost, and this machine searches alone: {reason}")
