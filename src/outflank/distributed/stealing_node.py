"""A node of a cluster that lets other nodes steal from it, and steals from them when it has nothing to do.

A node whose workers are idle asks the other nodes for work, one after the other in random order. The victim's crew
(`parallel.crew_exchange`) takes the oldest move that it offers, if the move is large enough to be worth its messages,
and the thief searches it as it would search a job of the head. The thief's result is delivered to the victim's split
point. The victim answers a result with its next move, or says that it has none.

The transport carries `PeerMessage`s without answering them, in any order; it may lose them, and nodes may die:

- Every message belongs to an era. A thief returns a move of an older era at once. For a move that it gave up, a thief
  sends `WorkDone` without a value.
- A thief that is silent for `PATIENCE_SECONDS` has lost its move, which the victim's crew then searches itself. A
  result that comes too late has a ticket that is not known any more.
- A thief forgets a question that is not answered within `ANSWER_SECONDS`, and asks another node.
"""

import contextlib
import itertools
import queue
import random
import threading
import time
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from outflank.distributed.node import Carry, Node, NodeSetup, Peers
from outflank.distributed.node_messages import (
    Job,
    JobResult,
    NodeReport,
    PeerMessage,
    StolenMove,
    WorkDone,
    WorkGiven,
    WorkGoesOn,
    WorkUnwanted,
    WorkWanted,
)
from outflank.games.rules import unpack
from outflank.kernels.bits import U64
from outflank.kernels.record_types import Records
from outflank.kernels.workers import WorkerThread
from outflank.parallel.crew_exchange import Exchange, ExportedMove, ImportedResult
from outflank.parallel.schemes import plan_for
from outflank.parallel.shared_state import CUT, OPEN
from outflank.search.division import Division
from outflank.search.lines import table_move
from outflank.search.table import NO_MOVE, Table
from outflank.search.worker import COUNTERS

PATROL_SECONDS = 0.001
"""Longest time until a node notices that one of its workers is idle, or that a move of another node is done."""

FEWEST_SECONDS, MOST_SECONDS = 0.0005, 0.02
"""Limits of the pause of a node that has asked all other nodes for work in vain. The pause is random. Its upper limit
starts at twice `FEWEST_SECONDS` and doubles up to `MOST_SECONDS`, because every question takes time in which the victim
could search."""

RESTING_SECONDS = 0.25
"""Longest pause of a node that has had no work for a second, for example between two searches."""

ANSWER_SECONDS = 0.2
"""Longest time that a thief waits for an answer before it asks another node."""

PATIENCE_SECONDS = 5.0
"""Seconds without a sign of a thief after which its move is searched by others."""

HEARTBEAT_SECONDS = 1.0

EXPORTERS = 8
"""Greatest number of a node's moves that other nodes search at a time. An exporter takes half a megabyte."""

NEVER_STOLEN = 1 << 20
"""Value of `least` at which no move is stolen."""


@dataclass(slots=True)
class _Import:
    """A move of another node, or a job of the head, that this node searches."""

    victim: int | None
    """Node that the move was stolen from; None: a job of the head."""
    ticket: int
    totals: npt.NDArray[np.int64]
    """Counts of this node, and of nodes that stole from it, at the time when the search of the move began."""
    done: threading.Event = field(default_factory=threading.Event)
    result: ImportedResult | None = None


@dataclass(slots=True)
class _Export:
    """A move of this node that another node searches."""

    exporter: int
    thief: int
    heard: float
    """When the thief last gave a sign."""


class StealingNode(Node):
    """A node of a cluster whose workers search jobs of the head, and moves stolen from other nodes.

    A thread of its own, the steward, acts on the messages of other nodes and asks them for work.
    """

    _failed_at = "a node failed"

    def __init__(
        self, number: int, setup: NodeSetup, carry: Carry, peers: Peers, *, share: int = 1, table: Table | None = None
    ) -> None:
        self.number, self._peers = number, peers
        self._random = random.Random(number)
        self._stealing = threading.RLock()
        """Guards the fields below, the exporters and the imported jobs."""
        self._inbox: queue.SimpleQueue[PeerMessage] = queue.SimpleQueue()
        self._imports: dict[int, _Import] = {}
        self._exports: dict[int, _Export] = {}
        self._newer: list[WorkGiven] = []
        """Moves of an era that this node has yet to begin."""
        self._tickets = itertools.count(1)
        self._asked: tuple[int, float] | None = None
        """The node that was asked for work and has not answered, and when it was asked."""
        self._pause, self._ask_at = FEWEST_SECONDS, 0.0
        self._to_ask: list[int] = []
        """Nodes that are asked for work before the next pause, in reverse order."""
        self._worked_at = time.monotonic()
        self._sleepers = 0
        """Number of workers that had nothing to do a moment ago."""
        self._least = NEVER_STOLEN
        self._counts_of_others, self._sent_counts = np.zeros(len(COUNTERS), np.int64), np.zeros(len(COUNTERS), np.int64)
        self._tried = self._won = 0
        self._over = False
        super().__init__(setup, carry, share=share, table=table)
        self.root.begin_search(None)
        self._worked_at = time.monotonic()
        self._steward = WorkerThread(target=self._patrol, name=f"outflank-steward-{number}", daemon=True)
        self._steward.start()

    def _make_division(self) -> Division:
        # The first exporter only offers imported jobs; its worker record is used outside searches, for example to
        # complete lines.
        self._exchange = Exchange(self.root, self.workers, plan_for(self.root), exporters=1 + EXPORTERS)
        crew = self._exchange.crew.crew
        self._least_threshold, self._near = int(crew.threshold), int(crew.near_leaves - crew.threshold)
        return self._exchange

    @property
    def _searchers(self) -> Records:
        return self.root.workers[self._exchange.exporters :]

    # --- jobs of the head ---

    def search(self, job: Job) -> JobResult:
        with self._at_work:
            with self._lock:
                self._check_carriers()
                if self._closing or job.ticket in self._unwanted:
                    self._unwanted.discard(job.ticket)
                    return JobResult.unsearched(job.ticket)
                self._ticket = job.ticket
                self._since = began = time.perf_counter()
            if job.era > self._era:
                self._enter_era(job.era)
            with self._stealing:
                self._set_sizes(job.least, job.send_from)
            value, line, valid, counts = self._search_here(job)
            with self._lock:
                self._ticket, self._since = -1, None
                seconds = time.perf_counter() - began
                self._busy_seconds += seconds
                self._unwanted = {ticket for ticket in self._unwanted if ticket > job.ticket}
                self._check_carriers()
        return JobResult(ticket=job.ticket, valid=valid, value=value, line=line, seconds=seconds, counts=counts)

    def _set_sizes(self, least: int, send_from: int) -> None:
        """Set the least depth of stolen moves. If the replication policy sets no depth, also set the least depth of the
        table entries that are sent."""
        self._least = least
        # A single worker need not divide subtrees that are too small to be stolen.
        if self.workers == 1:
            crew = self._exchange.crew.crew
            crew.threshold = max(self._least_threshold, least)
            crew.near_leaves = crew.threshold + self._near
        if self.setup.replication.depth is None:
            self._searchers["send_from"] = send_from

    def _search_here(self, job: Job) -> tuple[int, tuple[int, ...], bool, tuple[int, ...]]:
        """Let the workers search a job of the head. Return its value and line, whether it has a value, and counts."""
        with self._stealing:
            self._check_carriers()  # after an error of the steward nobody would end the job
            entry = _Import(None, job.ticket, self._totals_now())
            expected = OPEN if job.beta - job.alpha > 1 else CUT
            address = self._exchange.import_job(_move_to_search(job, expected))
            self._imports[address] = entry
            if self._closing or job.ticket in self._unwanted:
                self._exchange.abandon(address)
        entry.done.wait()
        with self._lock:
            self._check_carriers()
        with self._stealing:
            counts = self._take_counts(entry)
        result = entry.result
        assert result is not None
        if not result.valid:
            return 0, (), False, counts
        position = unpack(self.root.game, U64(job.first), U64(job.second))
        if job.alpha < result.value < job.beta:
            self.root.position = position
            return result.value, self.root.complete_line(result.line, result.value, job.depth), True, counts
        # After a cutoff there is no line, but the head needs the best move, to try it first in a deeper search.
        move = int(table_move(self.root.game, position, self.root.worker))
        return result.value, () if move == NO_MOVE else (move,), True, counts

    def stop(self, ticket: int) -> None:
        with self._lock:
            if ticket >= self._ticket:
                self._unwanted.add(ticket)
        with self._stealing:
            for address, entry in self._imports.items():
                if entry.victim is None and entry.ticket == ticket:
                    self._exchange.abandon(address)

    def _enter_era(self, era: int) -> None:
        """Give up all work of older eras, and clear the table and the outgoing entries."""
        while True:
            with self._stealing:
                self._check_carriers()
                if self._era >= era:
                    return
                for address in self._imports:
                    self._exchange.abandon(address)
                if not self._imports and not self._exports and self._exchange.is_idle:
                    self._begin_era(era)
                    return
            time.sleep(PATROL_SECONDS)

    def _totals_now(self) -> npt.NDArray[np.int64]:
        """Return the counts of this node, and of others that stole from it, in the order of `COUNTERS`."""
        return np.array([self.root.counter(name) for name in COUNTERS]) + self._counts_of_others

    def _take_counts(self, entry: _Import) -> tuple[int, ...]:
        """Return the counts that are sent with the result of a job: all counts that have not been sent before.

        Some counts of this job may have been sent to another victim. But the numbers of estimates and hits tell whether
        a value is exact. So each of them is at least 1 if there has been an estimate or a hit since the job began.
        """
        totals = self._totals_now()
        counts, self._sent_counts = totals - self._sent_counts, totals
        for name in ("estimates", "hits"):
            index = COUNTERS.index(name)
            if totals[index] > entry.totals[index]:
                counts[index] = max(counts[index], 1)
        return tuple(int(count) for count in counts)

    # --- messages of other nodes ---

    def post(self, message: PeerMessage) -> None:
        """Queue a message of another node for the steward. Any thread may call this."""
        self._inbox.put(message)
        self._exchange.wake()

    def _act_on_messages(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._act_on(self._inbox.get_nowait())

    def _act_on(self, message: PeerMessage) -> None:
        match message:
            case WorkWanted():
                self._give(message.thief, message.era)
            case WorkGiven():
                self._take(message)
            case WorkDone():
                self._receive_result(message)
            case WorkUnwanted() if message.era == self._era:
                self._abandon(message.victim, message.ticket)
            case WorkGoesOn() if message.era == self._era:
                for ticket in message.tickets:
                    if ticket in self._exports:
                        self._exports[ticket].heard = time.monotonic()

    def _give(self, thief: int, era: int) -> None:
        """Answer a thief that wants work. While a worker of this node has nothing to do, the thief gets no move: this
        idle worker is about to take it.

        The thief may be in an older era of this search. It may not be in an era of an earlier search, because it would
        use the rules and options of that search.
        """
        if self.setup.era <= era <= self._era and self._least != NEVER_STOLEN and self._sleepers == 0:
            busy = {entry.exporter for entry in self._exports.values()}
            exporter = next((index for index in range(1, self._exchange.exporters) if index not in busy), None)
            if exporter is not None and (move := self._exchange.export(exporter, self._least)) is not None:
                self._hand_over(thief, exporter, move)
                return
        self._peers.tell(thief, WorkGiven(era=era, victim=self.number, move=None))

    def _hand_over(self, thief: int, exporter: int, move: ExportedMove) -> None:
        ticket = next(self._tickets)
        self._exports[ticket] = _Export(exporter, thief, heard=time.monotonic())
        given = WorkGiven(
            era=self._era,
            victim=self.number,
            move=StolenMove(
                ticket=ticket,
                first=move.words[0],
                second=move.words[1],
                depth=move.depth,
                ply=move.ply,
                alpha=move.alpha,
                beta=move.beta,
                expected=move.expected,
                least=self._least,
                send_from=int(self._searchers["send_from"][0]),
            ),
        )
        if thief == self.number:
            self._take(given)
        else:
            self._peers.tell(thief, given)

    def _take(self, given: WorkGiven) -> None:
        """Begin to search a move that was stolen, or wait before the next question if there was none."""
        if self._asked is not None and self._asked[0] == given.victim:
            self._asked = None
        move = given.move
        if move is None:
            if not self._to_ask:
                is_resting = time.monotonic() > self._worked_at + 1.0
                self._pause = min(2 * self._pause, RESTING_SECONDS if is_resting else MOST_SECONDS)
                self._ask_at = time.monotonic() + self._pause * self._random.random()
            return
        self._pause, self._ask_at = FEWEST_SECONDS, 0.0
        self._won += given.victim != self.number
        if given.era > self._era:
            self._newer.append(given)
            for address in self._imports:
                self._exchange.abandon(address)
        elif given.era < self._era:
            result = ImportedResult(valid=False, value=0, line=())
            self._return(given.victim, move.ticket, given.era, result, (0,) * len(COUNTERS))
        else:
            self._set_sizes(move.least, move.send_from)
            address = self._exchange.import_job(_move_to_search(move, move.expected))
            self._imports[address] = _Import(given.victim, move.ticket, self._totals_now())

    def _receive_result(self, done: WorkDone) -> None:
        """Deliver a thief's result, and answer with the next move."""
        if done.era >= self.setup.era:  # not of an earlier search
            self._counts_of_others += np.array(done.counts, np.int64)
        export = self._exports.pop(done.ticket, None) if done.era == self._era else None
        if export is None:  # given up before, or of another era
            self._give(done.thief, done.era)
            return
        move = self._exchange.deliver(export.exporter, valid=done.valid, value=done.value, line=done.line)
        if move is not None:
            self._hand_over(done.thief, export.exporter, move)
        elif done.thief != self.number:
            self._give(done.thief, done.era)

    def _return(self, victim: int, ticket: int, era: int, result: ImportedResult, counts: tuple[int, ...]) -> None:
        done = WorkDone(
            era=era,
            thief=self.number,
            ticket=ticket,
            valid=result.valid,
            value=result.value,
            line=result.line,
            counts=counts,
        )
        if victim == self.number:
            self._receive_result(done)
        else:
            self._tried += 1  # the answer is the next move, or that there is none
            self._peers.tell(victim, done)
            if self._asked is None and victim in self._peers.others():
                self._asked = victim, time.monotonic()

    # --- the steward ---

    def _patrol(self) -> None:
        """Return results to their victims, stop unwanted thieves, and ask for work, until the node closes."""
        try:
            rings, news, heartbeat_at = 0, 0, time.monotonic() + HEARTBEAT_SECONDS
            while not self._over:
                before = rings
                can_ask = self._asked is None and time.monotonic() >= self._ask_at
                rings, news, sleepers = self._exchange.await_change(
                    rings, news, PATROL_SECONDS, ignore_sleepers=not can_ask
                )
                self._sleepers = sleepers
                with self._stealing:
                    self._exchange.crew.check_failure()
                    self._act_on_messages()
                    self._return_results()
                    if rings != before:
                        self._stop_unwanted()
                    if self._newer and not self._imports and self._ticket < 0:
                        self._begin_newer_era()
                    if sleepers > 0 and can_ask and self._asked is None:
                        self._ask()
                    now = time.monotonic()
                    if self._imports:
                        self._worked_at = now
                    if self._asked is not None and now > self._asked[1] + ANSWER_SECONDS:
                        self._asked = None
                    if now >= heartbeat_at:
                        heartbeat_at = now + HEARTBEAT_SECONDS
                        self._check_peers(now)
        except Exception as error:  # the thread of a job raises it
            with self._lock:
                self._failure = error
            self.root.stop()
            self._end_jobs()

    def _return_results(self) -> None:
        for address in list(self._imports):
            result = self._exchange.take_result(address)
            if result is None:
                continue
            entry = self._imports.pop(address)
            if entry.victim is not None:
                is_own = entry.victim == self.number
                counts = (0,) * len(COUNTERS) if is_own else self._take_counts(entry)
                self._return(entry.victim, entry.ticket, self._era, result, counts)
            entry.result = result
            entry.done.set()

    def _stop_unwanted(self) -> None:
        """Tell thieves of moves whose results are no longer needed, and free the exporters."""
        for ticket, export in list(self._exports.items()):
            if self._exchange.is_wanted(export.exporter):
                continue
            if export.thief == self.number:
                self._abandon(self.number, ticket)
            else:
                self._peers.tell(export.thief, WorkUnwanted(era=self._era, victim=self.number, ticket=ticket))
            self._give_up(ticket, export)

    def _abandon(self, victim: int, ticket: int) -> None:
        """Give up a move that was stolen."""
        for address, entry in self._imports.items():
            if (entry.victim, entry.ticket) == (victim, ticket):
                self._exchange.abandon(address)

    def _give_up(self, ticket: int, export: _Export) -> None:
        """Stop waiting for a thief's result. If the exporter has another move then, this node searches it."""
        del self._exports[ticket]
        move = self._exchange.deliver(export.exporter, valid=False)
        if move is not None:
            self._hand_over(self.number, export.exporter, move)

    def _ask(self) -> None:
        others = self._peers.others()
        if not self._to_ask:
            self._to_ask = self._random.sample(others, len(others))
        if not self._to_ask:
            self._ask_at = time.monotonic() + MOST_SECONDS  # there is no other node
            return
        victim = self._to_ask.pop()
        if victim in others:
            self._asked = victim, time.monotonic()
            self._tried += 1
            self._peers.tell(victim, WorkWanted(era=self._era, thief=self.number))

    def _check_peers(self, now: float) -> None:
        """Send heartbeats to victims. Give up silent thieves, and work of nodes that have left."""
        others = set(self._peers.others())
        tickets: dict[int, list[int]] = {}
        for address, entry in self._imports.items():
            if entry.victim is None or entry.victim == self.number:
                continue
            if entry.victim in others:
                tickets.setdefault(entry.victim, []).append(entry.ticket)
            else:
                self._exchange.abandon(address)
        for victim, searched in tickets.items():
            self._peers.tell(victim, WorkGoesOn(era=self._era, thief=self.number, tickets=tuple(searched)))
        for ticket, export in list(self._exports.items()):
            if export.thief != self.number and (export.thief not in others or now > export.heard + PATIENCE_SECONDS):
                self._give_up(ticket, export)

    def _begin_newer_era(self) -> None:
        era = max(given.era for given in self._newer)
        newer, self._newer = self._newer, []
        if era > self._era:
            if self._exports or not self._exchange.is_idle:
                self._newer = newer  # later, once all have given up the work of this era
                return
            self._begin_era(era)
        for given in newer:
            self._take(given)

    # --- statistics ---

    def report(self) -> NodeReport:
        return replace(super().report(), steals_tried=self._tried, steals_won=self._won)

    def _busy_and_totals(self) -> tuple[float, dict[str, int]]:
        hands = self._exchange.crew.hands[self._exchange.exporters :]
        busy = float(hands["busy_ns"].mean()) / 1e9
        return busy, {name: self.root.counter(name) for name in COUNTERS}

    def close(self) -> None:
        super().close()  # the steward still returns the result of the head's job
        self._over = True
        self._steward.join()
        self._end_jobs()

    def _end_jobs(self) -> None:
        """End the jobs of the head without a value."""
        with self._stealing:
            for entry in self._imports.values():
                entry.result = ImportedResult(valid=False, value=0, line=())
                entry.done.set()
            self._imports.clear()


def _move_to_search(job: Job | StolenMove, expected: int) -> ExportedMove:
    """Return a job of the head, or a stolen move, as the crew takes it."""
    return ExportedMove(
        words=(job.first, job.second),
        depth=job.depth,
        ply=job.ply,
        alpha=job.alpha,
        beta=job.beta,
        expected=expected,
    )
