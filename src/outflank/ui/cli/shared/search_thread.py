"""A search in its own thread, so that the main thread can handle Ctrl-C and redraw the screen."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from outflank.gpu.troubles import DeviceTrouble
from outflank.search.request import Stop
from outflank.search.results import Progress, Result
from outflank.ui.cli.shared.interrupting import stopping_at_ctrl_c

if TYPE_CHECKING:
    from outflank.distributed.cluster import Cluster

Item = Result | BaseException | None
"""Message from the searching thread: a result, an error, or None when the search has ended."""


class LatestProgress:
    """Callback that stores the last progress report of the running iteration."""

    def __init__(self) -> None:
        self.progress: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self.progress = progress


def results_from_thread(
    results: Iterator[Result], stop: Stop, cluster: "Cluster | None" = None
) -> Iterator[Result | None]:
    """Yield the results of a search in another thread as they arrive, and None every 0.2 seconds in between.

    A kernel does not see Ctrl-C, so the calling thread handles it and calls `stop`. Before the first result, Ctrl-C
    also ends the wait for nodes of a cluster.
    """
    has_results = False
    items: queue.Queue[Item] = queue.Queue()

    def work() -> None:
        try:
            for result in results:
                items.put(result)
            items.put(None)
        except BaseException as error:
            items.put(error)

    # Use a handler, not an exception, because Ctrl-C may come while this thread is printing.
    with stopping_at_ctrl_c(stop):
        threading.Thread(target=work, daemon=True).start()
        while True:
            try:
                # Wait in short steps, so that signals are seen on every system.
                item = items.get(timeout=0.2)
            except queue.Empty:
                if stop.called and cluster is not None and not has_results:
                    raise KeyboardInterrupt from None
                yield None
                continue
            if item is None:
                break
            if isinstance(item, BaseException):
                raise item
            has_results = True
            yield item


class ResultsUntilLoss:
    """Iterates over the results of a search. If its GPU is lost, the error is delayed until the results are shown."""

    def __init__(self) -> None:
        self._trouble: DeviceTrouble | None = None

    def results(self, results: Iterator[Result]) -> Iterator[Result]:
        """Yield the results. If the GPU is lost, end with the best result so far. If there is none, raise the error."""
        last: Result | None = None
        try:
            for last in results:
                yield last
        except DeviceTrouble as trouble:
            partial = trouble.partial_result or (last and replace(last, stopped=True))
            if partial is None or partial.value is None:
                raise
            self._trouble = trouble
            yield partial

    def check(self) -> None:
        """Raise the delayed error, if the GPU was lost."""
        if self._trouble is not None:
            raise self._trouble


def cluster_failure(cluster: "Cluster | None") -> str | None:
    """Return the reason why the cluster has given up, or None."""
    return cluster.head.trouble if cluster is not None and cluster.head is not None else None
