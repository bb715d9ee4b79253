"""Tasks: pieces of work that know nothing of each other, done by whoever in a cluster has a lane free.

A task is a dictionary that JSON can say, and so is its answer. Whoever asks waits: many threads ask at a time, as many
as there are lanes. One thread knows who is there and who does what; everything that happens is told to it in one queue.
A task whose node is gone is done again by another, and one whose node has fallen silent is given to a second: the
first answer counts, and a node that was only slow is used again.
"""

import collections
import contextlib
import itertools
import queue
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from outflank.distributed.tasks.carrier import (
    LOOK_SECONDS,
    ClusterBroken,
    NodeAlive,
    NodeGone,
    NodeReady,
    NodeUnfit,
    PendingTask,
    TaskAnswered,
    TaskCarrier,
    TaskEvent,
    TaskEvents,
)
from outflank.distributed.tasks.worker import Item, in_words
from outflank.errors import OutflankError
from outflank.search.contract import Stop

SILENCE_SECONDS = 10.0
"""How long a node may say nothing before its tasks are given to others too."""

START_SECONDS = 120.0
"""How long the first node may take: Ray starts in 3 to 10 s, a machine whose cores are taken does not."""

ALONE_SECONDS = 60.0
"""How long there may be nobody to do anything, before that is an error."""

MOST_ATTEMPTS = 5
"""Nodes that may die of one task."""

LEAVE_SECONDS = 10.0
"""How long to wait at the end for a question that a frozen head does not answer."""


@dataclass(eq=False, slots=True)
class _Node:
    where: str
    lanes: int
    heard: float
    tasks: dict[int, PendingTask] = field(default_factory=dict)
    silent: bool = False


class TaskDispatcher:
    """Work that a cluster does, a task for each call of `do`. A context manager: the nodes are let go at its end."""

    def __init__(self, carrier: TaskCarrier, *, silence_seconds: float = SILENCE_SECONDS) -> None:
        self.refused: list[str] = []
        """Nodes that could not do this work, and why."""
        self._carrier, self._silence_seconds = carrier, silence_seconds
        self._events: TaskEvents = queue.SimpleQueue()
        self._tickets = itertools.count(1)
        self._nodes: dict[int, _Node] = {}
        self._waiting: collections.deque[PendingTask] = collections.deque()
        self._tasks: dict[int, PendingTask] = {}
        self._broken: str | None = None
        self._news = ""
        """The last thing that went wrong with a node."""
        self._thread: threading.Thread | None = None
        self._started = threading.Event()

    @property
    def lanes(self) -> int:
        """How many tasks can be done at a time, now; nodes may come and go."""
        return sum(node.lanes for node in list(self._nodes.values()) if not node.silent)

    @property
    def nodes(self) -> list[str]:
        """Where the nodes are."""
        return [node.where for node in list(self._nodes.values())]

    def start(self, stop: Stop | None = None) -> None:
        """Reach the cluster, and wait for its first node."""
        if self._thread is None:
            self._carrier.open(self._events)
            self._thread = threading.Thread(target=self._listen, name="outflank-tasks", daemon=True)
            self._thread.start()
        while not self._started.wait(0.1):
            if stop is not None and stop.called:
                return
        if self._broken is not None:
            raise OutflankError(self._broken)

    def do(self, item: Item, *, stop: Stop | None = None) -> Item | None:
        """Have a task done; None if `stop` was called before it was.

        Raises OutflankError for what fails in itself, or where nobody is left to do it. Any thread may call.
        """
        task = PendingTask(item, next(self._tickets))

        def give_up() -> None:
            task.unwanted = True
            task.over.set()
            self._events.put(task)

        self._events.put(task)
        if stop is not None:
            stop.add_listener(give_up)
        try:
            while not task.over.wait(0.2):
                if self._thread is None or not self._thread.is_alive():
                    raise OutflankError(self._broken or "the cluster has been left")
        finally:
            if stop is not None:
                stop.remove_listener(give_up)
        if task.why is not None:
            raise OutflankError(task.why)
        return task.answer

    def close(self) -> None:
        """Leave the cluster; what is not done yet has failed."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._events.put(None)
            thread.join(LEAVE_SECONDS)
        self._carrier.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- the one thread that knows ---

    def _listen(self) -> None:
        looked = manned = time.monotonic()
        patience = START_SECONDS
        try:
            while self._broken is None:
                with contextlib.suppress(queue.Empty):
                    event = self._events.get(timeout=LOOK_SECONDS)
                    if event is None:
                        break
                    self._heed(event)
                now = time.monotonic()
                if now > looked + LOOK_SECONDS:
                    looked = now
                    self._carrier.look()
                    self._find_silent(now)
                if self.lanes:
                    manned, patience = now, ALONE_SECONDS
                    self._started.set()
                elif self.refused and not self._carrier.hopes:
                    self._broken = self.refused[0]
                elif now > manned + patience:
                    self._broken = f"no node of the cluster for {patience:.0f} s{self._news and f': {self._news}'}"
                self._hand_out()
        except Exception as error:  # it would be waited for in vain
            self._broken = in_words(error)
        self._broken = self._broken or "the cluster has been left"
        for task in list(self._tasks.values()):
            self._end(task, why=self._broken)
        self._started.set()

    def _heed(self, event: TaskEvent) -> None:
        if isinstance(event, PendingTask):
            if event.unwanted:
                self._end(event)
            else:
                self._tasks[event.ticket] = event
                self._waiting.append(event)
        elif isinstance(event, NodeReady):
            self._nodes[event.node] = _Node(event.where, event.lanes, time.monotonic())
        elif isinstance(event, NodeUnfit):
            self._news = event.why
            self.refused.append(event.why)
        elif isinstance(event, ClusterBroken):
            self._broken = event.why
        elif isinstance(event, NodeGone):
            self._lose(event)
        elif isinstance(event, NodeAlive | TaskAnswered) and event.node in self._nodes:
            node = self._nodes[event.node]
            node.heard = time.monotonic()
            if node.silent:
                node.silent = False
                for task in node.tasks.values():
                    self._not_waiting(task)
            if isinstance(event, TaskAnswered):
                done = node.tasks.pop(event.ticket, None)
                if done is not None:
                    done.nodes.discard(event.node)
                    self._end(done, event.outcome["answer"], event.outcome.get("why"))

    def _end(self, task: PendingTask, answer: Item | None = None, why: str | None = None) -> None:
        """The first answer counts; whoever else is busy with it is told to end."""
        if self._tasks.pop(task.ticket, None) is None:
            return
        self._not_waiting(task)
        task.answer, task.why = answer, why
        task.over.set()
        for node in task.nodes:
            self._carrier.cancel(node, task.ticket)

    def _not_waiting(self, task: PendingTask) -> None:
        with contextlib.suppress(ValueError):
            self._waiting.remove(task)

    def _lose(self, event: NodeGone) -> None:
        self._news = event.why
        self._carrier.let_go(event.node)
        node = self._nodes.pop(event.node, None)
        for task in node.tasks.values() if node is not None else ():
            task.nodes.discard(event.node)
            task.attempts += 1
            if task.attempts >= MOST_ATTEMPTS:
                self._end(task, why=f"{task.attempts} nodes were lost with the same task: {event.why}")
        if node is not None:
            self._take_back(node.tasks.values())

    def _find_silent(self, now: float) -> None:
        for node in self._nodes.values():
            if not node.silent and now > node.heard + self._silence_seconds:
                node.silent = True
                self._take_back(node.tasks.values())

    def _take_back(self, tasks: Iterable[PendingTask]) -> None:
        """Let others do what nobody does who can be heard; first, for it has waited longest."""
        for task in tasks:
            heard = any(not self._nodes[node].silent for node in task.nodes)
            if task.ticket in self._tasks and not heard and task not in self._waiting:
                self._waiting.appendleft(task)

    def _hand_out(self) -> None:
        while self._waiting:
            free = [
                (node.lanes - len(node.tasks), number)
                for number, node in self._nodes.items()
                if not node.silent and len(node.tasks) < node.lanes
            ]
            if not free:
                return
            number, task = max(free)[1], self._waiting.popleft()
            self._nodes[number].tasks[task.ticket] = task
            task.nodes.add(number)
            self._carrier.run(number, task.ticket, task.item)
