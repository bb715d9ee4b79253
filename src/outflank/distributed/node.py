"""A cluster node without its transport: it searches jobs with its own table, and sends table entries to other nodes.

The cluster engine calls `search`, `stop`, `absorb` and `report` from any thread, and passes a `carry` function that
sends entries to the other nodes.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from outflank.distributed.node_messages import Job, JobResult, NodeReport, PeerMessage
from outflank.distributed.node_steps import open_node, store_value
from outflank.distributed.replication import Replication
from outflank.errors import OutflankError
from outflank.games.evaluation import begin
from outflank.games.rules import Game, Position, pack, unpack
from outflank.kernels.bits import U64
from outflank.kernels.record_types import Records
from outflank.search.alone import Alone
from outflank.search.alphabeta import alphabeta
from outflank.search.division import Division, all_cores, scheme_named
from outflank.search.lines import table_move
from outflank.search.outbox import WORDS, Outbox, adopt, await_call, call_carrier, collect, release
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.stopping import Stopped
from outflank.search.table import EXACT, LOWER, NO_MOVE, UPPER, Table
from outflank.search.worker import COUNTERS

Entries = npt.NDArray[np.uint64]
"""Table entries, in rows of three words: two for the position and one for the data."""

ENTRY_BYTES = 8 * WORDS

RING = 1 << 14
"""Capacity, in table entries, of a worker's ring buffer of outgoing entries, which takes 384 KiB."""

NEVER = 1 << 20
"""Value of `send_from` (the least depth of the entries that are sent) at which no entry is sent."""

FLUSH_SECONDS = 0.1
"""Longest time, in seconds, that outgoing entries wait until a batch is full. Most batches fill up sooner."""


class Carry(Protocol):
    """Sends table entries of an era to all other nodes; with `wait`, returns when each has received them or timed out.

    Returns how many nodes were reached, and how many were skipped because they had not received earlier entries.
    """

    def __call__(self, era: int, entries: Entries, *, wait: bool) -> tuple[int, int]: ...


class Peers(Protocol):
    """The other nodes of a cluster, as a node sees them."""

    def others(self) -> Sequence[int]:
        """Return the numbers of the other nodes of the search."""

    def tell(self, node: int, message: PeerMessage) -> None:
        """Send a message to a node, without waiting. Unless `Fabric.keeps_nodes`, it may be lost. Any thread may call
        this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSetup:
    """The data that all jobs of a search on a cluster share."""

    game: Game
    position: Position
    options: Options
    """Search options. `workers` is the number of workers on each node; None: one for each core of the node's share."""
    replication: Replication
    era: int
    parallel: str = "ybw"
    """Name of the scheme that divides the search among the nodes."""
    follows: int | None = None
    """Era of the search whose table entries are still valid in this one; a node that has them keeps them."""

    @property
    def nodes_divide(self) -> bool:
        """Whether the nodes, not the head, divide jobs, as with `stealing` and `tds`."""
        return self.parallel in ("stealing", "tds")


class Node:
    """A node of a cluster: a transposition table, the workers that use it, and their outgoing table entries."""

    _failed_at = "entries could not be sent"

    def __init__(self, setup: NodeSetup, carry: Carry, *, share: int = 1, table: Table | None = None) -> None:
        """`share` is the number of nodes on this machine; they divide its cores. A `table` has valid entries of an
        earlier search."""
        self.setup, self._carry = setup, carry
        options = setup.options
        self.workers = max(1, all_cores() // share) if options.workers is None else options.workers
        own_options = replace(options, parallel=None, workers=self.workers)
        self.root = Root(setup.game, setup.position, own_options, table=table)
        self._division: Division = self._make_division()
        self.root.prepare_lines()  # compiles kernels, like the lines below
        self.root.stop()
        self._division.prepare()
        self._compile()
        self._lock = threading.Lock()
        self._at_work = threading.Lock()
        self._same_era = threading.Lock()  # while it is held, the era does not change
        self._ticket = -1
        self._unwanted: set[int] = set()
        self._era = setup.era
        self._totals = dict.fromkeys(COUNTERS, 0)
        self._busy_seconds = 0.0
        self._since: float | None = None
        self._sent = self._dropped = self._messages = self._received = self._stored = self._missed = self._bytes = 0
        self._broadcast_seconds = 0.0
        self._outboxes: list[Outbox] = []
        self._failure: Exception | None = None  # error of another thread, such as one that sends entries
        self._closing = False
        self._carriers: list[threading.Thread] = []
        if setup.replication.sends and self.root.table is not None:
            self._open_outboxes(setup.replication)

    def _make_division(self) -> Division:
        return Alone(self.root) if self.workers == 1 else scheme_named("ybw").divide(self.root, self.workers)

    @property
    def _searchers(self) -> Records:
        """Records of the workers that search, whose table entries are sent."""
        return self.root.workers

    def _compile(self) -> None:
        """Compile the kernels that the division does not compile, so that no job has to wait for them."""
        root, no_entries = self.root, np.zeros((0, WORDS), np.uint64)
        table_move(root.game, root.position, root.worker)
        if root.table is not None:
            adopt(no_entries, 0, root.worker)
        if self.workers > 1:
            open_node(root.game, root.evaluation, *pack(root.game, root.position), 0, 1, 1, 0, root.worker, root.probe)

    # --- jobs ---

    def search(self, job: Job) -> JobResult:
        """Search a job and return its result, which has no value if the job was stopped."""
        with self._at_work:  # a second job waits
            with self._lock:
                self._check_carriers()
                if self._closing or job.ticket in self._unwanted:
                    self._unwanted.discard(job.ticket)
                    return JobResult.unsearched(job.ticket)
                self._ticket = job.ticket
                self.root.begin_search(None)
                if self.setup.replication.depth is None:
                    self.root.workers["send_from"] = job.send_from
                self._since = began = time.perf_counter()
            try:
                if job.era > self._era:
                    self._begin_era(job.era)
                value, line = self._value(job)
                valid = True
            except Stopped:
                value, line, valid = 0, (), False
            with self._lock:
                self._ticket, self._since = -1, None
                seconds = time.perf_counter() - began
                counts = tuple(self.root.counter(name) for name in COUNTERS)
                self._busy_seconds += seconds
                for name, count in zip(COUNTERS, counts, strict=True):
                    self._totals[name] += count
                # Tickets grow, so that jobs with smaller tickets are over.
                self._unwanted = {ticket for ticket in self._unwanted if ticket > job.ticket}
                self._check_carriers()
        return JobResult(ticket=job.ticket, valid=valid, value=value, line=line, seconds=seconds, counts=counts)

    def _check_carriers(self) -> None:
        if self._failure is not None:
            why = f"{type(self._failure).__name__}: {self._failure}"
            raise OutflankError(f"{self._failed_at}: {why}") from self._failure

    def on_failure(self, tell: Callable[[Exception], None]) -> None:
        """Let the node call `tell` with an error that occurs outside its jobs while other nodes wait for its answers.
        All other errors are raised by `search`."""

    def stop(self, ticket: int) -> None:
        """Stop a job, even if it has not begun."""
        with self._lock:
            if self._ticket == ticket:
                self.root.stop()
            elif ticket > self._ticket:
                self._unwanted.add(ticket)

    def _value(self, job: Job) -> tuple[int, tuple[int, ...]]:
        root = self.root
        position = unpack(root.game, U64(job.first), U64(job.second))
        if self.workers > 1:
            return self._shared_value(job, position)
        worker = root.worker
        state = begin(root.evaluation, root.game, position)
        window = job.alpha, job.beta
        value = alphabeta(
            root.game, root.evaluation, position, state, *window, job.depth, job.ply, 0, worker, root.probe
        )
        if worker.aborted:
            raise Stopped
        if job.alpha < value < job.beta:
            line = worker.line[job.ply][: int(worker.line_length[job.ply])].copy()
            root.position = position
            return int(value), root.complete_line(line, int(value), job.depth)
        # After a cutoff there is no line, but the head needs the best move, to try it first in a deeper search.
        move = int(table_move(root.game, position, worker))
        return int(value), () if move == NO_MOVE else (move,)

    def _shared_value(self, job: Job, position: Position) -> tuple[int, tuple[int, ...]]:
        """Search a job with all workers of this node; return its value and principal variation."""
        root, worker = self.root, self.root.worker
        if root.bell.stop:
            raise Stopped
        words = U64(job.first), U64(job.second)
        window_and_depth = (job.alpha, job.beta, job.depth, job.ply)
        is_known, value, count, _ = open_node(root.game, root.evaluation, *words, *window_and_depth, worker, root.probe)
        if is_known:
            return int(value), ()
        root.move_to(position, [int(code) for code in worker.moves[: int(count)]])
        for worker_record in root.workers:  # these workers count plies from this position
            worker_record.send_within = self.setup.replication.plies - job.ply
        result = self._division.search_window(job.depth, job.alpha, job.beta, best_count=1, moves=root.moves)
        assert result.move is not None
        bound = LOWER if result.value >= job.beta else EXACT if result.value > job.alpha else UPPER
        store_value(root.game, *words, result.value, bound, job.depth, 0, result.move.code, worker)
        if bound == EXACT:
            return result.value, root.complete_line(result.move.line, result.value, job.depth)
        return result.value, (result.move.code,)

    # --- entries ---

    def _open_outboxes(self, replication: Replication) -> None:
        room = RING
        while room < 2 * replication.batch:
            room *= 2
        for worker in self._searchers:
            outbox = Outbox(room, replication.batch, waits=replication.waits)
            worker.outbox = outbox.address
            worker.send_from = NEVER if replication.depth is None else replication.depth
            worker.send_within = replication.plies
            self._outboxes.append(outbox)
        for outbox in self._outboxes:
            thread = threading.Thread(target=self._carry_from, args=(outbox,), daemon=True)
            thread.start()
            self._carriers.append(thread)

    def _carry_from(self, outbox: Outbox) -> None:
        """Send the entries of an outbox until the node closes. An error stops the current job, which may be waiting for
        delivery, and that job raises the error."""
        try:
            self._carry_batches(outbox)
        except Exception as error:
            with self._lock:
                self._failure = error
                self.root.stop()

    def _carry_batches(self, outbox: Outbox) -> None:
        """Send the entries of an outbox whenever a batch is full or, unless the policy waits for delivery,
        `FLUSH_SECONDS` have passed."""
        batch, waits = self.setup.replication.batch, self.setup.replication.waits
        buffer = np.zeros((batch, WORDS), np.uint64)
        calls = 0
        while not self._closing:
            before, calls = calls, int(await_call(outbox.record, calls, int(FLUSH_SECONDS * 1e6)))
            # Entries left after a full batch wait for the next batch: sent at once, they made five messages out of one.
            least = batch if waits or calls != before else 1
            while not self._closing:
                with self._same_era:
                    era, count = self._era, int(collect(outbox.record, buffer, least))
                if count == 0:
                    break
                began = time.perf_counter()
                peers, missed = self._carry(era, buffer[:count].copy(), wait=waits)
                with self._same_era:
                    if era == self._era:  # otherwise the entries were cleared with their era
                        release(outbox.record, count)
                with self._lock:
                    self._broadcast_seconds += time.perf_counter() - began
                    self._sent += count if peers else 0
                    self._messages += peers
                    self._bytes += peers * count * ENTRY_BYTES
                    self._missed += missed * count
                least = batch

    def absorb(self, era: int, entries: Entries) -> None:
        """Store table entries of another node. Entries of another era are ignored, because they may be wrong."""
        with self._same_era:
            if era != self._era or self.root.table is None:
                return
            self._received += len(entries)
            self._stored += int(adopt(entries, len(entries), self.root.worker))

    def _begin_era(self, era: int) -> None:
        """Clear the table and the outgoing entries, which belong to an older era. No worker may be searching."""
        with self._same_era:
            self._era = era
            self.root.forget()
            for outbox in self._outboxes:
                outbox.clear()

    def table_for(self, setup: NodeSetup) -> Table | None:
        """Return this node's table if its entries are valid in the search of `setup` too, and it has the right size."""
        table = self.root.table
        if table is None or (setup.follows, setup.options.table_bits) != (self._era, table.bits):
            return None
        return table

    # --- statistics ---

    def report(self) -> NodeReport:
        """Return the statistics of this node in the current search."""
        with self._lock:
            busy, totals = self._busy_and_totals()
        return NodeReport(
            nodes=totals["nodes"],
            busy_seconds=busy,
            entries_sent=self._sent,
            entries_dropped=sum(int(outbox.record.dropped) for outbox in self._outboxes) + self._missed,
            entries_received=self._received,
            entries_kept=self._stored,
            messages=self._messages,
            bytes_sent=self._bytes,
            bytes_received=self._received * ENTRY_BYTES,
            broadcast_seconds=self._broadcast_seconds,
            waited_seconds=sum(int(outbox.record.waited_ns) for outbox in self._outboxes) / 1e9,
            table_lookups=totals["lookups"],
            table_hits=totals["hits"],
            foreign_hits=totals["foreign_hits"],
            foreign_cuts=totals["foreign_cuts"],
            cutoffs=totals["cutoffs"],
            first_cutoffs=totals["first_cutoffs"],
            memory_bytes=self._memory_bytes(),
        )

    def _busy_and_totals(self) -> tuple[float, dict[str, int]]:
        """Return the seconds during which this node had a job, and its counters by name."""
        running = self._since is not None
        busy = self._busy_seconds + (time.perf_counter() - self._since if self._since is not None else 0.0)
        return busy, {name: self._totals[name] + (self.root.counter(name) if running else 0) for name in COUNTERS}

    def _memory_bytes(self) -> int:
        table = self.root.table.nbytes if self.root.table is not None else 0
        return table + self._division.nbytes + sum(outbox.nbytes for outbox in self._outboxes)

    def close(self) -> None:
        """Stop the current job and end the threads. Later jobs are not searched."""
        with self._lock:  # a job that began after the stop would undo it, and wait for ended threads
            self._closing = True
            self.root.stop()
        with self._at_work:
            self._division.close()
        for outbox in self._outboxes:
            call_carrier(outbox.record)
        for thread in self._carriers:
            thread.join()
