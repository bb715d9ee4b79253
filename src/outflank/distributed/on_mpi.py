"""A cluster on MPI: every rank is a node, and rank 0 the head as well.

One thread of a rank speaks MPI; jobs and carriers have threads of their own. If a rank dies the launcher ends all of
them: that is how MPI is.
"""

import contextlib
import os
import platform
import queue
import signal
import threading
import time
from dataclasses import asdict
from typing import Any

from outflank import __version__
from outflank.distributed.errands.events import Make, Workshop, whereabouts
from outflank.distributed.inside import Desk
from outflank.distributed.last_words import LastWords
from outflank.distributed.messages import Ended, Event, Job, Joined, NodeReport, Outcome, Reported
from outflank.distributed.mpi_post import LEAVING_SECONDS, LONGEST_NAP, Post, require_mpi
from outflank.distributed.node import Node, Setup
from outflank.distributed.spoken import heard, spoken
from outflank.errors import OutflankError

REPORT_SECONDS = 0.5


class OnMpi:
    """The ranks of an MPI program, seen from rank 0."""

    name = "mpi"
    job_seconds = 0.1
    """A message and its answer take a millisecond, and so does the head: jobs of 30 ms cost two nodes a tenth."""

    def __init__(self) -> None:
        mpi = require_mpi()
        self._mpi = mpi
        self._post = Post(mpi, mpi.COMM_WORLD)
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._desk: Desk | None = None
        self._era = 0
        self._gone: set[int] = set()
        self._reported = 0.0
        self._used = self._post.size
        self._last_words = LastWords("a rank has died, and the launcher has ended the others")

    @property
    def bytes_carried(self) -> int:
        return int(self._post.bytes_said)

    def use(self, count: int | None) -> None:
        self._used = self._post.size if count is None else max(1, min(count, self._post.size))

    def prepare(self, setup: Setup) -> None:
        words = spoken(setup)
        self._era = setup.era
        self._post.peers = self._used
        for rank in range(1, self._used):
            self._post.say(rank, "prepare", setup=words, peers=self._used)
        self._close_desk()
        node = Node(setup, self._post.carry, share=self._post.neighbours)
        self._desk = Desk(0, node, self._events)
        self._events.put(Joined(node=0, where=_where(0), workers=node.workers))

    @property
    def expected(self) -> int:
        return int(self._used)

    def submit(self, node: int, job: Job) -> None:
        if node == 0:
            assert self._desk is not None
            self._desk.submit(job)
        else:
            self._post.say(node, "search", job=asdict(job))

    def stop(self, node: int, ticket: int) -> None:
        if node == 0:
            assert self._desk is not None
            self._desk.node.stop(ticket)
        else:
            self._post.say(node, "stop", ticket=ticket)

    def ask(self) -> None:
        self._reported = 0.0
        for rank in range(1, self._used):
            self._post.say(rank, "report")

    def wait(self, seconds: float) -> list[Event]:
        deadline = time.monotonic() + seconds
        events: list[Event] = []
        while True:
            for rank, what, rest in self._post.received():
                event = self._event(rank, what, rest)
                if event is not None:
                    events.append(event)
            with contextlib.suppress(queue.Empty):
                while True:
                    events.append(self._events.get_nowait())
            now = time.monotonic()
            if self._desk is not None and now > self._reported + REPORT_SECONDS:
                self._reported = now
                events.append(Reported(node=0, report=self._desk.node.report()))
            if events or now > deadline:
                return events
            self._post.nap()

    def _event(self, rank: int, what: str, rest: Any) -> Event | None:
        if what == "entries":
            if self._desk is not None:
                self._desk.node.absorb(*rest)
            return None
        if what == "left":
            self._gone.add(rank)
            return None
        if what == "failed":
            raise OutflankError(f"rank {rank}: {rest['why']}")
        if rest.get("era", self._era) != self._era:
            return None  # of a search before this one
        if what == "joined":
            if rest["version"] != __version__:
                raise OutflankError(f"rank {rank} has outflank {rest['version']}, and this is {__version__}")
            return Joined(node=rank, where=rest["where"], workers=rest["workers"])
        if what == "ended":
            return Ended(node=rank, outcome=_outcome(rest["outcome"]))
        return Reported(node=rank, report=NodeReport.named(rest["report"]))

    def _close_desk(self) -> None:
        if self._desk is not None:
            self._desk.close()
            self._desk = None

    def note(self, text: str) -> None:
        self._last_words.note(text)

    def close(self) -> None:
        self._last_words.close()
        self._close_desk()
        for rank in range(1, self._post.size):
            self._post.say(rank, "leave")
        deadline = time.monotonic() + LEAVING_SECONDS
        while len(self._gone) < self._post.size - 1 and time.monotonic() < deadline:
            self.wait(LONGEST_NAP)
        if len(self._gone) < self._post.size - 1:
            self._post.end_all()


def serve(make: Make | None = None, *, lanes: int = 1) -> None:
    """Be a node until the head says that it is over. `make` makes who does errands, where there are any."""
    mpi = require_mpi()
    _Server(Post(mpi, mpi.COMM_WORLD), make, lanes).serve()


class _Server:
    """A rank that is not the head."""

    def __init__(self, post: Post, make: Make | None, lanes: int) -> None:
        self._post, self._make, self._lanes = post, make, lanes
        self._shop: Workshop | None = None
        self._done: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._desk: Desk | None = None
        self._era = 0
        self._over = False

    def serve(self) -> None:
        # The head hears Ctrl-C, and tells the others what follows from it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        reported = 0.0
        while not self._over:
            idle = True
            for _, what, rest in self._post.received():
                idle = False
                try:
                    self._heed(what, rest)
                except OutflankError as error:
                    self._post.say(0, "failed", why=str(error))
            with contextlib.suppress(queue.Empty):
                while True:
                    event = self._events.get_nowait()
                    idle = False
                    if isinstance(event, Ended):
                        self._post.say(0, "ended", era=self._era, outcome=asdict(event.outcome))
            with contextlib.suppress(queue.Empty):
                while True:
                    self._post.say(0, "done", **self._done.get_nowait())
                    idle = False
            if time.monotonic() > reported + REPORT_SECONDS:
                reported = time.monotonic()
                if self._desk is not None:
                    self._report()
                if self._shop is not None:
                    self._post.say(0, "well")
            if idle:
                self._post.nap()
        self._post.say(0, "left")
        self._post.flush(LEAVING_SECONDS)

    def _heed(self, what: str, rest: Any) -> None:
        if what == "prepare":
            self._close_desk()
            setup = heard(rest["setup"])
            self._era, self._post.peers = setup.era, rest["peers"]
            node = Node(setup, self._post.carry, share=self._post.neighbours)
            self._desk = Desk(self._post.rank, node, self._events)
            where = _where(self._post.rank)
            self._post.say(0, "joined", era=self._era, where=where, workers=node.workers, version=__version__)
        elif what == "hire":
            self._open_shop()
        elif what == "leave":
            self._close_desk()
            if self._shop is not None:
                self._shop.close()
            self._over = True
        elif what == "run":
            threading.Thread(target=self._run, args=(rest["ticket"], rest["item"]), daemon=True).start()
        elif what == "cancel":
            if self._shop is not None:
                self._shop.cancel(rest["ticket"])
        elif self._desk is None:
            return
        elif what == "entries":
            self._desk.node.absorb(*rest)
        elif what == "search":
            self._desk.submit(Job(**rest["job"]))
        elif what == "stop":
            self._desk.node.stop(rest["ticket"])
        elif what == "report":
            self._report()

    def _open_shop(self) -> None:
        where = f"rank {self._post.rank} on {whereabouts()}"
        try:
            assert self._make is not None, "nothing that it could do"
            self._shop = Workshop(self._make)
        except Exception as error:  # the head says what follows from it
            self._post.say(0, "refused", why=f"{where}: {error}")
            return
        self._post.say(0, "hired", where=where, lanes=self._lanes, version=__version__)

    def _run(self, ticket: int, item: dict[str, Any]) -> None:
        assert self._shop is not None
        self._done.put({"ticket": ticket, "outcome": self._shop.run(ticket, item)})

    def _report(self) -> None:
        assert self._desk is not None
        self._post.say(0, "reported", era=self._era, report=asdict(self._desk.node.report()))

    def _close_desk(self) -> None:
        if self._desk is not None:
            self._desk.close()
            self._desk = None


def _where(rank: int) -> str:
    return f"{platform.node()}:{os.getpid()}"


def _outcome(words: dict[str, Any]) -> Outcome:
    return Outcome(**{**words, "line": tuple(words["line"]), "counts": tuple(words["counts"])})
