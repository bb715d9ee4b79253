"""Tasks on the ranks of an MPI program."""

import contextlib
import queue
import threading
from typing import Any

from outflank import __version__
from outflank.distributed.engines.on_mpi.mailbox import LEAVING_SECONDS, EntriesCame, Mailbox, require_mpi
from outflank.distributed.engines.on_mpi.messages import (
    CancelTask,
    HireWorkers,
    LeaveRanks,
    Message,
    RankAlive,
    RankFailed,
    RankHired,
    RankLeft,
    RankRefused,
    RunTask,
    TaskDone,
)
from outflank.distributed.tasks.carrier import NodeAlive, NodeReady, NodeUnfit, TaskAnswered, TaskEvents
from outflank.distributed.tasks.threads import ThreadTasks
from outflank.distributed.tasks.worker import MakeWorker


class MpiTasks:
    """Tasks on the ranks of an MPI program, seen from rank 0, which does its share on threads of its own."""

    def __init__(self, make: MakeWorker, per_node: int) -> None:
        self._mpi = require_mpi()
        self._mailbox = Mailbox(self._mpi, self._mpi.COMM_WORLD)
        self._here = ThreadTasks(make, per_node=per_node)
        self._refused: set[int] = set()
        self._gone: set[int] = set()
        self._outbox: queue.SimpleQueue[tuple[int, Message]] = queue.SimpleQueue()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def hopes(self) -> int:
        others = int(self._mailbox.size) - 1
        return self._here.hopes + others - len(self._refused)

    def open(self, events: TaskEvents) -> None:
        self._events = events
        for rank in range(1, self._mailbox.size):
            self._outbox.put((rank, HireWorkers()))
        self._here.open(events)
        self._begin()

    def run(self, node: int, ticket: int, item: dict[str, Any]) -> None:
        if node == 0:
            self._here.run(node, ticket, item)
        else:
            self._outbox.put((node, RunTask(ticket=ticket, item=item)))

    def cancel(self, node: int, ticket: int) -> None:
        if node == 0:
            self._here.cancel(node, ticket)
        else:
            self._outbox.put((node, CancelTask(ticket=ticket)))

    def look(self) -> None:
        self._here.look()

    def let_go(self, node: int) -> None:
        """A rank that dies takes all others along: there is nobody to forget."""

    def close(self) -> None:
        for rank in range(1, self._mailbox.size):
            self._outbox.put((rank, LeaveRanks()))
        if self._thread is None:  # those who serve wait for us, whether they were ever asked or not
            self._events = queue.SimpleQueue()
            self._begin()
        assert self._thread is not None
        self._here.close()
        self._thread.join(LEAVING_SECONDS)
        self._over.set()
        self._thread.join()
        self._mailbox.leave(self._gone)

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._speak, name="outflank-mpi", daemon=True)
        self._thread.start()

    def _speak(self) -> None:
        """The one thread that speaks MPI, until all have left."""
        while len(self._gone) < self._mailbox.size - 1 and not self._over.is_set():
            idle = True
            with contextlib.suppress(queue.Empty):
                while True:
                    self._mailbox.send(*self._outbox.get_nowait())
                    idle = False
            for rank, message in self._mailbox.receive():
                idle = False
                self._heed(rank, message)
            if idle:
                self._mailbox.nap()

    def _heed(self, rank: int, message: Message | EntriesCame) -> None:
        match message:
            case RankLeft():
                self._gone.add(rank)
            case TaskDone():
                self._events.put(TaskAnswered(rank, message.ticket, message.outcome))
            case RankAlive():
                self._events.put(NodeAlive(rank))
            case RankHired() if message.version == __version__:
                self._events.put(NodeReady(rank, message.where, message.lanes))
            case RankHired():
                self._refuse(rank, f"{message.where} has outflank {message.version}, and this is {__version__}")
            case RankRefused() | RankFailed():
                self._refuse(rank, message.why)

    def _refuse(self, rank: int, why: str) -> None:
        self._refused.add(rank)
        self._events.put(NodeUnfit(rank, why))
