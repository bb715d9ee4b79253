"""Handling of signals while kernels run.

Python runs signal handlers in its main thread, and only between two Python instructions: a kernel that runs in the main
thread delays Ctrl-C until it returns. So long work of the main thread runs in a second thread, the deputy, while the
main thread waits in a way that every signal handler can interrupt. The handlers are not changed. In other threads
kernels run directly.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Generic, TypeVar

from outflank.kernels import observers
from outflank.kernels.compiler import interpreted
from outflank.kernels.uninterrupted import delay_interrupts

T = TypeVar("T")

STEP_SECONDS = 0.1
"""Timeout of each wait of the main thread, which waits in a loop: not every system wakes it for a signal."""


class Attendant:
    """Runs long work for one caller so that signals can interrupt it; `stop` must make the work return.

    If a signal handler raises an exception, `run` calls `stop` and raises the exception when the work has ended. If a
    second exception interrupts that wait, `run` raises it at once.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._tasks: SimpleQueue[_Task[object] | None] = SimpleQueue()
        self._deputy: threading.Thread | None = None
        self._abandoned = False

    def run(self, work: Callable[[], T]) -> T:
        """Run `work`; return its result, or raise its exception."""
        if threading.current_thread() is not threading.main_thread():
            with stopped_with_main_thread(self._stop):
                return work()
        if interpreted() or observers.observer is not None:
            return work()  # the interpreter runs it, and handles signals by itself
        task = _Task(work)
        try:
            self._start()
            self._tasks.put(task)  # type: ignore[arg-type]  # only this call reads its result
            task.wait()
        except BaseException:
            if not task.withdraw():
                self._abandoned = True
                self._stop()
                task.wait()
                self._abandoned = False
            raise
        return task.outcome()

    def close(self) -> None:
        """End the deputy thread."""
        if self._deputy is not None:
            self._tasks.put(None)
            if not self._abandoned:
                self._deputy.join()
            self._deputy = None

    def _start(self) -> None:
        if self._deputy is not None:
            return
        deputy = threading.Thread(target=_serve, args=(self._tasks,), name="outflank-deputy", daemon=True)
        # `start` waits until the thread runs. If this wait was interrupted, `close` could not join the thread, and
        # raised a `RuntimeError` in place of the interrupt.
        with delay_interrupts():
            deputy.start()
            self._deputy = deputy


def _serve(tasks: "SimpleQueue[_Task[object] | None]") -> None:
    while (task := tasks.get()) is not None:
        task.run()
        del task  # so that its result is freed while the thread is idle


class _Task(Generic[T]):
    """Work that one thread passes to another. The first thread that claims it decides whether it is run."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._claim, self._wake_lock = threading.Lock(), threading.Lock()
        self._wake_lock.acquire()
        self._ended = False
        self._results: list[T] = []
        self._failure: BaseException | None = None

    def run(self) -> None:
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._results.append(self._work())
        except BaseException as failure:  # `outcome` raises it in the waiting thread
            self._failure = failure
        self._ended = True
        self._wake_lock.release()

    def withdraw(self) -> bool:
        """Claim the task, so that it never begins; return False if it has already begun."""
        return self._claim.acquire(blocking=False)

    def wait(self) -> None:
        while not self._ended:  # the lock alone is not enough: an interrupted wait may have acquired it
            self._wake_lock.acquire(timeout=STEP_SECONDS)

    def outcome(self) -> T:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            try:
                raise failure
            finally:
                del failure  # its traceback refers to this frame: this avoids a reference cycle
        return self._results[0]


# --- threads other than the main one: the interpreter waits for them when the main thread has ended ---

_lock = threading.RLock()
_stops: list[Callable[[], None]] = []
_registered = False
_interrupted = False


@contextmanager
def stopped_with_main_thread(stop: Callable[[], None]) -> Iterator[None]:
    """If Ctrl-C ends the main thread during the block, call `stop` and raise `KeyboardInterrupt` in this thread too.

    Otherwise a script that is interrupted in `thread.join()` would not end before the thread's search has ended.
    """
    with _lock:
        _register_main_thread_end()
        _stops.append(stop)
    try:
        if _interrupted:
            raise KeyboardInterrupt
        yield
    finally:
        with _lock:
            _stops.remove(stop)
    if _interrupted:
        raise KeyboardInterrupt


def _register_main_thread_end() -> None:
    """Register `_on_main_thread_end` to run before the interpreter waits for other threads (executors use this hook
    too)."""
    global _registered
    if not _registered:
        _registered = True
        try:
            getattr(threading, "_register_atexit", lambda _: None)(_on_main_thread_end)
        except RuntimeError:  # the main thread has ended already
            _on_main_thread_end()


def _on_main_thread_end() -> None:
    global _interrupted
    # `last_value` is the exception that ended the main thread. A program that ends otherwise lets its threads finish.
    if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
        with _lock:
            _interrupted = True
            for stop in _stops:
                stop()
