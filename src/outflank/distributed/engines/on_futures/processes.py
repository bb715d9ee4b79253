"""A process that is called: a pool of one. Calls are short and answered in turn; what takes long is told of later."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from outflank.errors import OutflankError

LEAVE_SECONDS = 1.0
"""How long a process that has given back what it holds may take to end by itself."""

LOST = "its process died"

Then = Callable[[Any], object]

Told = Callable[[int, Any], None]
"""Takes what a process tells by itself: its number and what it says, None once it is gone."""


class _Context(SpawnContext):
    """Processes that share nothing with this one, and a hand on them."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    # Python's own is a class with this name, to be called like one; it is a function here.
    def Process(self, *arguments: Any, **named: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*arguments, **named)
        self.started.append(process)
        return process


class CalledProcess:
    """A node's process, seen from the head."""

    def __init__(self, number: int, told: Told, begin: Callable[[], None] | None = None) -> None:
        """`begin` is called there first of all. It may hold queues, which travel in no other way.

        Whoever makes one must not be disturbed before it is where `close` finds it.
        """
        if multiprocessing.parent_process() is not None:
            # Python imports the program once more for every process that it starts.
            raise OutflankError("a program that starts processes begins with: if __name__ == '__main__'")
        self.number, self._told = number, told
        self._reader, writer = multiprocessing.Pipe(duplex=False)
        self._context = _Context()
        self._pool = ProcessPoolExecutor(1, self._context, _begin, (writer, begin))
        with _interrupts_held():
            self._there = self._pool.submit(os.getpid)
        writer.close()  # or the end of the process would not be the end of the pipe
        threading.Thread(target=self._listen, name=f"outflank-futures-{number}", daemon=True).start()

    @property
    def is_there(self) -> bool:
        """Whether it has begun to answer."""
        return self._there.done()

    def call(
        self, function: Callable[..., Any], *arguments: Any, then: Then | None = None, failed: Then | None = None
    ) -> "Future[Any]":
        """Have a function of a module called there: `then` takes its answer, and `failed` what it raises.

        Neither is told where the process dies of it, or before: `told` is.
        """
        try:
            future: Future[Any] = self._pool.submit(function, *arguments)
        except RuntimeError:  # it is dead already, or being closed
            future = Future()
            future.cancel()
        future.add_done_callback(partial(_hand_on, then, failed))
        return future

    def _listen(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._told(self.number, self._reader.recv())
        self._told(self.number, None)

    def close(self) -> None:
        """End it, by force if it does not leave by itself, or is not even there yet."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in self._context.started:
            process.join(LEAVE_SECONDS if self.is_there else 0.0)
            if process.is_alive():
                process.kill()
                process.join()


def _hand_on(then: Then | None, failed: Then | None, future: "Future[Any]") -> None:
    error = None if future.cancelled() else future.exception()
    if error is None and not future.cancelled() and then is not None:
        then(future.result())
    elif error is not None and failed is not None and not isinstance(error, BrokenProcessPool):
        failed(error)


def close_all(processes: Iterable[CalledProcess], function: Callable[[], None], seconds: float) -> None:
    """Have processes give back what they hold by calling a function there, all at a time, and end them."""
    ours = list(processes)
    wait([process.call(function) for process in ours if process.is_there], seconds)
    for process in ours:
        process.close()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C is this process's business: one that is started meanwhile never hears of it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: it is told when it begins
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in the process ---

_writer: "Connection[Any, Any] | None" = None
_speaking = threading.Lock()


def _begin(writer: "Connection[Any, Any]", begin: Callable[[], None] | None) -> None:
    global _writer
    _writer = writer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin()


def _end_with_parent() -> None:
    """A pool's process does not notice that whoever started it was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def tell(what: Any) -> None:
    """Say something to the process that started this one."""
    assert _writer is not None
    with _speaking, contextlib.suppress(OSError):  # nobody listens any more
        _writer.send(what)
