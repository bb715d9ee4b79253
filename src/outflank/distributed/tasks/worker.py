"""Where tasks are done: whoever does them, and how each is ended."""

import os
import platform
from collections.abc import Callable
from typing import Any, Protocol

from outflank.errors import OutflankError
from outflank.search.contract import Stop

Item = dict[str, Any]
"""A task, or its answer: whatever JSON can say."""


class TaskWorker(Protocol):
    """Does tasks, several at a time, each on a thread of its own."""

    def do(self, item: Item, stop: Stop) -> Item | None:
        """The answer to an item; None if `stop` was called before there was one."""

    def close(self) -> None:
        """Give back what it holds."""


MakeWorker = Callable[[], TaskWorker]
"""Makes a node's worker. On Ray it travels there pickled: a module's function or class, with plain data."""


class TaskRunner:
    """A worker, and a way to end each task that it is busy with."""

    def __init__(self, make: MakeWorker) -> None:
        self._worker = make()
        self._stops: dict[int, Stop] = {}

    def run(self, ticket: int, item: Item) -> Item:
        """Do a task: its `answer`, or `why` there is none."""
        stop = self._stops.setdefault(ticket, Stop())
        try:
            return {"answer": self._worker.do(item, stop)}
        except Exception as error:  # whatever it is, it belongs to whoever asked
            return {"answer": None, "why": in_words(error)}
        finally:
            self._stops.pop(ticket, None)

    def cancel(self, ticket: int) -> None:
        """End a task. It may not have begun: what is said of it and what it is come on different ways."""
        self._stops.setdefault(ticket, Stop())()

    def close(self) -> None:
        """End them all."""
        for ticket in list(self._stops):
            self.cancel(ticket)
        self._worker.close()


def in_words(error: BaseException) -> str:
    """What went wrong, in one line."""
    words = " ".join(str(error).split())
    return words if isinstance(error, OutflankError) else f"{type(error).__name__}: {words}"


def whereabouts() -> str:
    """This process, for people."""
    return f"{platform.node()}, process {os.getpid()}"
