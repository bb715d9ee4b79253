"""Work on long arrays, slice by slice on several threads."""

from collections.abc import Callable
from threading import Lock

from outflank.kernels.workers import run_workers

Progress = Callable[[int], None]
"""Receives the number of elements done."""


def over_slices(
    work: Callable[[int, int, int], None],
    count: int,
    *,
    size: int,
    workers: int,
    progress: Progress | None = None,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Call `work(begin, end, worker)` for all slices of `count` elements, in their order, each by any free worker.

    If a call fails, or this thread is interrupted, no other is begun; `stop` must make the running ones return.
    """
    lock = Lock()
    begun = done = 0
    ended = False

    def take() -> tuple[int, int]:
        nonlocal begun
        with lock:
            begin = count if ended else begun
            begun = min(begin + size, count)
            return begin, begun

    def end() -> None:
        nonlocal ended
        ended = True
        stop()

    def loop(worker: int) -> None:
        nonlocal done
        while True:
            first, last = take()
            if first >= count:
                return
            work(first, last, worker)
            with lock:
                done += last - first

    worker_count = min(workers, -(-count // size))
    run_workers(
        loop,
        [(worker,) for worker in range(worker_count)],
        stop=end,
        watch=None if progress is None else lambda: progress(done),
    )
