"""The dispatcher of tasks, which sends each to a node with a free lane (a slot for one task), and retries it if needed.

A task and its answer are JSON objects. A caller of `do` blocks until its task is done: to use all lanes, call `do` from
as many threads as there are lanes. One thread manages the nodes and their tasks, and receives all events through one
queue. A task of a lost node is retried on another node. A task of a silent node is also given to a second node: the
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
from outflank.distributed.tasks.task_worker import Item, error_text
from outflank.errors import OutflankError
from outflank.logs import logger
from outflank.search.request import Stop
from outflank.validation.text import how_many

log = logger(__name__)

SILENCE_SECONDS = 10.0
"""Seconds without a message from a node after which its tasks are also given to other nodes."""

START_SECONDS = 120.0
"""Seconds to wait for the first node. Ray starts in 3 to 10 s, but takes longer on a busy machine."""

ALONE_SECONDS = 60.0
"""Seconds to wait for a new node after all nodes have been lost."""

MOST_ATTEMPTS = 5
"""Number of nodes that may be lost with one task before the task fails."""

LEAST_CALLERS = 64
"""Least value of `TaskDispatcher.callers`, which keeps a cluster busy while more nodes join."""

LEAVE_SECONDS = 10.0
"""Longest time in seconds that `close` waits for the dispatcher's thread, because a frozen cluster never answers."""


@dataclass(eq=False, slots=True)
class _Node:
    where: str
    lanes: int
    heard: float
    tasks: dict[int, PendingTask] = field(default_factory=dict)
    silent: bool = False


class TaskDispatcher:
    """Runs tasks on a cluster, one for each call of `do`. Used as a context manager, it releases the nodes on exit."""

    def __init__(self, carrier: TaskCarrier, *, silence_seconds: float = SILENCE_SECONDS) -> None:
        self.refused: list[str] = []
        """Reasons why nodes could not run the tasks at all."""
        self._carrier, self._silence_seconds = carrier, silence_seconds
        self._events: TaskEvents = queue.SimpleQueue()
        self._tickets = itertools.count(1)
        self._nodes: dict[int, _Node] = {}
        self._waiting: collections.deque[PendingTask] = collections.deque()
        self._tasks: dict[int, PendingTask] = {}
        self._broken: str | None = None
        self._last_failure = ""
        """Reason why the last lost node was lost."""
        self._thread: threading.Thread | None = None
        self._started = threading.Event()

    @property
    def lanes(self) -> int:
        """Number of tasks that can run at a time now. It changes when nodes join and leave."""
        return sum(node.lanes for node in list(self._nodes.values()) if not node.silent)

    @property
    def callers(self) -> int:
        """Number of concurrent calls of `do` that keep all lanes busy: two calls for each lane, of which one waits, but
        at least `LEAST_CALLERS`."""
        return max(LEAST_CALLERS, 2 * self.lanes)

    @property
    def nodes(self) -> list[str]:
        """Machine and process id of each node, as text."""
        return [node.where for node in list(self._nodes.values())]

    def start(self, stop: Stop | None = None) -> None:
        """Connect to the cluster, and wait for its first node or until `stop` is called."""
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
        """Run a task and return its answer; None if `stop` was called first.

        Raises OutflankError if the task fails or no node is left to run it. Any thread may call this.
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
        """Leave the cluster. Unfinished tasks fail."""
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

    # --- the dispatcher's thread ---

    def _listen(self) -> None:
        checked_at = last_manned = time.monotonic()
        patience = START_SECONDS
        try:
            while self._broken is None:
                with contextlib.suppress(queue.Empty):
                    event = self._events.get(timeout=LOOK_SECONDS)
                    if event is None:
                        break
                    self._handle(event)
                now = time.monotonic()
                if now > checked_at + LOOK_SECONDS:
                    checked_at = now
                    self._carrier.check_nodes()
                    self._find_silent(now)
                if self.lanes:
                    last_manned, patience = now, ALONE_SECONDS
                    self._started.set()
                elif self.refused and not self._carrier.possible_nodes:
                    self._broken = self.refused[0]
                elif now > last_manned + patience:
                    self._broken = (
                        f"no node of the cluster for {patience:.0f} s{self._last_failure and f': {self._last_failure}'}"
                    )
                self._hand_out()
        except Exception as error:  # otherwise callers would wait for ever
            self._broken = error_text(error)
        if self._broken is not None:
            log.error("no task can run any more: %s", self._broken)
        self._broken = self._broken or "the cluster has been left"
        for task in list(self._tasks.values()):
            self._end(task, why=self._broken)
        self._started.set()

    def _handle(self, event: TaskEvent) -> None:
        if isinstance(event, PendingTask):
            if event.unwanted:
                self._end(event)
            else:
                self._tasks[event.ticket] = event
                self._waiting.append(event)
        elif isinstance(event, NodeReady):
            self._nodes[event.node] = _Node(event.where, event.lanes, time.monotonic())
            log.info("node %d (%s) runs %s at a time", event.node, event.where, how_many(event.lanes, "task"))
        elif isinstance(event, NodeUnfit):
            self._last_failure = event.why
            self.refused.append(event.why)
            log.warning("node %d cannot run the tasks: %s", event.node, event.why)
        elif isinstance(event, ClusterBroken):
            self._broken = event.why
        elif isinstance(event, NodeGone):
            self._lose(event)
        elif isinstance(event, NodeAlive | TaskAnswered) and event.node in self._nodes:
            node = self._nodes[event.node]
            node.heard = time.monotonic()
            if node.silent:
                node.silent = False
                log.info("node %d (%s) answers again", event.node, node.where)
                for task in node.tasks.values():
                    self._remove_waiting(task)
            if isinstance(event, TaskAnswered):
                done = node.tasks.pop(event.ticket, None)
                if done is not None:
                    done.nodes.discard(event.node)
                    self._end(done, event.outcome["answer"], event.outcome.get("why"))

    def _end(self, task: PendingTask, answer: Item | None = None, why: str | None = None) -> None:
        """End a task with its first answer or with an error, and cancel it on the other nodes that run it."""
        if self._tasks.pop(task.ticket, None) is None:
            return
        self._remove_waiting(task)
        task.answer, task.why = answer, why
        task.over.set()
        for node in task.nodes:
            self._carrier.cancel(node, task.ticket)

    def _remove_waiting(self, task: PendingTask) -> None:
        with contextlib.suppress(ValueError):
            self._waiting.remove(task)

    def _lose(self, event: NodeGone) -> None:
        self._last_failure = event.why
        self._carrier.forget_node(event.node)
        node = self._nodes.pop(event.node, None)
        for task in node.tasks.values() if node is not None else ():
            task.nodes.discard(event.node)
            task.attempts += 1
            if task.attempts >= MOST_ATTEMPTS:
                self._end(task, why=f"{task.attempts} nodes were lost with the same task: {event.why}")
        if node is not None:
            log.warning(
                "node %d (%s): %s; its tasks go to other nodes: %d", event.node, node.where, event.why, len(node.tasks)
            )
            self._requeue(node.tasks.values())

    def _find_silent(self, now: float) -> None:
        for number, node in self._nodes.items():
            if not node.silent and now > node.heard + self._silence_seconds:
                node.silent = True
                log.warning(
                    "node %d (%s): silent for %.0f s; its tasks also go to other nodes: %d",
                    number,
                    node.where,
                    now - node.heard,
                    len(node.tasks),
                )
                self._requeue(node.tasks.values())

    def _requeue(self, tasks: Iterable[PendingTask]) -> None:
        """Put tasks that no responsive node runs at the front of the queue, because they have waited longest."""
        for task in tasks:
            is_running = any(not self._nodes[node].silent for node in task.nodes)
            if task.ticket in self._tasks and not is_running and task not in self._waiting:
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
