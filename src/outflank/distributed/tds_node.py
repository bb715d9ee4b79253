"""A node of a cluster whose table is divided among the nodes: work travels to the data.

In transposition-driven scheduling (TDS) every position has a home, the node whose number follows from a hash of the
position. A position with more plies left than the threshold is divided: the position after each move is searched at its
own home, with the table of this home, for all nodes that need the value. So every position that is sent has at least as
many plies left as the threshold. Nodes send each other requests, but no table entries. Symmetric positions that share
an entry (option `canonical`) still have different homes, and each home may search one of them.

A node keeps the positions that it was asked for in a queue, with the positions farthest from the root first. One thread
takes position after position from the queue. To divide a position, it asks the home of the first move for a value, and
after the answer the homes of all other moves at once. It searches a position that is not divided sequentially. A cutoff
withdraws the requests for the other moves. A second thread acts on messages.

Every request is answered exactly once, so no message and no node may be lost. Therefore only engines whose nodes live
as long as the search offer this scheme, and an error in a node ends the search.
"""

import heapq
import itertools
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from outflank.distributed.node import Carry, Node, NodeSetup, Peers
from outflank.distributed.node_messages import (
    Job,
    JobResult,
    PeerMessage,
    PositionDone,
    PositionUnwanted,
    PositionWanted,
)
from outflank.distributed.node_steps import compile_steps, open_node, play_moves, store_value
from outflank.games.rules import MOVE
from outflank.kernels.bits import U64
from outflank.kernels.workers import WorkerThread
from outflank.search.alone import Alone
from outflank.search.alphabeta import WORST
from outflank.search.division import Division
from outflank.search.stopping import Stopped
from outflank.search.table import EXACT, LOWER, NO_MOVE, UPPER, Table
from outflank.search.worker import COUNTERS

Words = tuple[int, int]
Counts = npt.NDArray[np.int64]

MIXER = 0x9E3779B97F4A7C15
"""Odd number by which words of a position are multiplied to get its home."""


def home_of(words: Words, count: int) -> int:
    """Return the index of a position's home among `count` nodes."""
    mixed = (words[0] * MIXER ^ words[1]) * MIXER & 0xFFFFFFFFFFFFFFFF
    return (mixed >> 32) * count >> 32


def no_counts() -> Counts:
    """Return counters that are 0, in the order of `COUNTERS`."""
    return np.zeros(len(COUNTERS), np.int64)


@dataclass(slots=True, eq=False)
class _Open:
    """A position whose home is this node, and whose value was requested and has not been sent yet."""

    words: Words
    depth: int
    ply: int
    alpha: int
    beta: int
    least: int
    askers: list[tuple[int, int]] = field(default_factory=list)
    """Nodes that wait for the value, each with the ticket of its request. A withdrawn request is not in the list."""
    counts: Counts = field(default_factory=no_counts)
    """Counts of the search of this position so far, on all nodes. When the position is closed, the counts have been
    passed on."""
    closed: bool = False
    split: "_Split | None" = None

    @property
    def key(self) -> tuple[Words, int, int, int]:
        """Key of the search. One search answers all requests with the same key."""
        return self.words, self.depth, self.alpha, self.beta


@dataclass(slots=True, eq=False)
class _Split:
    """The moves of a position that is divided."""

    codes: list[int]
    after: list[Words]
    left: int
    """Plies left below the moves."""
    best: int
    best_index: int = -1
    line: tuple[int, ...] = ()
    todo: list[int] = field(default_factory=list)
    """Indices of the moves that have not been requested."""
    done: int = 0
    outstanding: set[int] = field(default_factory=set)
    """Tickets of the requests that have not been answered."""


@dataclass(slots=True)
class _Request:
    """A request that this node has sent: for a move of one of its positions, or for a job of the head."""

    home: int
    open_: _Open | None
    """The position with the move; None: a job of the head."""
    index: int = 0
    low: int = 0
    """Bound that the move has to exceed."""
    scouting: bool = False
    done: threading.Event = field(default_factory=threading.Event)
    answer: PositionDone | None = None


class TdsNode(Node):
    """A node of a cluster that searches the positions whose home it is."""

    _failed_at = "a node failed"

    def __init__(
        self,
        number: int,
        setup: NodeSetup,
        carry: Carry,
        peers: Peers,
        *,
        share: int = 1,
        table: Table | None = None,
    ) -> None:
        self.number, self._peers = number, peers
        self._mutex = threading.Condition()
        """Guards the fields below."""
        self._inbox: queue.SimpleQueue[PeerMessage | None] = queue.SimpleQueue()
        self._open: dict[tuple[Words, int, int, int], _Open] = {}
        self._waiting: dict[tuple[int, int], _Open] = {}
        """Positions whose value is awaited, by the node that asked and the ticket of its request."""
        self._requests: dict[int, _Request] = {}
        self._tickets = itertools.count(1)
        self._order = itertools.count()
        self._queue: list[tuple[int, int, int, _Open]] = []
        """Positions whose search has not begun, as a heap."""
        self._running: _Open | None = None
        self._spare = no_counts()
        """Sum of the counters of searches that were given up. It is sent with the next answer."""
        self._job = 0
        """Ticket of the request for the head's job."""
        self._newest = setup.era
        """Era of the positions and requests. The table's era is older while a thread waits in `_enter_era`."""
        self._over = False
        self._tell_failure: Callable[[Exception], None] | None = None
        options = replace(setup.options, workers=1)
        super().__init__(replace(setup, options=options), carry, share=share, table=table)
        self.root.begin_search(None)
        self._threads = [
            WorkerThread(target=self._guarded, args=(work,), name=f"outflank-{name}-{number}", daemon=True)
            for name, work in (("search", self._search_positions), ("messages", self._act_on_messages))
        ]
        for thread in self._threads:
            thread.start()

    def _make_division(self) -> Division:
        self.root.set_worker_count(2)  # the second record is for values of moves that arrive during a search
        return Alone(self.root)

    def _compile(self) -> None:
        super()._compile()
        compile_steps(self.root)

    # --- jobs of the head ---

    def search(self, job: Job) -> JobResult:
        with self._at_work:
            with self._lock:
                self._check_carriers()
                if self._closing or job.ticket in self._unwanted:
                    self._unwanted.discard(job.ticket)
                    return JobResult.unsearched(job.ticket)
            with self._mutex:
                self._enter_era(job.era)
                words = job.first, job.second
                request = _Request(self._home(words), None)
                if self._over or job.era < self._newest:
                    request.done.set()  # nobody would answer it
                else:
                    ticket = next(self._tickets)
                    self._requests[ticket] = request
                    self._job = ticket
                    self._ask(ticket, request, words, job.depth, job.ply, job.alpha, job.beta, job.least, 0)
            with self._lock:
                self._ticket = job.ticket
                unwanted = job.ticket in self._unwanted or self._closing
            if unwanted:
                self._withdraw_job()
            request.done.wait()
            with self._lock:
                self._ticket = -1
                self._unwanted = {unwanted for unwanted in self._unwanted if unwanted > job.ticket}
                self._check_carriers()
        answer = request.answer
        if answer is None:
            return JobResult.unsearched(job.ticket)
        return JobResult(
            ticket=job.ticket,
            valid=answer.valid,
            value=answer.value,
            line=answer.line,
            seconds=0.0,  # others search it
            counts=answer.counts,
        )

    def stop(self, ticket: int) -> None:
        with self._lock:
            if ticket > self._ticket:
                self._unwanted.add(ticket)
            is_current = ticket == self._ticket
        if is_current:
            self._withdraw_job()

    def _withdraw_job(self) -> None:
        with self._mutex:
            request = self._requests.get(self._job)
            if request is not None:
                self._withdraw(self._job, request)

    # --- requests ---

    def _home(self, words: Words) -> int:
        nodes = sorted((self.number, *self._peers.others()))
        return nodes[home_of(words, len(nodes))]

    def _ask(
        self,
        ticket: int,
        request: _Request,
        words: Words,
        depth: int,
        ply: int,
        alpha: int,
        beta: int,
        least: int,
        order: int,
    ) -> None:
        """Ask the home of a position for its value."""
        self._send(
            request.home,
            PositionWanted(
                era=self._newest,
                asker=self.number,
                ticket=ticket,
                first=words[0],
                second=words[1],
                depth=depth,
                ply=ply,
                alpha=alpha,
                beta=beta,
                least=least,
                order=order,
            ),
        )

    def _withdraw(self, ticket: int, request: _Request) -> None:
        """Tell a home that a value is not needed any more. The home still answers."""
        self._send(request.home, PositionUnwanted(era=self._newest, asker=self.number, ticket=ticket))

    def _send(self, node: int, message: PeerMessage) -> None:
        if node == self.number:
            self._inbox.put(message)
        else:
            self._peers.tell(node, message)

    def post(self, message: PeerMessage) -> None:
        """Receive a message of another node. Any thread may call this."""
        self._inbox.put(message)

    def _act_on_messages(self) -> None:
        while (message := self._inbox.get()) is not None:
            with self._mutex:
                match message:
                    case PositionWanted():
                        self._take_request(message)
                    case PositionDone() if message.era == self._newest:
                        self._take_answer(message)
                    case PositionDone() if message.era >= self.setup.era:  # not of an earlier search
                        self._save_counts(np.array(message.counts, np.int64))
                    case PositionUnwanted() if message.era == self._newest:
                        self._drop_asker(message.asker, message.ticket)

    def _take_request(self, wanted: PositionWanted) -> None:
        """Queue a position that a node needs. If other nodes need it too, let the node wait for the same search."""
        self._enter_era(wanted.era)
        if wanted.era < self._newest:
            return  # the search that needed it is over
        words = wanted.first, wanted.second
        open_ = _Open(words, wanted.depth, wanted.ply, wanted.alpha, wanted.beta, wanted.least)
        known = self._open.get(open_.key)
        if known is None:
            self._open[open_.key] = known = open_
            heapq.heappush(self._queue, (-wanted.ply, wanted.order, next(self._order), open_))
            self._mutex.notify_all()
        known.askers.append((wanted.asker, wanted.ticket))
        self._waiting[wanted.asker, wanted.ticket] = known

    def _drop_asker(self, asker: int, ticket: int) -> None:
        """Remove a node that no longer waits for a position. If no other node waits for it, give the position up."""
        open_ = self._waiting.pop((asker, ticket), None)
        if open_ is None:
            return  # the answer is on its way
        open_.askers.remove((asker, ticket))
        if not open_.askers:
            self._save_counts(open_.counts)
            self._close(open_)
        self._answer(asker, ticket, False, 0, (), no_counts())

    def _close(self, open_: _Open) -> None:
        """End the search of a position, and withdraw its requests."""
        open_.closed = True
        self._open.pop(open_.key, None)
        if open_ is self._running:
            self.root.stop()
        if open_.split is not None:
            for ticket in open_.split.outstanding:
                self._withdraw(ticket, self._requests[ticket])
            open_.split.outstanding.clear()

    def _answer(self, asker: int, ticket: int, valid: bool, value: int, line: tuple[int, ...], counts: Counts) -> None:
        counts += self._spare
        self._spare = no_counts()
        self._send(
            asker,
            PositionDone(
                era=self._newest,
                ticket=ticket,
                valid=valid,
                value=value,
                line=line,
                counts=tuple(int(count) for count in counts),
            ),
        )

    def _finish(self, open_: _Open, value: int, line: tuple[int, ...]) -> None:
        """Answer all nodes that wait for a position. Only the first node gets the counts of the search.

        The numbers of estimates and hits tell whether a value is exact. So the other nodes get a count of 1 if there
        were any.
        """
        self._close(open_)
        counts, hints = open_.counts, no_counts()
        for name in ("estimates", "hits"):
            hints[COUNTERS.index(name)] = min(1, counts[COUNTERS.index(name)])
        for asker, ticket in open_.askers:
            del self._waiting[asker, ticket]
            self._answer(asker, ticket, True, value, line, counts.copy())
            counts = hints

    def _enter_era(self, era: int) -> None:
        """Give up all work of eras older than `era`, and clear the table; or wait until another thread has done so."""
        if era < self._newest:
            return
        if era > self._newest:
            self._newest = era  # now, because the other threads go on while this one waits below
            for request in self._requests.values():
                request.done.set()
            for open_ in self._open.values():
                self._save_counts(open_.counts)
                open_.closed = True
            for records in (self._open, self._waiting, self._requests):
                records.clear()
            self._queue.clear()
            if self._running is not None:
                self.root.stop()
        self._mutex.wait_for(lambda: self._over or self._era == self._newest or self._running is None)
        if self._era < self._newest and not self._over:
            self._begin_era(self._newest)
            self._mutex.notify_all()

    def _save_counts(self, counts: Counts) -> None:
        """Save the counts of a search whose value no node needs, except estimates and hits: the counts are sent with
        another value, which does not depend on this search."""
        for name in ("estimates", "hits"):
            counts[COUNTERS.index(name)] = 0
        self._spare += counts

    # --- values of moves ---

    def _take_answer(self, done: PositionDone) -> None:
        request = self._requests.pop(done.ticket)
        if request.open_ is None:
            request.answer = done
            request.done.set()
            return
        open_, split = request.open_, request.open_.split
        counts = np.array(done.counts, np.int64)
        if open_.closed:
            self._save_counts(counts)
            return
        open_.counts += counts
        assert split is not None
        split.outstanding.discard(done.ticket)
        value, low = -done.value, max(open_.alpha, split.best)
        if request.scouting and request.low < value < open_.beta:  # it beats that bound, but by how much is unknown
            # If another move is better by now, a scout must show that this one beats it.
            self._request_move(open_, split, request.index, low, scouting=low >= value and low + 1 < open_.beta)
            return
        split.done += 1
        if value > split.best:
            split.best, split.best_index = value, request.index
            split.line = (split.codes[request.index], *done.line)
        if split.best >= open_.beta or not (split.todo or split.outstanding):
            self._finish_split(open_, split)
        else:
            self._request_moves(open_, split)

    def _request_moves(self, open_: _Open, split: _Split) -> None:
        """Request the values of all moves that have not been requested yet from their homes."""
        todo, split.todo = split.todo, []
        low = max(open_.alpha, split.best)
        scouting = self.root.options.algorithm == "pvs" and low + 1 < open_.beta
        for index in todo:
            self._request_move(open_, split, index, low, scouting=scouting)

    def _request_move(self, open_: _Open, split: _Split, index: int, low: int, *, scouting: bool) -> None:
        words = split.after[index]
        ticket = next(self._tickets)
        request = _Request(self._home(words), open_, index, low, scouting)
        self._requests[ticket] = request
        split.outstanding.add(ticket)
        high = low + 1 if scouting else open_.beta
        self._ask(ticket, request, words, split.left, open_.ply + 1, -high, -low, open_.least, index)

    def _finish_split(self, open_: _Open, split: _Split) -> None:
        value = split.best
        bound = LOWER if value >= open_.beta else EXACT if value > open_.alpha else UPPER
        code = split.codes[split.best_index] if split.best_index >= 0 else NO_MOVE
        words = map(U64, open_.words)
        store_value(self.root.game, *words, value, bound, open_.depth, 0, code, self.root.workers[1])
        line = split.line if bound == EXACT else () if code == NO_MOVE else (code,)
        self._finish(open_, value, line)

    # --- the thread that searches ---

    def _search_positions(self) -> None:
        while True:
            with self._mutex:
                self._mutex.wait_for(lambda: self._over or (self._queue and self._era == self._newest))
                if self._over:
                    return
                open_ = heapq.heappop(self._queue)[-1]
                if open_.closed:
                    continue
                self._running = open_
                self.root.begin_search(None)
            began = time.perf_counter()
            try:
                outcome = self._value_or_moves(open_)
            except Stopped:
                outcome = None
            self._busy_seconds += time.perf_counter() - began
            counts = np.array([self.root.counter(name) for name in COUNTERS], np.int64)
            with self._mutex:
                self._running = None
                self._mutex.notify_all()
                for name, count in zip(COUNTERS, counts, strict=True):
                    self._totals[name] += int(count)
                if self._over:
                    return
                if open_.closed:
                    self._save_counts(counts)
                    continue
                open_.counts += counts
                assert outcome is not None, "only the search of a closed position is stopped"
                if isinstance(outcome, _Split):
                    open_.split = outcome
                    self._request_move(open_, outcome, outcome.todo.pop(0), open_.alpha, scouting=False)
                else:
                    self._finish(open_, *outcome)

    def _value_or_moves(self, open_: _Open) -> "tuple[int, tuple[int, ...]] | _Split":
        """Return the value and line of a position, or its moves if it is to be divided."""
        root, worker, words = self.root, self.root.worker, tuple(map(U64, open_.words))
        if open_.depth <= max(open_.least, 1):
            job = Job(
                ticket=0,
                era=self._era,
                first=open_.words[0],
                second=open_.words[1],
                depth=open_.depth,
                ply=open_.ply,
                alpha=open_.alpha,
                beta=open_.beta,
            )
            return self._value(job)
        is_known, value, count, left = open_node(
            root.game, root.evaluation, *words, open_.alpha, open_.beta, open_.depth, open_.ply, worker, root.probe
        )
        if worker.aborted:
            raise Stopped
        if is_known:
            return int(value), ()
        codes = [int(code) for code in worker.moves[: int(count)]]
        after = np.zeros((len(codes), 2), np.uint64)
        play_moves(root.game, *words, np.array(codes, MOVE), after)
        positions = [(int(first), int(second)) for first, second in after]
        return _Split(codes, positions, int(left), WORST, todo=list(range(len(codes))))

    def _guarded(self, work: Callable[[], None]) -> None:
        """Run a thread's work. An error ends the search, because no other node can answer the requests to this node."""
        try:
            work()
        except Exception as error:
            with self._lock:
                self._failure = error
                tell = None if self._closing else self._tell_failure
            if tell is not None:
                tell(error)
            self._end_jobs()

    def on_failure(self, tell: Callable[[Exception], None]) -> None:
        with self._lock:
            self._tell_failure, error = tell, self._failure
        if error is not None:
            tell(error)

    def _end_jobs(self) -> None:
        with self._mutex:
            self._over = True
            self._mutex.notify_all()
            for request in self._requests.values():
                request.done.set()
        self.root.stop()

    def close(self) -> None:
        with self._lock:
            self._closing = True
        self._end_jobs()
        self._inbox.put(None)
        for thread in self._threads:
            thread.join()
        super().close()
