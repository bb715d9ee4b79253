"""Searches on nodes that are processes of this machine."""

import contextlib
import multiprocessing
import pickle
import queue
import threading
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from outflank.distributed.engines.on_futures.call_process import LOST, CalledProcess, close_all, tell
from outflank.distributed.fabric import HeadLost
from outflank.distributed.node import Entries, NodeSetup
from outflank.distributed.node_kinds import make_node, post
from outflank.distributed.node_messages import Ended, Job, Joined, Left, NodeEvent, PeerMessage, Reported
from outflank.distributed.node_thread import NodeThread, process_name
from outflank.distributed.tasks.task_worker import error_text
from outflank.errors import OutflankError
from outflank.kernels.uninterrupted import delay_interrupts
from outflank.user_modules import PickledValue, pickle_for_nodes

REPORT_SECONDS = 0.5

MOST_UNDERWAY = 64
"""Number of messages with table entries in a node's inbox at which further messages to it are dropped."""

CLOSE_SECONDS = 1.0
"""Timeout for nodes to stop their jobs before their processes are killed; healthy nodes take milliseconds."""

DELIVERY_SECONDS = 5.0
"""Seconds to wait for a node to confirm table entries, if the replication policy waits."""


class FuturesFabric:
    """The nodes of a search, which are processes of this machine."""

    name = "futures"
    job_seconds = 0.05
    """Target duration of a job in seconds. A call and its result take about a millisecond."""
    steal_seconds = 0.01
    keeps_nodes = False

    def __init__(self, count: int) -> None:
        self._events: queue.SimpleQueue[NodeEvent | OutflankError] = queue.SimpleQueue()
        self._count = self._used = count
        self._reported = 0.0
        self._reporting: dict[int, Future[Reported | None]] = {}
        self.bytes_carried = 0
        context = multiprocessing.get_context("spawn")
        inboxes = [context.Queue(MOST_UNDERWAY) for _ in range(count)]
        posts = [context.Queue() for _ in range(count)]
        delivered = [context.Semaphore(0) for _ in range(count)]
        self._processes: dict[int, CalledProcess] = {}
        try:
            with delay_interrupts():
                for number in range(count):
                    begin = partial(_begin, number, inboxes, posts, delivered)
                    self._processes[number] = CalledProcess(number, self._handle_message, begin)
        except BaseException:
            self.close()
            raise

    def use(self, count: int | None) -> None:
        self._used = self._count if count is None else min(count, self._count)

    @property
    def expected(self) -> int:
        return len(self._taking_part())

    def _taking_part(self) -> list[CalledProcess]:
        return list(self._processes.values())[: self._used]

    def prepare(self, setup: NodeSetup) -> None:
        processes = self._taking_part()
        peers = [process.number for process in processes]
        pickled = pickle_for_nodes(setup)
        for process in processes:
            process.call(_prepare, pickled, peers, then=self._events.put, failed=self._fail)

    def fill(self, node: int, era: int, entries: Entries) -> None:
        self.bytes_carried += entries.nbytes
        if node in self._processes:
            self._processes[node].call(_fill, era, entries)

    def submit(self, node: int, job: Job) -> None:
        self.bytes_carried += len(pickle.dumps(job))
        if node in self._processes:
            self._processes[node].call(_submit, job, failed=self._fail)

    def stop(self, node: int, ticket: int) -> None:
        if node in self._processes:
            self._processes[node].call(_stop, ticket)

    def ask(self) -> None:
        self._reported = 0.0

    def wait(self, seconds: float) -> list[NodeEvent]:
        if not self._processes:
            raise HeadLost("all processes of the cluster have died")
        if time.monotonic() > self._reported + REPORT_SECONDS:
            self._reported = time.monotonic()
            for number, process in list(self._processes.items()):
                if number not in self._reporting or self._reporting[number].done():
                    self._reporting[number] = process.call(_report, then=self._take_report)
        events: list[NodeEvent] = []
        with contextlib.suppress(queue.Empty):
            events.append(self._accept(self._events.get(timeout=seconds)))
            while True:
                events.append(self._accept(self._events.get_nowait()))
        return events

    def _accept(self, event: NodeEvent | OutflankError) -> NodeEvent:
        if isinstance(event, OutflankError):
            raise event
        if isinstance(event, Ended):
            self.bytes_carried += len(pickle.dumps(event.result))
        elif isinstance(event, Left):
            self._processes.pop(event.node, None)
        return event

    def note(self, text: str) -> None:
        """Do nothing: no launcher kills this process, so the text never has to be printed."""

    def close(self) -> None:
        close_all(self._processes.values(), _close, CLOSE_SECONDS)
        self._processes.clear()

    # --- messages from the nodes ---

    def _handle_message(self, number: int, event: NodeEvent | None) -> None:
        if event is None:
            for process in list(self._processes.values()):
                if process.number != number:
                    process.call(_leave, number)
        self._events.put(Left(node=number, why=LOST) if event is None else event)

    def _take_report(self, report: Reported | None) -> None:
        if report is not None:
            self._events.put(report)

    def _fail(self, error: Exception) -> None:
        self._events.put(OutflankError(error_text(error)))


# --- in a node's process ---


class _NodeProcess:
    """The state of one node in its process."""

    def __init__(self, number: int, inboxes: list[Any], posts: list[Any], delivered: list[Any]) -> None:
        self.number, self._inboxes, self._posts, self._delivered = number, inboxes, posts, delivered
        self._peers: list[int] = []
        self.thread: NodeThread | None = None
        for inbox in (*inboxes, *posts):
            inbox.cancel_join_thread()  # unreceived messages must not keep the process alive
        threading.Thread(target=self._receive, daemon=True).start()
        threading.Thread(target=self._hear, daemon=True).start()

    def prepare(self, setup: NodeSetup, peers: list[int]) -> Joined:
        """Create the node of a new search, and return the event that it is ready."""
        table = None if self.thread is None else self.thread.node.table_for(setup)
        self.close()
        self._peers = [peer for peer in peers if peer != self.number]
        node = make_node(self.number, setup, self._carry, self, share=len(peers), table=table)
        self.thread = NodeThread(self.number, node, tell)
        return Joined(node=self.number, where=process_name(), workers=node.workers)

    def close(self) -> None:
        """Stop the current job and end the node's thread."""
        if self.thread is not None:
            self.thread.close()
            self.thread = None

    def _carry(self, era: int, entries: Entries, *, wait: bool) -> tuple[int, int]:
        sent = 0
        for peer in self._peers:
            with contextlib.suppress(queue.Full):
                self._inboxes[peer].put((self.number, era, entries, wait), wait, DELIVERY_SECONDS)
                sent += 1
        for _ in range(sent if wait else 0):
            self._delivered[self.number].acquire(timeout=DELIVERY_SECONDS)
        return sent, len(self._peers) - sent

    def others(self) -> list[int]:
        """Return the numbers of the other nodes of the search."""
        return self._peers

    def tell(self, node: int, message: PeerMessage) -> None:
        """Send a message to a node."""
        self._posts[node].put(message)

    def leave(self, node: int) -> None:
        """Forget a node that has died."""
        self._peers = [peer for peer in self._peers if peer != node]

    def _hear(self) -> None:
        while True:
            message = self._posts[self.number].get()
            thread = self.thread
            if thread is not None:
                post(thread.node, message)

    def _receive(self) -> None:
        while True:
            sender, era, entries, wait = self._inboxes[self.number].get()
            thread = self.thread
            if thread is not None:
                thread.node.absorb(era, entries)
            if wait:
                self._delivered[sender].release()


_process: _NodeProcess | None = None


def _begin(number: int, inboxes: list[Any], posts: list[Any], delivered: list[Any]) -> None:
    global _process
    _process = _NodeProcess(number, inboxes, posts, delivered)


def _prepare(setup: PickledValue, peers: list[int]) -> Joined:
    assert _process is not None
    try:
        return _process.prepare(setup.load(), peers)
    except OutflankError as error:  # not all of our errors can be pickled
        raise OutflankError(str(error)) from None


def _thread() -> NodeThread | None:
    return None if _process is None else _process.thread


def _submit(job: Job) -> None:
    thread = _thread()
    assert thread is not None
    thread.submit(job)


def _leave(node: int) -> None:
    if _process is not None:
        _process.leave(node)


def _fill(era: int, entries: Entries) -> None:
    thread = _thread()
    if thread is not None:
        thread.node.absorb(era, entries)


def _stop(ticket: int) -> None:
    thread = _thread()
    if thread is not None:
        thread.node.stop(ticket)


def _report() -> Reported | None:
    thread = _thread()
    return None if thread is None else Reported(node=thread.number, report=thread.node.report())


def _close() -> None:
    if _process is not None:
        _process.close()
