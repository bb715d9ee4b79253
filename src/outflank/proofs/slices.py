"""Work on long arrays, slice by slice on several threads."""

from collections.abc import Callable
from threading import Lock

from outflank.kernels.workers import run_workers

Told = Callable[[int], None]
"""Is told how many elements are done."""


def over_slices(
    work: Callable[[int, int, int], None],
    count: int,
    *,
    size: int,
    workers: int,
    told: Told | None = None,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Call `work(begin, end, worker)` for all slices of `count` elements, in their order, each by whoever is free.

    If one fails, or this thread is interrupted, no other is begun; `stop` must make those come back that were.
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

    crew = min(workers, -(-count // size))
    run_workers(
        loop, [(worker,) for worker in range(crew)], stop=end, watch=None if told is None else lambda: told(done)
    )
