"""A node's process, which runs short calls one after the other. The result of long work is sent later, in a message."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, TypeVar

from outflank.errors import OutflankError
from outflank.logs import log_to_file
from outflank.systems import children_ignore_interrupts

LEAVE_SECONDS = 1.0
"""Timeout for a node's process to exit by itself after it has released its resources."""

LOST = "its process died"

T = TypeVar("T")

Then = Callable[[Any], object]

OnMessage = Callable[[int, Any], None]
"""Callback with the number of a process and a message from it. None instead of a message: the process has ended."""


class _Context(SpawnContext):
    """A `multiprocessing` context that spawns processes, which share no memory with this one, and records them."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    # Python's own contexts have a class `Process` here; a method can be called in the same way.
    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*arguments, **options)
        self.started.append(process)
        return process


class CalledProcess:
    """A node's process, as the head sees it."""

    def __init__(self, number: int, on_message: OnMessage, begin: Callable[[], None] | None = None) -> None:
        """Start the process, which first calls `begin`. Queues can be passed only with `begin`, not with later calls.

        The caller must delay interrupts until it has stored this object, so that it can `close` it.
        """
        if multiprocessing.parent_process() is not None:
            # Python imports the main program again in every process that it spawns.
            raise OutflankError("a program that starts processes begins with: if __name__ == '__main__'")
        self.number, self._on_message = number, on_message
        self._reader, writer = multiprocessing.Pipe(duplex=False)
        self._context = _Context()
        self._pool = ProcessPoolExecutor(1, self._context, _begin, (writer, begin))
        with children_ignore_interrupts():
            self._started = self._pool.submit(os.getpid)
        writer.close()  # the pipe must close when the process ends
        threading.Thread(target=self._listen, name=f"outflank-futures-{number}", daemon=True).start()

    @property
    def has_started(self) -> bool:
        """Whether the process has started to answer calls."""
        return self._started.done()

    def call(
        self, function: Callable[..., T], *arguments: object, then: Then | None = None, failed: Then | None = None
    ) -> "Future[T]":
        """Call a module-level function in the process. `then` receives its result, `failed` its exception.

        If the process dies first, only `on_message` is called.
        """
        try:
            future: Future[T] = self._pool.submit(function, *arguments)
        except RuntimeError:  # the process is dead, or being closed
            future = Future()
            future.cancel()
        future.add_done_callback(partial(_forward_result, then, failed))
        return future

    def _listen(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._on_message(self.number, self._reader.recv())
        self._on_message(self.number, None)

    def close(self) -> None:
        """End the process. Kill it if it has not started yet, or does not exit within `LEAVE_SECONDS`."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in self._context.started:
            process.join(LEAVE_SECONDS if self.has_started else 0.0)
            if process.is_alive():
                process.kill()
                process.join()


def _forward_result(then: Then | None, failed: Then | None, future: "Future[object]") -> None:
    error = None if future.cancelled() else future.exception()
    if error is None and not future.cancelled() and then is not None:
        then(future.result())
    elif error is not None and failed is not None and not isinstance(error, BrokenProcessPool):
        failed(error)


def close_all(processes: Iterable[CalledProcess], function: Callable[[], None], seconds: float) -> None:
    """Call `function` in all processes at once to release their resources, then end the processes."""
    process_list = list(processes)
    wait([process.call(function) for process in process_list if process.has_started], seconds)
    for process in process_list:
        process.close()


# --- in the process ---

_writer: "Connection[object, object] | None" = None
_send_lock = threading.Lock()


def _begin(writer: "Connection[object, object]", begin: Callable[[], None] | None) -> None:
    global _writer
    _writer = writer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OutflankError):  # the head has reported it, if the file is the same
        log_to_file()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin()


def _end_with_parent() -> None:
    """Exit when the parent process dies. A process of a pool does not notice this death by itself."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def tell(message: object) -> None:
    """Send a message from this process to the one that started it."""
    assert _writer is not None
    with _send_lock, contextlib.suppress(OSError):  # the parent may have closed the pipe
        _writer.send(message)
