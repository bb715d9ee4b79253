"""What carries tasks to nodes, and what happens there: the words that engines and the dispatcher have in common."""

import queue
import threading
from dataclasses import dataclass, field
from typing import Protocol

from outflank.distributed.tasks.worker import Item

LOOK_SECONDS = 0.5
"""How often to see who is there."""


@dataclass(frozen=True, slots=True)
class NodeReady:
    """A node is ready; no number is used twice."""

    node: int
    where: str
    lanes: int


@dataclass(frozen=True, slots=True)
class NodeUnfit:
    """A node cannot do this work, and will not be asked again."""

    node: int
    why: str


@dataclass(frozen=True, slots=True)
class NodeAlive:
    """A node is well."""

    node: int


@dataclass(frozen=True, slots=True)
class NodeGone:
    """A node is not there any more."""

    node: int
    why: str


@dataclass(frozen=True, slots=True)
class TaskAnswered:
    """What came of a task: its `answer`, or `why` there is none."""

    node: int
    ticket: int
    outcome: Item


@dataclass(frozen=True, slots=True)
class ClusterBroken:
    """Nothing can be carried any more."""

    why: str


@dataclass(eq=False, slots=True)
class PendingTask:
    """Something to be done, for whoever waits for it."""

    item: Item
    ticket: int
    nodes: set[int] = field(default_factory=set)
    """Who is doing it."""
    attempts: int = 0
    answer: Item | None = None
    why: str | None = None
    unwanted: bool = False
    over: threading.Event = field(default_factory=threading.Event)


TaskEvent = NodeReady | NodeUnfit | NodeAlive | NodeGone | TaskAnswered | ClusterBroken | PendingTask | None
"""A task is a new one, or one that is not wanted any more; None is the end."""

TaskEvents = queue.SimpleQueue[TaskEvent]


class TaskCarrier(Protocol):
    """What takes tasks to nodes, and tells what happens there. One thread at a time calls it."""

    @property
    def hopes(self) -> int:
        """Nodes that are ready or may yet be."""

    def open(self, events: TaskEvents) -> None:
        """Reach the cluster, and tell of every node that is ready; of one that comes later as well."""

    def run(self, node: int, ticket: int, item: Item) -> None:
        """Give a node a task."""

    def cancel(self, node: int, ticket: int) -> None:
        """Tell a node that a task is not wanted any more. It still answers."""

    def look(self) -> None:
        """See who is there; called about twice a second."""

    def let_go(self, node: int) -> None:
        """Forget a node that is gone."""

    def close(self) -> None:
        """Leave, with the nodes let go."""
