"""Searches on MPI. Every rank is a node, and rank 0 is also the head.

One thread of a rank uses MPI. Jobs, and the sending of table entries, have threads of their own. If a rank dies, the
MPI launcher ends all ranks.
"""

import contextlib
import queue
import subprocess
import sys
import time
from collections import Counter

from outflank.distributed.engines.on_mpi.mailbox import (
    LEAVING_SECONDS,
    LONGEST_NAP,
    REPORT_SECONDS,
    EntriesCame,
    Mailbox,
    PeerPost,
    RankPeers,
    require_mpi,
)
from outflank.distributed.engines.on_mpi.mpi_messages import (
    AskReport,
    LeaveRanks,
    Message,
    PrepareSearch,
    RankEnded,
    RankFailed,
    RankJoined,
    RankLeft,
    RankReported,
    SearchJob,
    StopJob,
    ToPeer,
    setup_to_json,
)
from outflank.distributed.node import Entries, NodeSetup
from outflank.distributed.node_kinds import make_node, post
from outflank.distributed.node_messages import Ended, Job, Joined, NodeEvent, Reported, version_error
from outflank.distributed.node_thread import NodeThread, process_name
from outflank.errors import OutflankError
from outflank.systems import CHILD_OPTIONS

_LISTENER = """
import sys
words, last = sys.argv[1], ""
for line in sys.stdin:
    last = line.rstrip("\\n")
if last != "at ease":
    sys.stderr.write(f"outflank: {words}{'; ' + last if last else ''}\\n")
"""


class DeathNotice:
    """A second process, which prints `words` and the last `note` if this process ends without `close`.

    It is needed because an MPI launcher kills all ranks when one dies, so that a rank cannot print anything itself.
    """

    def __init__(self, words: str) -> None:
        # In a session of its own, so that the launcher does not kill it together with this process.
        self._listener: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LISTENER, words],
            stdin=subprocess.PIPE,
            text=True,
            **CHILD_OPTIONS,
        )

    def note(self, text: str) -> None:
        """Set the text that the second process prints after `words`."""
        if self._listener.stdin is not None and not self._listener.stdin.closed:
            with contextlib.suppress(OSError):
                self._listener.stdin.write(" ".join(text.split()) + "\n")
                self._listener.stdin.flush()

    def close(self) -> None:
        """End the second process without a message."""
        self.note("at ease")
        if self._listener.stdin is not None:
            with contextlib.suppress(OSError):
                self._listener.stdin.close()
        self._listener.wait()


class MpiFabric:
    """The nodes of a search, which are the ranks of an MPI program. Only rank 0 has this object."""

    name = "mpi"
    job_seconds = 0.1
    """Target duration of a job in seconds. A message and its answer take a millisecond, and the head's work for a job
    takes another millisecond. Jobs of 30 ms slowed two nodes down by a tenth."""
    steal_seconds = 0.005
    keeps_nodes = True

    def __init__(self) -> None:
        mpi = require_mpi()
        self._mpi = mpi
        self._mailbox = Mailbox(mpi, mpi.COMM_WORLD)
        self._events: queue.SimpleQueue[NodeEvent | PeerPost] = queue.SimpleQueue()
        self._node_thread: NodeThread | None = None
        self._era = 0
        self._left_ranks: set[int] = set()
        self._unanswered = Counter[int]()
        """For each rank, the number of jobs of this search that it has not answered yet."""
        self._nodes_divide = False
        self._reported = 0.0
        self._used = self._mailbox.size
        self._death_notice = DeathNotice("a rank has died, and the launcher has ended the others")

    @property
    def bytes_carried(self) -> int:
        return int(self._mailbox.bytes_carried)

    def use(self, count: int | None) -> None:
        self._used = self._mailbox.size if count is None else max(1, min(count, self._mailbox.size))

    def prepare(self, setup: NodeSetup) -> None:
        document = setup_to_json(setup)
        self._era = setup.era
        self._unanswered.clear()
        self._nodes_divide = setup.nodes_divide
        self._mailbox.peers = self._used
        for rank in range(1, self._used):
            self._mailbox.send(rank, PrepareSearch(setup=document, peers=self._used))
        table = None if self._node_thread is None else self._node_thread.node.table_for(setup)
        self._close_node()
        peers = RankPeers(self._mailbox, self._events.put)
        share = self._mailbox.neighbours
        node = make_node(0, setup, self._mailbox.carry, peers, share=share, table=table)
        self._node_thread = NodeThread(0, node, self._events.put)
        self._events.put(Joined(node=0, where=process_name(), workers=node.workers))

    @property
    def expected(self) -> int:
        return int(self._used)

    def fill(self, node: int, era: int, entries: Entries) -> None:
        if node == 0:
            assert self._node_thread is not None
            self._node_thread.node.absorb(era, entries)
        else:
            self._mailbox.send_entries(node, era, entries)

    def submit(self, node: int, job: Job) -> None:
        self._unanswered[node] += 1
        if node == 0:
            assert self._node_thread is not None
            self._node_thread.submit(job)
        else:
            self._mailbox.send(node, SearchJob(job=job))

    def stop(self, node: int, ticket: int) -> None:
        if node == 0:
            assert self._node_thread is not None
            self._node_thread.node.stop(ticket)
        else:
            self._mailbox.send(node, StopJob(ticket=ticket))

    def ask(self) -> None:
        self._reported = 0.0
        for rank in range(1, self._used):
            self._mailbox.send(rank, AskReport())

    def wait(self, seconds: float) -> list[NodeEvent]:
        deadline = time.monotonic() + seconds
        events: list[NodeEvent] = []
        while True:
            for rank, message in self._mailbox.receive():
                if (event := self._event(rank, message)) is not None:
                    events.append(event)
            with contextlib.suppress(queue.Empty):
                while True:
                    events += self._own_event(self._events.get_nowait())
            now = time.monotonic()
            if self._node_thread is not None and now > self._reported + REPORT_SECONDS:
                self._reported = now
                events.append(Reported(node=0, report=self._node_thread.node.report()))
            if events or now > deadline:
                return events
            busy = not self._nodes_divide and min(self._unanswered[rank] for rank in range(self._used)) > 1
            if (own := self._mailbox.nap(self._events, busy=busy)) is not None:
                events += self._own_event(own)

    def _own_event(self, event: NodeEvent | PeerPost) -> list[NodeEvent]:
        """Return an event of this rank's node. If it is a message to another rank, send it and return no event."""
        if not isinstance(event, PeerPost):
            self._unanswered[0] -= isinstance(event, Ended)
            return [event]
        self._mailbox.send(event.rank, ToPeer.of(event.message))
        return []

    def _event(self, rank: int, message: Message | EntriesCame) -> NodeEvent | None:
        match message:
            case EntriesCame():
                if self._node_thread is not None:
                    self._node_thread.node.absorb(message.era, message.entries)
            case ToPeer():
                if self._node_thread is not None and message.content is not None:
                    post(self._node_thread.node, message.content)
            case RankLeft():
                self._left_ranks.add(rank)
            case RankFailed() if 0 < message.era < self._era:
                pass  # in an earlier search, which has ended since
            case RankFailed():
                raise OutflankError(f"rank {rank}: {message.why}")
            case RankJoined() | RankEnded() | RankReported() if message.era != self._era:
                pass  # an event of an earlier search
            case RankJoined():
                if (why := version_error(message.version)) is not None:
                    raise OutflankError(f"rank {rank}: {why}")
                return Joined(node=rank, where=message.where, workers=message.workers)
            case RankEnded():
                self._unanswered[rank] -= 1
                return Ended(node=rank, result=message.result)
            case RankReported():
                return Reported(node=rank, report=message.report)
        return None

    def _close_node(self) -> None:
        if self._node_thread is not None:
            with self._mailbox.closing_node():
                self._node_thread.close()
            self._node_thread = None

    def note(self, text: str) -> None:
        self._death_notice.note(text)

    def close(self) -> None:
        self._death_notice.close()
        self._close_node()
        for rank in range(1, self._mailbox.size):
            self._mailbox.send(rank, LeaveRanks())
        deadline = time.monotonic() + LEAVING_SECONDS
        while len(self._left_ranks) < self._mailbox.size - 1 and time.monotonic() < deadline:
            with contextlib.suppress(OutflankError):  # a failure that comes now ends nothing more
                self.wait(LONGEST_NAP)
        self._mailbox.leave(self._left_ranks)
