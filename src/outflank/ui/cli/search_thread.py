"""A search in a thread of its own, so that the main one sees Ctrl-C and draws meanwhile."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import replace

from outflank.distributed.cluster import Cluster
from outflank.gpu.troubles import DeviceTrouble
from outflank.search.contract import Stop
from outflank.search.results import Progress, Result
from outflank.ui.cli.interrupting import stopping_at_ctrl_c

Item = Result | BaseException | None
"""What the searching thread hands over: a result, what went wrong, or that it has ended."""


class Latest:
    """Keeps the last that was heard of an iteration under way."""

    def __init__(self) -> None:
        self.progress: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self.progress = progress


def as_they_come(results: Iterator[Result], stop: Stop, cluster: Cluster | None = None) -> Iterator[Result | None]:
    """The results as they come, searched in another thread; None from time to time while none does.

    A kernel does not see Ctrl-C; this thread does, and calls `stop`. Nodes of a cluster that are not there yet are not
    waited for then.
    """
    begun = False
    arrived: queue.Queue[Item] = queue.Queue()

    def work() -> None:
        try:
            for result in results:
                arrived.put(result)
            arrived.put(None)
        except BaseException as error:
            arrived.put(error)

    # A handler and not an exception: Ctrl-C may come while this thread is printing.
    with stopping_at_ctrl_c(stop):
        threading.Thread(target=work, daemon=True).start()
        while True:
            try:
                # In short steps, so that signals are seen on every system.
                item = arrived.get(timeout=0.2)
            except queue.Empty:
                if stop.called and cluster is not None and not begun:
                    raise KeyboardInterrupt from None
                yield None
                continue
            if item is None:
                break
            if isinstance(item, BaseException):
                raise item
            begun = True
            yield item


class UntilLost:
    """The results of a search up to the loss of its device, if that is lost: they are shown before it is told."""

    def __init__(self) -> None:
        self._trouble: DeviceTrouble | None = None

    def results(self, results: Iterator[Result]) -> Iterator[Result]:
        """Those that come; at a loss, what was found by then is the last. If that is nothing, the trouble is raised."""
        last: Result | None = None
        try:
            for last in results:
                yield last
        except DeviceTrouble as trouble:
            found = getattr(trouble, "found", last and replace(last, stopped=True))
            if found is None or found.value is None:
                raise
            self._trouble = trouble
            yield found

    def check(self) -> None:
        """Raise what has ended it, if anything has."""
        if self._trouble is not None:
            raise self._trouble


def trouble_of(cluster: Cluster | None) -> str | None:
    """Why a cluster has given up, if there is one and it has."""
    return cluster.head.trouble if cluster is not None and cluster.head is not None else None
