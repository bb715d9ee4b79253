"""Tasks on nodes that are the ranks of an MPI program."""

import contextlib
import queue
import threading

from outflank.distributed.engines.on_mpi.mailbox import LEAVING_SECONDS, EntriesCame, Mailbox, require_mpi
from outflank.distributed.engines.on_mpi.mpi_messages import (
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
from outflank.distributed.node_messages import version_error
from outflank.distributed.tasks.carrier import NodeAlive, NodeReady, NodeUnfit, TaskAnswered, TaskEvents, ThreadTasks
from outflank.distributed.tasks.task_worker import Item, MakeWorker


class MpiTasks:
    """The nodes of a task dispatcher on MPI. Only rank 0 has this object; its own tasks run on threads."""

    def __init__(self, make: MakeWorker, per_node: int) -> None:
        self._mpi = require_mpi()
        self._mailbox = Mailbox(self._mpi, self._mpi.COMM_WORLD)
        self._local_tasks = ThreadTasks(make, per_node=per_node)
        self._refused: set[int] = set()
        self._left_ranks: set[int] = set()
        self._outbox: queue.SimpleQueue[tuple[int, Message]] = queue.SimpleQueue()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def possible_nodes(self) -> int:
        others = int(self._mailbox.size) - 1
        return self._local_tasks.possible_nodes + others - len(self._refused)

    def open(self, events: TaskEvents) -> None:
        self._events = events
        for rank in range(1, self._mailbox.size):
            self._outbox.put((rank, HireWorkers()))
        self._local_tasks.open(events)
        self._begin()

    def run(self, node: int, ticket: int, item: Item) -> None:
        if node == 0:
            self._local_tasks.run(node, ticket, item)
        else:
            self._outbox.put((node, RunTask(ticket=ticket, item=item)))

    def cancel(self, node: int, ticket: int) -> None:
        if node == 0:
            self._local_tasks.cancel(node, ticket)
        else:
            self._outbox.put((node, CancelTask(ticket=ticket)))

    def check_nodes(self) -> None:
        self._local_tasks.check_nodes()

    def forget_node(self, node: int) -> None:
        """Do nothing: when a rank dies, the MPI launcher ends all others too."""

    def close(self) -> None:
        for rank in range(1, self._mailbox.size):
            self._outbox.put((rank, LeaveRanks()))
        if self._thread is None:  # even if no task was ever sent, the serving ranks wait for a message
            self._events = queue.SimpleQueue()
            self._begin()
        assert self._thread is not None
        self._local_tasks.close()
        self._thread.join(LEAVING_SECONDS)
        self._over.set()
        self._thread.join()
        self._mailbox.leave(self._left_ranks)

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._communicate, name="outflank-mpi", daemon=True)
        self._thread.start()

    def _communicate(self) -> None:
        """Send and receive messages until all ranks have left. No other thread uses MPI."""
        while len(self._left_ranks) < self._mailbox.size - 1 and not self._over.is_set():
            idle = True
            with contextlib.suppress(queue.Empty):
                while True:
                    self._mailbox.send(*self._outbox.get_nowait())
                    idle = False
            for rank, message in self._mailbox.receive():
                idle = False
                self._handle(rank, message)
            if idle and (item := self._mailbox.nap(self._outbox)) is not None:
                self._mailbox.send(*item)

    def _handle(self, rank: int, message: Message | EntriesCame) -> None:
        match message:
            case RankLeft():
                self._left_ranks.add(rank)
            case TaskDone():
                self._events.put(TaskAnswered(rank, message.ticket, message.outcome))
            case RankAlive():
                self._events.put(NodeAlive(rank))
            case RankHired():
                if (why := version_error(message.version)) is not None:
                    self._refuse(rank, f"{message.where}: {why}")
                else:
                    self._events.put(NodeReady(rank, message.where, message.lanes))
            case RankRefused() | RankFailed():
                self._refuse(rank, message.why)

    def _refuse(self, rank: int, why: str) -> None:
        self._refused.add(rank)
        self._events.put(NodeUnfit(rank, why))
