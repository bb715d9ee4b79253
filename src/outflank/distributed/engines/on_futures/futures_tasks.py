"""Tasks on nodes that are processes of this machine."""

import threading
from concurrent.futures import Future
from functools import partial

from outflank.distributed.engines.on_futures.call_process import LOST, CalledProcess, close_all, tell
from outflank.distributed.tasks.carrier import (
    ClusterBroken,
    NodeAlive,
    NodeGone,
    NodeReady,
    NodeUnfit,
    TaskAnswered,
    TaskEvents,
)
from outflank.distributed.tasks.task_worker import Item, MakeWorker, TaskRunner, error_text, process_description
from outflank.kernels.uninterrupted import delay_interrupts
from outflank.user_modules import PickledValue, pickle_for_nodes

CLOSE_SECONDS = 6.0
"""Timeout for workers to release their resources before their processes are killed."""


class FuturesTasks:
    """The nodes of a task dispatcher, which are processes of this machine with one worker each."""

    def __init__(self, make: MakeWorker, *, nodes: int, per_node: int) -> None:
        self._make, self._count, self._lanes = make, nodes, per_node
        self._processes: dict[int, CalledProcess] = {}
        self._unfit: set[int] = set()
        self._looking: dict[int, Future[NodeAlive]] = {}

    @property
    def possible_nodes(self) -> int:
        return len(self._processes.keys() - self._unfit)

    def open(self, events: TaskEvents) -> None:
        self._events = events
        pickled = pickle_for_nodes(self._make)
        with delay_interrupts():
            for number in range(self._count):
                process = self._processes[number] = CalledProcess(number, self._handle_message)
                ready, failed = partial(self._handle_prepared, number), partial(self._refuse, number, "")
                process.call(_prepare, pickled, then=ready, failed=failed)

    def run(self, node: int, ticket: int, item: Item) -> None:
        self._processes[node].call(_run, ticket, item)

    def cancel(self, node: int, ticket: int) -> None:
        if node in self._processes:
            self._processes[node].call(_cancel, ticket)

    def check_nodes(self) -> None:
        for number, process in self._processes.items():
            if number not in self._looking or self._looking[number].done():
                self._looking[number] = process.call(_heartbeat, number, then=self._events.put)

    def forget_node(self, node: int) -> None:
        process = self._processes.pop(node, None)
        if process is not None:
            process.close()
            if not self._processes:
                self._events.put(ClusterBroken("all processes of the cluster have died"))

    def close(self) -> None:
        close_all(self._processes.values(), _close, CLOSE_SECONDS)
        self._processes.clear()

    def _handle_message(self, number: int, answer: tuple[int, Item] | None) -> None:
        self._events.put(NodeGone(number, LOST) if answer is None else TaskAnswered(number, *answer))

    def _handle_prepared(self, number: int, answer: tuple[str, str | None]) -> None:
        where, why = answer
        if why is None:
            self._events.put(NodeReady(number, where, self._lanes))
        else:
            self._refuse(number, f"{where}: ", why)

    def _refuse(self, number: int, where: str, why: str | Exception) -> None:
        self._unfit.add(number)
        self._events.put(NodeUnfit(number, where + (why if isinstance(why, str) else error_text(why))))


# --- in a node's process ---

_runner: TaskRunner | None = None


def _prepare(make: PickledValue) -> tuple[str, str | None]:
    """Create the worker of this process; return the name of the process, and the error's text if creation failed."""
    global _runner
    try:
        _runner = TaskRunner(make.load())
    except Exception as error:
        return process_description(), error_text(error)
    return process_description(), None


def _run(ticket: int, item: Item) -> None:
    runner = _runner
    assert runner is not None
    threading.Thread(target=lambda: tell((ticket, runner.run(ticket, item))), daemon=True).start()


def _cancel(ticket: int) -> None:
    if _runner is not None:
        _runner.cancel(ticket)


def _heartbeat(number: int) -> NodeAlive:
    return NodeAlive(number)


def _close() -> None:
    if _runner is not None:
        _runner.close()
