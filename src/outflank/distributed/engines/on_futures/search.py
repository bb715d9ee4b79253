"""Searches on processes of this machine."""

import contextlib
import multiprocessing
import pickle
import queue
import threading
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from outflank.distributed.engines.on_futures.processes import LOST, CalledProcess, close_all, tell
from outflank.distributed.fabric import HeadLost
from outflank.distributed.messages import Ended, Job, Joined, Left, NodeEvent, Reported
from outflank.distributed.node import Entries, Node, NodeSetup
from outflank.distributed.node_thread import NodeThread, process_here
from outflank.distributed.pickling import PickledValue, pickle_for_nodes
from outflank.distributed.tasks.worker import in_words
from outflank.errors import OutflankError
from outflank.kernels.uninterrupted import undisturbed

REPORT_SECONDS = 0.5

MOST_UNDERWAY = 64
"""Messages with entries that a node has not taken yet; with more, it is left out until it has."""

CLOSE_SECONDS = 1.0
"""How long nodes may take to stop what they search: it is milliseconds, where they are well."""

DELIVERY_SECONDS = 5.0
"""How long a policy that waits does so for a node that does not answer."""


class FuturesFabric:
    """Nodes that are processes of this machine."""

    name = "futures"
    job_seconds = 0.05
    """A call and what it comes to take about a millisecond."""

    def __init__(self, count: int) -> None:
        self._events: queue.SimpleQueue[NodeEvent | OutflankError] = queue.SimpleQueue()
        self._count = self._used = count
        self._reported = 0.0
        self._reporting: dict[int, Future[Reported | None]] = {}
        self.bytes_carried = 0
        context = multiprocessing.get_context("spawn")
        inboxes = [context.Queue(MOST_UNDERWAY) for _ in range(count)]
        delivered = [context.Semaphore(0) for _ in range(count)]
        self._processes: dict[int, CalledProcess] = {}
        try:
            with undisturbed():
                for number in range(count):
                    begin = partial(_begin, number, inboxes, delivered)
                    self._processes[number] = CalledProcess(number, self._told, begin)
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
        together = self._taking_part()
        peers = [process.number for process in together]
        pickled = pickle_for_nodes(setup)
        for process in together:
            process.call(_prepare, pickled, peers, then=self._events.put, failed=self._fail)

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
        found: list[NodeEvent] = []
        with contextlib.suppress(queue.Empty):
            found.append(self._taken(self._events.get(timeout=seconds)))
            while True:
                found.append(self._taken(self._events.get_nowait()))
        return found

    def _taken(self, event: NodeEvent | OutflankError) -> NodeEvent:
        if isinstance(event, OutflankError):
            raise event
        if isinstance(event, Ended):
            self.bytes_carried += len(pickle.dumps(event.result))
        elif isinstance(event, Left):
            self._processes.pop(event.node, None)
        return event

    def note(self, text: str) -> None:
        """Who kills this process ends the nodes with it."""

    def close(self) -> None:
        close_all(self._processes.values(), _close, CLOSE_SECONDS)
        self._processes.clear()

    # --- what comes back ---

    def _told(self, number: int, event: NodeEvent | None) -> None:
        self._events.put(Left(node=number, why=LOST) if event is None else event)

    def _take_report(self, report: Reported | None) -> None:
        if report is not None:
            self._events.put(report)

    def _fail(self, error: Exception) -> None:
        self._events.put(OutflankError(in_words(error)))


# --- in a node's process ---


class _Here:
    """What a node's process has."""

    def __init__(self, number: int, inboxes: list[Any], delivered: list[Any]) -> None:
        self.number, self._inboxes, self._delivered = number, inboxes, delivered
        self._peers: list[int] = []
        self.thread: NodeThread | None = None
        for inbox in inboxes:
            inbox.cancel_join_thread()  # entries that nobody takes must not keep the process
        threading.Thread(target=self._receive, daemon=True).start()

    def prepare(self, setup: NodeSetup, peers: list[int]) -> Joined:
        """Be ready for a search."""
        self.close()
        self._peers = [peer for peer in peers if peer != self.number]
        node = Node(setup, self._carry, share=len(peers))
        self.thread = NodeThread(self.number, node, tell)
        return Joined(node=self.number, where=process_here(), workers=node.workers)

    def close(self) -> None:
        """Stop what is being searched."""
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

    def _receive(self) -> None:
        while True:
            sender, era, entries, wait = self._inboxes[self.number].get()
            thread = self.thread
            if thread is not None:
                thread.node.absorb(era, entries)
            if wait:
                self._delivered[sender].release()


_here: _Here | None = None


def _begin(number: int, inboxes: list[Any], delivered: list[Any]) -> None:
    global _here
    _here = _Here(number, inboxes, delivered)


def _prepare(setup: PickledValue, peers: list[int]) -> Joined:
    assert _here is not None
    try:
        return _here.prepare(setup.load(), peers)
    except OutflankError as error:  # errors of our own do not all travel
        raise OutflankError(str(error)) from None


def _thread() -> NodeThread | None:
    return None if _here is None else _here.thread


def _submit(job: Job) -> None:
    thread = _thread()
    assert thread is not None
    thread.submit(job)


def _stop(ticket: int) -> None:
    thread = _thread()
    if thread is not None:
        thread.node.stop(ticket)


def _report() -> Reported | None:
    thread = _thread()
    return None if thread is None else Reported(node=thread.number, report=thread.node.report())


def _close() -> None:
    if _here is not None:
        _here.close()
