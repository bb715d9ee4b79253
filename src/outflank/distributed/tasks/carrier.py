"""The interface between cluster engines and the dispatcher of tasks: sending tasks to nodes, and events of nodes."""

import json
import queue
import threading
from dataclasses import dataclass, field
from typing import Protocol

from outflank.distributed.tasks.task_worker import Item, MakeWorker, TaskRunner, error_text, process_description

LOOK_SECONDS = 0.5
"""Seconds between two checks of which nodes are alive."""


@dataclass(frozen=True, slots=True)
class NodeReady:
    """Event: a node is ready for up to `lanes` tasks at a time. Its number is never reused."""

    node: int
    where: str
    lanes: int


@dataclass(frozen=True, slots=True)
class NodeUnfit:
    """Event: a node cannot run the dispatcher's tasks, and is not tried again."""

    node: int
    why: str


@dataclass(frozen=True, slots=True)
class NodeAlive:
    """Event: heartbeat of a node."""

    node: int


@dataclass(frozen=True, slots=True)
class NodeGone:
    """Event: a node is lost."""

    node: int
    why: str


@dataclass(frozen=True, slots=True)
class TaskAnswered:
    """Event: a node has sent the outcome of a task, a dict with its `answer`, or `why` there is none."""

    node: int
    ticket: int
    outcome: Item


@dataclass(frozen=True, slots=True)
class ClusterBroken:
    """Event: the cluster cannot be reached any more."""

    why: str


@dataclass(eq=False, slots=True)
class PendingTask:
    """A task that a caller waits for."""

    item: Item
    ticket: int
    nodes: set[int] = field(default_factory=set)
    """Numbers of the nodes that run the task."""
    attempts: int = 0
    answer: Item | None = None
    why: str | None = None
    unwanted: bool = False
    over: threading.Event = field(default_factory=threading.Event)


TaskEvent = NodeReady | NodeUnfit | NodeAlive | NodeGone | TaskAnswered | ClusterBroken | PendingTask | None
"""An event for the dispatcher. A `PendingTask` is a new or a cancelled task; None ends the dispatcher."""

TaskEvents = queue.SimpleQueue[TaskEvent]


class TaskCarrier(Protocol):
    """Sends tasks to the nodes of a cluster, and reports events. Only one thread at a time calls it."""

    @property
    def possible_nodes(self) -> int:
        """Number of nodes that are ready or may still become ready."""

    def open(self, events: TaskEvents) -> None:
        """Connect to the cluster, and put an event into `events` for every node that becomes ready."""

    def run(self, node: int, ticket: int, item: Item) -> None:
        """Send a task to a node."""

    def cancel(self, node: int, ticket: int) -> None:
        """Tell a node to cancel a task. The node still answers."""

    def check_nodes(self) -> None:
        """Check which nodes are alive. The dispatcher calls this about twice a second."""

    def forget_node(self, node: int) -> None:
        """Release a lost node."""

    def close(self) -> None:
        """Release all nodes, and leave the cluster."""


class ThreadTasks:
    """Task nodes that are threads of this process: all nodes of the engine `inside`, and the node of rank 0 on MPI."""

    def __init__(self, make: MakeWorker, *, nodes: int = 1, per_node: int = 1) -> None:
        self._make, self._count, self._lanes = make, nodes, per_node
        self._runners: dict[int, TaskRunner] = {}

    @property
    def possible_nodes(self) -> int:
        return len(self._runners)

    def open(self, events: TaskEvents) -> None:
        self._events = events
        for number in range(self._count):
            try:
                self._runners[number] = TaskRunner(self._make)
            except Exception as error:
                events.put(NodeUnfit(number, f"{process_description()}: {error_text(error)}"))
            else:
                events.put(NodeReady(number, process_description(), self._lanes))

    def run(self, node: int, ticket: int, item: Item) -> None:
        threading.Thread(target=self._run, args=(node, ticket, json.dumps(item)), daemon=True).start()

    def _run(self, node: int, ticket: int, item_json: str) -> None:
        # Converted to JSON and back, so that a task that works here also works in the other engines.
        outcome = self._runners[node].run(ticket, json.loads(item_json))
        self._events.put(TaskAnswered(node, ticket, json.loads(json.dumps(outcome))))

    def cancel(self, node: int, ticket: int) -> None:
        self._runners[node].cancel(ticket)

    def check_nodes(self) -> None:
        for number in self._runners:
            self._events.put(NodeAlive(number))

    def forget_node(self, node: int) -> None:
        self._runners.pop(node).close()

    def close(self) -> None:
        for runner in self._runners.values():
            runner.close()
        self._runners.clear()
