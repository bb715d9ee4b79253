"""Nodes within this process: the smallest cluster, for trying things out, and the part of others that is right here."""

import contextlib
import pickle
import queue
import time

from outflank.distributed.messages import Ended, Event, Job, Joined, Reported
from outflank.distributed.node import Entries, Node, Setup
from outflank.kernels.workers import WorkerThread

REPORT_SECONDS = 0.5


class Desk:
    """A node with a thread that does its jobs, one after the other."""

    def __init__(self, number: int, node: Node, events: "queue.SimpleQueue[Event]") -> None:
        self.number, self.node, self._events = number, node, events
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = WorkerThread(target=self._work, name=f"outflank-node-{number}", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Do a job when those before are done; an event tells what came of it."""
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._events.put(Ended(node=self.number, outcome=self.node.search(job)))

    def close(self) -> None:
        """Stop what is being done, and end the thread."""
        self._jobs.put(None)
        self.node.close()
        self._thread.join()


class Inside:
    """A cluster of nodes that share nothing but the process."""

    name = "inside"
    job_seconds = 0.02

    def __init__(self, count: int) -> None:
        self._count = self._used = count
        self._desks: dict[int, Desk] = {}
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._numbers = 0
        self._reported = 0.0
        self.bytes_carried = 0
        """As they would be pickled: nothing travels, but this is what would."""

    def use(self, count: int | None) -> None:
        self._used = self._count if count is None else min(count, self._count)

    def prepare(self, setup: Setup) -> None:
        self._clear()
        for _ in range(self._used):
            self.add(setup)

    @property
    def expected(self) -> int:
        return self._used

    def add(self, setup: Setup) -> int:
        """One node more."""
        number = self._numbers
        self._numbers += 1

        def carry(era: int, entries: Entries, *, wait: bool) -> tuple[int, int]:
            others = [desk for desk in list(self._desks.values()) if desk.number != number]
            for desk in others:
                desk.node.absorb(era, entries)
            return len(others), 0

        node = Node(setup, carry, share=self._used)
        self._desks[number] = Desk(number, node, self._events)
        self._events.put(Joined(node=number, where="this process", workers=node.workers))
        return number

    def submit(self, node: int, job: Job) -> None:
        self.bytes_carried += len(pickle.dumps(job))
        self._desks[node].submit(job)

    def stop(self, node: int, ticket: int) -> None:
        self._desks[node].node.stop(ticket)

    def ask(self) -> None:
        self._reported = 0.0

    def wait(self, seconds: float) -> list[Event]:
        found: list[Event] = []
        if time.monotonic() > self._reported + REPORT_SECONDS:
            self._reported = time.monotonic()
            found += [Reported(node=desk.number, report=desk.node.report()) for desk in self._desks.values()]
        with contextlib.suppress(queue.Empty):
            found.append(self._events.get(timeout=0 if found else seconds))
            while True:
                found.append(self._events.get_nowait())
        self.bytes_carried += sum(len(pickle.dumps(each.outcome)) for each in found if isinstance(each, Ended))
        return found

    def note(self, text: str) -> None:
        """Nodes within this process die with it, and nobody else kills it."""

    def _clear(self) -> None:
        for desk in self._desks.values():
            desk.close()
        self._desks.clear()

    def close(self) -> None:
        self._clear()
