"""Threads that run kernels in parallel, which is possible because kernels do not hold the interpreter's lock."""

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TypeVar

from outflank.errors import OutflankError
from outflank.kernels import observers
from outflank.kernels.signals import stopped_with_main_thread
from outflank.placement import pinned

Result = TypeVar("Result")


class WorkerThread(threading.Thread):
    """A thread that runs kernels. If an observer is installed, it schedules the thread."""

    def start(self) -> None:
        super().start()
        if observers.observer is not None:
            observers.observer.started(self)

    def run(self) -> None:
        if observers.observer is not None:
            observers.observer.run(super().run)
        else:
            super().run()

    def join(self, timeout: float | None = None) -> None:
        if observers.observer is not None:
            observers.observer.joins(self)
        super().join(timeout)


def run_workers(
    kernel: Callable[..., Result],
    arguments: Sequence[tuple[object, ...]],
    *,
    stop: Callable[[], None],
    watch: Callable[[], None] | None = None,
    every_seconds: float = 0.1,
    places: Sequence[int] = (),
) -> list[Result]:
    """Call `kernel` once per tuple of arguments, each in its own thread; return the results in order.

    `watch` is called every `every_seconds` in the calling thread. If the calling thread is interrupted, or a call of
    `kernel` fails, `stop` is called, which must make all kernels return. When they have returned, the exception is
    raised. `places` are the processors of the threads; if there are more threads than processors, the processors are
    used again from the first.
    """
    results: dict[int, Result] = {}  # by the index of the call
    failures: list[BaseException] = []
    ends = [threading.Event() for _ in arguments]

    def work(index: int) -> None:
        try:
            with pinned(places, index):
                results[index] = kernel(*arguments[index])
        except BaseException as failure:  # the caller raises it
            failures.append(failure)
            stop()
        finally:
            ends[index].set()

    threads = [
        WorkerThread(target=work, args=(index,), name=f"outflank-{index}", daemon=True)
        for index in range(len(arguments))
    ]
    started: list[WorkerThread] = []
    try:
        for thread in threads:
            try:
                thread.start()
            except RuntimeError:
                raise OutflankError(
                    f"{len(threads):,} workers: the system has no more than {len(started):,} threads"
                ) from None
            started.append(thread)
        in_main = threading.current_thread() is threading.main_thread()
        with nullcontext() if in_main else stopped_with_main_thread(stop):
            for thread in threads:
                # The timeout lets the interpreter handle Ctrl-C.
                while thread.is_alive():
                    thread.join(every_seconds)
                    if watch is not None:
                        watch()
                thread.join()  # for the observer: what the thread has done happened before what follows
    except BaseException:
        stop()
        for thread, end in zip(threads, ends, strict=True):
            if thread.ident is not None:  # also one that had begun when its start was interrupted
                thread.join()
                # If a join is interrupted, Python 3.11 regards the thread as ended: another join does not wait for it.
                end.wait()
        raise
    if failures:
        first = failures[0]
        failures.clear()
        try:
            raise first
        finally:
            del first  # its traceback refers to this frame: this avoids a reference cycle
    return [results[index] for index in sorted(results)]  # all, unless an observer has ended the threads
