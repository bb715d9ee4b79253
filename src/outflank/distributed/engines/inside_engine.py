"""The engine whose nodes are threads of this process."""

import contextlib
import pickle
import queue
import time
from types import MappingProxyType
from typing import ClassVar

from outflank.distributed.engines.contract import Address, ClusterEngine, nodes_of_this_machine
from outflank.distributed.fabric import Fabric
from outflank.distributed.node import Entries, NodeSetup, Peers
from outflank.distributed.node_kinds import make_node, post
from outflank.distributed.node_messages import Ended, Job, Joined, NodeEvent, PeerMessage, Reported
from outflank.distributed.node_thread import NodeThread
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.task_worker import MakeWorker
from outflank.search.table import Table


class InsideEngine(ClusterEngine):
    """Engine of the addresses `inside:N`: N threads of this process."""

    forms = MappingProxyType({"inside": ("inside:N", "threads of this process")})
    shares_process: ClassVar[bool] = True

    def parse(self, scheme: str, rest: str | None) -> Address | None:
        return nodes_of_this_machine(scheme, rest)

    def connect(self, address: Address, workers: int | None) -> Fabric:
        return InsideFabric(address.nodes or 1)

    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        from outflank.distributed.tasks.carrier import ThreadTasks

        return ThreadTasks(make, nodes=address.nodes or 1, per_node=per_node)


REPORT_SECONDS = 0.5


class InsidePeers:
    """The other nodes of this process, for a node that exchanges work with them."""

    def __init__(self, number: int, node_threads: dict[int, NodeThread]) -> None:
        self._number, self._node_threads = number, node_threads

    def others(self) -> list[int]:
        return [number for number in list(self._node_threads) if number != self._number]

    def tell(self, node: int, message: PeerMessage) -> None:
        thread = self._node_threads.get(node)
        if thread is not None:
            post(thread.node, message)


class InsideFabric:
    """A cluster whose nodes are threads of this process. They share no data, as if they were processes."""

    name = "inside"
    job_seconds = 0.02
    steal_seconds = 0.002
    keeps_nodes = True

    def __init__(self, count: int) -> None:
        self._count = self._used = count
        self._node_threads: dict[int, NodeThread] = {}
        self._events: queue.SimpleQueue[NodeEvent] = queue.SimpleQueue()
        self._numbers = 0
        self._reported = 0.0
        self.bytes_carried = 0
        """Number of bytes of the head's table entries, and of all jobs and results if they were sent as pickles."""

    def use(self, count: int | None) -> None:
        self._used = self._count if count is None else min(count, self._count)

    def prepare(self, setup: NodeSetup) -> None:
        tables = [thread.node.table_for(setup) for thread in self._node_threads.values()]
        self._clear()
        for index in range(self._used):
            self.add(setup, tables[index] if index < len(tables) else None)

    @property
    def expected(self) -> int:
        return self._used

    def add(self, setup: NodeSetup, table: Table | None = None) -> int:
        """Add a node to the cluster, and return its number; `table` is the table of a node of the last search."""
        number = self._numbers
        self._numbers += 1

        def carry(era: int, entries: Entries, *, wait: bool) -> tuple[int, int]:
            others = [thread for thread in list(self._node_threads.values()) if thread.number != number]
            for thread in others:
                thread.node.absorb(era, entries)
            return len(others), 0

        node = make_node(number, setup, carry, self.peers_of(number), share=self._used, table=table)
        self._node_threads[number] = NodeThread(number, node, self._events.put)
        self._events.put(Joined(node=number, where="this process", workers=node.workers))
        return number

    def peers_of(self, number: int) -> Peers:
        """Return the other nodes of the cluster, for a node that exchanges work with them."""
        return InsidePeers(number, self._node_threads)

    def fill(self, node: int, era: int, entries: Entries) -> None:
        self.bytes_carried += entries.nbytes
        self._node_threads[node].node.absorb(era, entries)

    def submit(self, node: int, job: Job) -> None:
        self.bytes_carried += len(pickle.dumps(job))
        self._node_threads[node].submit(job)

    def stop(self, node: int, ticket: int) -> None:
        self._node_threads[node].node.stop(ticket)

    def ask(self) -> None:
        self._reported = 0.0

    def wait(self, seconds: float) -> list[NodeEvent]:
        events: list[NodeEvent] = []
        if time.monotonic() > self._reported + REPORT_SECONDS:
            self._reported = time.monotonic()
            events += [
                Reported(node=thread.number, report=thread.node.report()) for thread in self._node_threads.values()
            ]
        with contextlib.suppress(queue.Empty):
            events.append(self._events.get(timeout=0 if events else seconds))
            while True:
                events.append(self._events.get_nowait())
        self.bytes_carried += sum(len(pickle.dumps(event.result)) for event in events if isinstance(event, Ended))
        return events

    def note(self, text: str) -> None:
        """Do nothing: no launcher kills this process, so the text never has to be printed."""

    def _clear(self) -> None:
        for thread in self._node_threads.values():
            thread.close()
        self._node_threads.clear()

    def close(self) -> None:
        self._clear()
