"""The side of tasks that runs on a node: workers, and how their tasks are cancelled."""

import os
import platform
from collections.abc import Callable
from typing import Any, Protocol

from outflank.errors import OutflankError
from outflank.search.request import Stop

Item = dict[str, Any]
"""A task, or its answer: a JSON object."""


class TaskWorker(Protocol):
    """Runs tasks, several at a time, each on a thread of its own."""

    def do(self, item: Item, stop: Stop) -> Item | None:
        """Return the answer to an item; None if `stop` was called before there was one."""

    def close(self) -> None:
        """Release the worker's resources."""


MakeWorker = Callable[[], TaskWorker]
"""Creates a node's worker. On Ray it is pickled: a module's function or class, with plain data."""


class TaskRunner:
    """A worker, and a way to cancel each of its running tasks."""

    def __init__(self, make: MakeWorker) -> None:
        self._worker = make()
        self._stops: dict[int, Stop] = {}

    def run(self, ticket: int, item: Item) -> Item:
        """Run a task; return its `answer`, or `why` there is none."""
        stop = self._stops.setdefault(ticket, Stop())
        try:
            return {"answer": self._worker.do(item, stop)}
        except Exception as error:  # every failure is reported to the caller
            return {"answer": None, "why": error_text(error)}
        finally:
            self._stops.pop(ticket, None)

    def cancel(self, ticket: int) -> None:
        """Cancel a task. It may not have begun: the cancellation and the task itself are sent separately."""
        self._stops.setdefault(ticket, Stop())()

    def close(self) -> None:
        """Cancel all tasks, and release the worker's resources."""
        for ticket in list(self._stops):
            self.cancel(ticket)
        self._worker.close()


def error_text(error: BaseException) -> str:
    """Return an error's message as one line, with its type unless it is an OutflankError."""
    text = " ".join(str(error).split())
    return text if isinstance(error, OutflankError) else f"{type(error).__name__}: {text}"


def process_description() -> str:
    """Return the machine and the id of this process, for messages."""
    return f"{platform.node()}, process {os.getpid()}"
