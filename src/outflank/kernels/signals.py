"""Signals that are seen while kernels run.

Python runs the handlers of signals in its main thread, and only between two of its own instructions: a kernel that
runs there keeps Ctrl-C waiting until it returns. So what takes long is run by a deputy, a second thread, while the
main thread waits in a way that every handler can interrupt; handlers stay as they are. In other threads kernels run
at once: their callers wait for them as they do for any thread.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Generic, TypeVar

from outflank.kernels import observers
from outflank.kernels.compiler import interpreted

T = TypeVar("T")

STEP_SECONDS = 0.1
"""How long a wait lasts before it looks again: not every system wakes the main thread for a signal."""


class Attendant:
    """Runs what takes long, for one caller; `stop` must make it return.

    A call that a handler has interrupted raises what the handler did, as soon as the work has ended. A second
    interrupt does not wait for that.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._tasks: SimpleQueue[_Task[object] | None] = SimpleQueue()
        self._deputy: threading.Thread | None = None
        self._abandoned = False

    def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises."""
        if threading.current_thread() is not threading.main_thread():
            with ended_with_the_main_thread(self._stop):
                return work()
        if interpreted() or observers.observer is not None:
            return work()  # the interpreter sees signals by itself
        task = _Task(work)
        try:
            self._start()
            self._tasks.put(task)  # type: ignore[arg-type]  # what it finds is nobody's but ours
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
        """Send the deputy home."""
        if self._deputy is not None:
            self._tasks.put(None)
            if not self._abandoned:
                self._deputy.join()
            self._deputy = None

    def _start(self) -> None:
        if self._deputy is None:
            deputy = threading.Thread(target=_serve, args=(self._tasks,), name="outflank-deputy", daemon=True)
            self._deputy = deputy
            deputy.start()


def _serve(tasks: "SimpleQueue[_Task[object] | None]") -> None:
    while (task := tasks.get()) is not None:
        task.run()
        del task  # nothing that it found is kept while there is nothing to do


class _Task(Generic[T]):
    """Work that is handed from one thread to another; whoever claims it first has it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._claim, self._wakes = threading.Lock(), threading.Lock()
        self._wakes.acquire()
        self._ended = False
        self._found: list[T] = []
        self._failure: BaseException | None = None

    def run(self) -> None:
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._found.append(self._work())
        except BaseException as failure:  # whatever it is, it belongs to the one who waits
            self._failure = failure
        self._ended = True
        self._wakes.release()

    def withdraw(self) -> bool:
        """Whether nobody has begun it, and nobody will."""
        return self._claim.acquire(blocking=False)

    def wait(self) -> None:
        while not self._ended:  # not until it wakes: who was interrupted just then has been woken, and waits again
            self._wakes.acquire(timeout=STEP_SECONDS)

    def outcome(self) -> T:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            try:
                raise failure
            finally:
                del failure  # its traceback holds this frame: there must be no cycle
        return self._found[0]


# --- other threads: the interpreter waits for them when the main thread has ended ---

_lock = threading.RLock()
_stops: list[Callable[[], None]] = []
_listening = False
_interrupted = False


@contextmanager
def ended_with_the_main_thread(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` if Ctrl-C ends the main thread meanwhile, and be interrupted as well.

    A script that Ctrl-C reaches in `thread.join()` would otherwise not end before the thread's search has.
    """
    with _lock:
        _listen()
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


def _listen() -> None:
    """Hear of the end of the main thread before other threads are waited for, as executors do; `atexit` comes later."""
    global _listening
    if not _listening:
        _listening = True
        try:
            getattr(threading, "_register_atexit", lambda _: None)(_main_thread_has_ended)
        except RuntimeError:  # it has ended
            _main_thread_has_ended()


def _main_thread_has_ended() -> None:
    global _interrupted
    # The exception that ended it. A program that ends otherwise means its threads to finish.
    if isinstance(getattr(sys, "last_value", None), KeyboardInterrupt):
        with _lock:
            _interrupted = True
            for stop in _stops:
                stop()
