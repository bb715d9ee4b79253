"""The loop of an MPI rank that is not the head: it searches jobs and runs tasks until the head closes the cluster."""

import contextlib
import queue
import signal
import threading
import time

from outflank import __version__
from outflank.distributed.engines.on_mpi.mailbox import (
    REPORT_SECONDS,
    EntriesCame,
    Mailbox,
    PeerPost,
    RankPeers,
    require_mpi,
)
from outflank.distributed.engines.on_mpi.mpi_messages import (
    AskReport,
    CancelTask,
    HireWorkers,
    LeaveRanks,
    Message,
    PrepareSearch,
    RankAlive,
    RankEnded,
    RankFailed,
    RankHired,
    RankJoined,
    RankLeft,
    RankRefused,
    RankReported,
    RunTask,
    SearchJob,
    StopJob,
    TaskDone,
    ToPeer,
    setup_from_json,
)
from outflank.distributed.node_kinds import make_node, post
from outflank.distributed.node_messages import Ended, Left, NodeEvent
from outflank.distributed.node_thread import NodeThread, process_name
from outflank.distributed.tasks.task_worker import Item, MakeWorker, TaskRunner, process_description
from outflank.errors import OutflankError


def serve(make: MakeWorker | None = None, *, lanes: int = 1) -> None:
    """Serve the head until it closes the cluster, then leave MPI. The worker from `make` runs `lanes` tasks at a
    time."""
    mpi = require_mpi()
    mailbox = Mailbox(mpi, mpi.COMM_WORLD)
    _Server(mailbox, make, lanes).serve()
    try:
        # mpi4py calls MPI_Finalize when the process ends, but ignores its errors. The launcher kills all ranks if one
        # ends without MPI_Finalize, and reports signal 9 as the reason.
        mpi.Finalize()
    except mpi.Exception as error:
        raise OutflankError(f"rank {mailbox.rank} could not leave MPI: {error}") from None


class _Server:
    def __init__(self, mailbox: Mailbox, make: MakeWorker | None, lanes: int) -> None:
        self._mailbox, self._make, self._lanes = mailbox, make, lanes
        self._runner: TaskRunner | None = None
        self._events: queue.SimpleQueue[NodeEvent | TaskDone | PeerPost] = queue.SimpleQueue()
        self._node_thread: NodeThread | None = None
        self._era = 0
        self._unanswered = 0
        """Number of the head's jobs that this rank has not answered yet."""
        self._over = False

    def serve(self) -> None:
        # Only the head handles Ctrl-C; it then sends messages to the other ranks.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        reported = 0.0
        while not self._over:
            idle = True
            for _, message in self._mailbox.receive():
                idle = False
                try:
                    self._handle(message)
                except OutflankError as error:
                    self._mailbox.send(0, RankFailed(era=self._era, why=str(error)))
            idle = not self._forward_events() and idle
            if time.monotonic() > reported + REPORT_SECONDS:
                reported = time.monotonic()
                if self._node_thread is not None:
                    self._report()
                if self._runner is not None:
                    self._mailbox.send(0, RankAlive())
            node = None if self._node_thread is None else self._node_thread.node
            # With `nodes_divide`, other nodes wait for this one's answers.
            busy = node is not None and self._unanswered > 0 and not node.setup.nodes_divide and self._runner is None
            if idle and (event := self._mailbox.nap(self._events, busy=busy)) is not None:
                self._forward(event)
        self._mailbox.send(0, RankLeft())
        self._mailbox.drain()

    def _forward_events(self) -> bool:
        """Forward all events that are in the queue. Return whether there were any."""
        any_events = False
        with contextlib.suppress(queue.Empty):
            while True:
                self._forward(self._events.get_nowait())
                any_events = True
        return any_events

    def _forward(self, event: NodeEvent | TaskDone | PeerPost) -> None:
        """Send an event of this rank: a message of its node to another rank, all other events to the head."""
        if isinstance(event, PeerPost):
            self._mailbox.send(event.rank, ToPeer.of(event.message))
        elif isinstance(event, TaskDone):
            self._mailbox.send(0, event)
        elif isinstance(event, Ended):
            self._unanswered -= 1
            self._mailbox.send(0, RankEnded(era=self._era, result=event.result))
        elif isinstance(event, Left):
            self._mailbox.send(0, RankFailed(era=self._era, why=event.why))

    def _handle(self, message: Message | EntriesCame) -> None:
        match message:
            case PrepareSearch():
                self._prepare(message)
            case HireWorkers():
                self._open_runner()
            case LeaveRanks():
                self._close_node()
                if self._runner is not None:
                    self._runner.close()
                self._over = True
            case RunTask():
                threading.Thread(target=self._run, args=(message.ticket, message.item), daemon=True).start()
            case CancelTask():
                if self._runner is not None:
                    self._runner.cancel(message.ticket)
        if self._node_thread is None:
            return
        match message:
            case EntriesCame():
                self._node_thread.node.absorb(message.era, message.entries)
            case SearchJob():
                self._unanswered += 1
                self._node_thread.submit(message.job)
            case StopJob():
                self._node_thread.node.stop(message.ticket)
            case AskReport():
                self._report()
            case ToPeer() if message.content is not None:
                post(self._node_thread.node, message.content)

    def _prepare(self, message: PrepareSearch) -> None:
        setup = setup_from_json(message.setup)
        table = None if self._node_thread is None else self._node_thread.node.table_for(setup)
        self._close_node()
        self._forward_events()  # of the closed node, under its own era
        self._era, self._mailbox.peers, self._unanswered = setup.era, message.peers, 0
        peers = RankPeers(self._mailbox, self._events.put)
        node = make_node(
            self._mailbox.rank,
            setup,
            self._mailbox.carry,
            peers,
            share=self._mailbox.neighbours,
            table=table,
        )
        self._node_thread = NodeThread(self._mailbox.rank, node, self._events.put)
        where = process_name()
        self._mailbox.send(0, RankJoined(era=self._era, where=where, workers=node.workers, version=__version__))

    def _open_runner(self) -> None:
        where = f"rank {self._mailbox.rank} on {process_description()}"
        try:
            assert self._make is not None, "nothing that it could do"
            self._runner = TaskRunner(self._make)
        except Exception as error:  # the error is reported to the head
            self._mailbox.send(0, RankRefused(why=f"{where}: {error}"))
            return
        self._mailbox.send(0, RankHired(where=where, lanes=self._lanes, version=__version__))

    def _run(self, ticket: int, item: Item) -> None:
        assert self._runner is not None
        self._events.put(TaskDone(ticket=ticket, outcome=self._runner.run(ticket, item)))

    def _report(self) -> None:
        assert self._node_thread is not None
        self._mailbox.send(0, RankReported(era=self._era, report=self._node_thread.node.report()))

    def _close_node(self) -> None:
        if self._node_thread is not None:
            with self._mailbox.closing_node():
                self._node_thread.close()
            self._node_thread = None
