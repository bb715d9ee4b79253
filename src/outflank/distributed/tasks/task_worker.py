"""The part of task processing that runs on a node: the worker, and the cancelling of its tasks."""

import os
import platform
from collections.abc import Callable
from typing import Any, Protocol

from outflank.errors import OutflankError
from outflank.logs import logger
from outflank.search.request import Stop

log = logger(__name__)

Item = dict[str, Any]
"""A task or its answer, as a JSON object."""


class TaskWorker(Protocol):
    """Runs tasks, several at a time, each on its own thread."""

    def do(self, item: Item, stop: Stop) -> Item | None:
        """Run the task `item` and return its answer; None if `stop` was called first."""

    def close(self) -> None:
        """Release the worker's resources."""


MakeWorker = Callable[[], TaskWorker]
"""Creates the worker of a node. Ray pickles it, so it must be a module-level function or class, with plain data."""


class TaskRunner:
    """A worker with its running tasks, which can be cancelled."""

    def __init__(self, make: MakeWorker) -> None:
        self._worker = make()
        self._stops: dict[int, Stop] = {}

    def run(self, ticket: int, item: Item) -> Item:
        """Run a task and return a dict with its `answer`, or `why` there is none."""
        stop = self._stops.setdefault(ticket, Stop())
        try:
            return {"answer": self._worker.do(item, stop)}
        except Exception as error:  # every failure is reported to the caller
            log.warning("task %d failed: %s", ticket, error_text(error), exc_info=not isinstance(error, OutflankError))
            return {"answer": None, "why": error_text(error)}
        finally:
            self._stops.pop(ticket, None)

    def cancel(self, ticket: int) -> None:
        """Cancel the task with this ticket, even if it has not arrived yet."""
        self._stops.setdefault(ticket, Stop())()

    def close(self) -> None:
        """Cancel all tasks, and release the worker's resources."""
        for ticket in list(self._stops):
            self.cancel(ticket)
        self._worker.close()


def error_text(error: BaseException) -> str:
    """Return an error's message as one line, preceded by its type unless it is an OutflankError."""
    text = " ".join(str(error).split())
    return text if isinstance(error, OutflankError) else f"{type(error).__name__}: {text}"


def process_description() -> str:
    """Return the machine and the id of this process, for messages to users."""
    return f"{platform.node()}, process {os.getpid()}"
