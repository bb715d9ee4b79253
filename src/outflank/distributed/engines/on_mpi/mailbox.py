"""The messages that a rank of an MPI program sends and receives. Only one thread of a rank uses MPI.

Messages are JSON, and table entries plain words, so that a receiver never executes received data. The thread polls and
sleeps, because a blocking receive would keep a core busy.
"""

import contextlib
import os
import queue
import struct
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from outflank.distributed.engines.on_mpi.mpi_messages import Message, read_message
from outflank.distributed.exiting import LastAtExit, flush_output
from outflank.distributed.mpi_ranks import check_library
from outflank.distributed.node import Entries
from outflank.distributed.node_messages import PeerMessage
from outflank.errors import OutflankError
from outflank.installation import install_command
from outflank.logs import logger
from outflank.search.outbox import WORDS
from outflank.validation.documents import encoded

if TYPE_CHECKING:
    from mpi4py.MPI import Comm, Request

T = TypeVar("T")

log = logger(__name__)

# How the program ends if the head has finished but other ranks do not answer.
#
# `MPI_Finalize` would wait for these ranks for ever, and only the launcher can end a rank on another machine.
# `MPI_Abort` makes the launcher do that, but it also ends this process. So it is called last, after all exit handlers,
# with the exit status that this process would have had.

DRAIN_SECONDS = 5.0
"""Timeout for the MPI launcher to read the output of this process before an abort, which discards unread output."""

_stalled = False


def end_without(communicator: "Comm", ranks: Iterable[int], seconds: float) -> None:
    """Warn that `ranks` have not ended within `seconds`, and abort MPI when this process ends."""
    global _stalled
    names = [str(rank) for rank in ranks]
    subject = f"rank {names[0]} has" if len(names) == 1 else f"ranks {', '.join(names)} have"
    flush_output()
    warning = f"{subject} not ended {seconds:g} s after the work was done: the program ends without "
    warning += "it" if len(names) == 1 else "them"
    sys.stderr.write(f"outflank: warning: {warning}\n")
    log.warning("%s", warning)
    sys.stderr.flush()

    def abort(status: int) -> None:
        _await_readers()
        communicator.Abort(status)

    if not _stalled:
        _stalled = True
        LastAtExit(abort)


def require_all_ranks() -> None:
    """Raise OutflankError if ranks of an earlier cluster do not answer. No second cluster can be opened then."""
    if _stalled:
        raise OutflankError("ranks of this program do not answer any more: start it anew")


def _await_readers() -> None:
    """Wait until the MPI launcher has read all output of this process."""
    deadline = time.monotonic() + DRAIN_SECONDS
    while any(map(_unread_bytes, (1, 2))) and time.monotonic() < deadline:
        time.sleep(0.01)


def _unread_bytes(descriptor: int) -> int:
    try:
        fcntl, termios = import_module("fcntl"), import_module("termios")
        return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0])
    except (ImportError, OSError):  # not a pipe
        return 0


MESSAGE, ENTRIES = 1, 2
"""MPI tags: of JSON messages, and of table entries. The first word of table entries is their era."""

SHORTEST_NAP, LONGEST_NAP = 20e-6, 1e-3
"""Least and greatest number of seconds between two polls for messages: short while messages arrive, longer while none
do. A rank that only waits uses about a hundredth of a core."""

BUSY_NAP = 3e-3
"""Number of seconds between two polls of a rank whose messages nobody waits for: it searches a job, or it is the head
and all nodes have two. The head used a tenth of a core when it polled for each message as an idle rank does."""

NAP_GROWTH = 1.1
"""Factor from one nap to the next. The longest nap is reached some 10 ms after the last message. If there is another
job for a node, it arrives within this time, so naps between jobs are short."""

MOST_UNDERWAY = 64
"""Number of undelivered messages to a rank at which table entries for it are dropped."""

DELIVERY_SECONDS = 5.0

REPORT_SECONDS = 0.5
"""Seconds between two reports of a rank to the head."""

LEAVING_SECONDS = 10.0
"""Timeout for the other ranks to leave the cluster before the program ends without them."""


def require_mpi() -> ModuleType:
    """Import and return the module `mpi4py.MPI`. The import starts MPI."""
    if "OMPI_COMM_WORLD_SIZE" in os.environ:
        # If both are installed, mpi4py loads MPICH, which aborts in a process that Open MPI's launcher started.
        os.environ.setdefault("MPI4PY_MPIABI", "openmpi")
    try:
        from mpi4py import MPI
    except ImportError:
        raise OutflankError(f"MPI is not installed: {install_command('mpi')}") from None
    except RuntimeError as error:
        raise OutflankError(f"MPI cannot be loaded ({error}): {install_command('mpi')} brings one") from None
    check_library(MPI.COMM_WORLD.Get_size(), MPI.Get_library_version().split("\n")[0].strip("\0 "))
    return MPI


def is_head() -> bool:
    """Return whether this rank is the head. The other ranks serve it."""
    return bool(require_mpi().COMM_WORLD.Get_rank() == 0)


@dataclass(frozen=True, slots=True, eq=False)
class EntriesCame:
    """Table entries that arrived from another rank."""

    era: int
    entries: Entries


@dataclass(frozen=True, slots=True, eq=False)
class PeerPost:
    """A message of this rank's node to another rank's node, which the MPI thread has to send."""

    rank: int
    message: PeerMessage


class RankPeers:
    """The nodes of the other ranks, for a node that exchanges work with them."""

    def __init__(self, mailbox: "Mailbox", put: Callable[[PeerPost], None]) -> None:
        """`put` hands a message to the MPI thread."""
        self._mailbox, self._put = mailbox, put

    def others(self) -> list[int]:
        return [rank for rank in range(self._mailbox.peers) if rank != self._mailbox.rank]

    def tell(self, node: int, message: PeerMessage) -> None:
        self._put(PeerPost(node, message))


@dataclass(eq=False)
class _Parcel:
    """Table entries that the MPI thread has to send to all other ranks."""

    era: int
    entries: Entries
    wait: bool
    sent: int = 0
    missed: int = 0
    delivered: threading.Event = field(default_factory=threading.Event)


@dataclass(eq=False)
class _Message:
    """A message that is being sent. Its memory must not be freed before the MPI request has completed."""

    request: "Request"
    data: bytearray | Entries
    rank: int
    parcel: _Parcel | None


class Mailbox:
    """Sends and receives the messages of a rank. Only the thread that uses MPI may call methods other than `carry`."""

    def __init__(self, mpi: ModuleType, communicator: "Comm") -> None:
        require_all_ranks()  # before the barrier, which would wait for ever
        self._mpi, self._comm = mpi, communicator
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()
        self._parcels: queue.SimpleQueue[_Parcel] = queue.SimpleQueue()
        self._underway: list[_Message] = []
        self._nap = SHORTEST_NAP
        local_communicator = communicator.Split_type(mpi.COMM_TYPE_SHARED)
        self.neighbours = local_communicator.Get_size()
        """Number of ranks on this machine, this one included."""
        local_communicator.Free()
        _unlink_segments(communicator)
        self.bytes_carried = 0
        self.peers = self.size
        """Number of ranks in the current search; rank r takes part if r < `peers`."""
        self._is_node_closing = False

    def send(self, rank: int, message: Message) -> None:
        """Send a message to a rank without waiting for its delivery."""
        data = bytearray(encoded(message))
        self.bytes_carried += len(data)
        self._underway.append(_Message(self._comm.Isend([data, self._mpi.BYTE], rank, MESSAGE), data, rank, None))

    def send_entries(self, rank: int, era: int, entries: Entries) -> None:
        """Send table entries to a rank without waiting for their delivery."""
        words = _entries_message(era, entries)
        self.bytes_carried += words.nbytes
        self._underway.append(_Message(self._comm.Isend([words, self._mpi.UINT64_T], rank, ENTRIES), words, rank, None))

    def carry(self, era: int, entries: Entries, *, wait: bool) -> tuple[int, int]:
        """Send table entries to the other ranks: the `Carry` function of a node. Any thread may call this."""
        parcel = _Parcel(era, entries, wait)
        self._parcels.put(parcel)
        if self._is_node_closing:
            parcel.delivered.set()
        parcel.delivered.wait(DELIVERY_SECONDS)
        return parcel.sent, parcel.missed

    @contextlib.contextmanager
    def closing_node(self) -> Iterator[None]:
        """Stop the sending of table entries while the node closes in this block. The node's threads do not wait for
        deliveries any more.

        Otherwise each of them would wait for `DELIVERY_SECONDS`: the MPI thread closes the node, so it cannot send.
        """
        self._is_node_closing = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._parcels.get_nowait().delivered.set()
        for message in self._underway:
            if message.parcel is not None:
                message.parcel.delivered.set()
        try:
            yield
        finally:
            with contextlib.suppress(queue.Empty):
                while True:
                    self._parcels.get_nowait()
            self._is_node_closing = False

    def receive(self) -> Iterator[tuple[int, Message | EntriesCame]]:
        """Yield each message that has arrived, with the rank that sent it."""
        self._send_parcels()
        status = self._mpi.Status()
        while self._comm.Iprobe(self._mpi.ANY_SOURCE, self._mpi.ANY_TAG, status):
            source, tag = status.Get_source(), status.Get_tag()
            if tag == ENTRIES:
                words = np.empty(status.Get_count(self._mpi.UINT64_T), np.uint64)
                self._comm.Recv([words, self._mpi.UINT64_T], source, tag)
                yield source, EntriesCame(int(words[0]), words[1:].reshape(-1, WORDS))
            else:
                data = bytearray(status.Get_count(self._mpi.BYTE))
                self._comm.Recv([data, self._mpi.BYTE], source, tag)
                self.bytes_carried += len(data)
                yield source, read_message(bytes(data))
            self._nap = SHORTEST_NAP
        self._drop_finished()

    def nap(self, events: "queue.SimpleQueue[T]", *, busy: bool = False) -> T | None:
        """Wait until the next poll, or until there is an event of this rank. Return the event, or None.

        Each nap without a message is a little longer than the last, unless all are `busy`.
        """
        seconds, self._nap = BUSY_NAP if busy else self._nap, min(NAP_GROWTH * self._nap, LONGEST_NAP)
        try:
            return events.get(timeout=seconds)
        except queue.Empty:
            return None

    def _send_parcels(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                parcel = self._parcels.get_nowait()
                words = _entries_message(parcel.era, parcel.entries)
                for rank in range(self.peers):
                    if rank == self.rank:
                        continue
                    if sum(message.rank == rank for message in self._underway) >= MOST_UNDERWAY:
                        parcel.missed += 1
                        continue
                    # A synchronous send completes when the receiver has started to receive: completion means delivery.
                    send = self._comm.Issend if parcel.wait else self._comm.Isend
                    request = send([words, self._mpi.UINT64_T], rank, ENTRIES)
                    self._underway.append(_Message(request, words, rank, parcel))
                    parcel.sent += 1
                if not parcel.wait or parcel.sent == 0:
                    parcel.delivered.set()

    def _drop_finished(self) -> None:
        unfinished = [message for message in self._underway if not message.request.Test()]
        waiting = {id(message.parcel) for message in unfinished}
        for message in self._underway:
            if message.parcel is not None and id(message.parcel) not in waiting:
                message.parcel.delivered.set()
        self._underway = unfinished

    def drain(self) -> None:
        """Receive messages until all messages of all ranks have been delivered, for at most `LEAVING_SECONDS`.

        It must be called before `MPI_Finalize`: a rank inside that call receives nothing more.
        """
        deadline = time.monotonic() + LEAVING_SECONDS
        all_sent: Request | None = None
        while time.monotonic() < deadline:
            for _ in self.receive():
                pass
            if all_sent is None and not self._underway:
                all_sent = self._comm.Ibarrier()
            if all_sent is not None and all_sent.Test():
                return
            time.sleep(LONGEST_NAP)

    def leave(self, ended: Collection[int]) -> None:
        """Prepare the end of the program. The program will not wait for ranks that are not in `ended`."""
        stalled = [rank for rank in range(1, self.size) if rank not in ended]
        if stalled:
            end_without(self._comm, stalled, LEAVING_SECONDS)
        else:
            self.drain()


def _entries_message(era: int, entries: Entries) -> Entries:
    return np.concatenate([np.array([era], np.uint64), entries.ravel()])


def _unlink_segments(communicator: "Comm") -> None:
    """Unlink the ranks' shared memory after all have mapped it, so that the system frees it when the last rank ends.

    MPICH itself unlinks it only at the regular end of a program, which a killed rank does not reach.
    """
    communicator.Barrier()
    with contextlib.suppress(OSError):
        maps = Path("/proc/self/maps").read_text().splitlines()
        for name in {line.split()[-1] for line in maps if "/dev/shm/mpich" in line and "(deleted)" not in line}:
            with contextlib.suppress(OSError):
                Path(name).unlink()
