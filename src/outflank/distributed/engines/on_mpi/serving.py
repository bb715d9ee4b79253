"""A rank that is not the head: it searches, and does tasks, until the head says that it is over."""

import contextlib
import queue
import signal
import threading
import time
from dataclasses import asdict
from typing import Any

from outflank import __version__
from outflank.distributed.engines.on_mpi.mailbox import LEAVING_SECONDS, REPORT_SECONDS, Mailbox, require_mpi
from outflank.distributed.messages import Ended, Job, NodeEvent
from outflank.distributed.node import Node
from outflank.distributed.node_thread import NodeThread, process_here
from outflank.distributed.setup_json import setup_from_json
from outflank.distributed.tasks.worker import MakeWorker, TaskRunner, whereabouts
from outflank.errors import OutflankError


def serve(make: MakeWorker | None = None, *, lanes: int = 1) -> None:
    """Be a node until the head says that it is over. `make` makes who does tasks, where there are any."""
    mpi = require_mpi()
    _Server(Mailbox(mpi, mpi.COMM_WORLD), make, lanes).serve()


class _Server:
    """A rank that is not the head."""

    def __init__(self, mailbox: Mailbox, make: MakeWorker | None, lanes: int) -> None:
        self._mailbox, self._make, self._lanes = mailbox, make, lanes
        self._runner: TaskRunner | None = None
        self._done: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[NodeEvent] = queue.SimpleQueue()
        self._node_thread: NodeThread | None = None
        self._era = 0
        self._over = False

    def serve(self) -> None:
        # The head hears Ctrl-C, and tells the others what follows from it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        reported = 0.0
        while not self._over:
            idle = True
            for _, what, rest in self._mailbox.receive():
                idle = False
                try:
                    self._heed(what, rest)
                except OutflankError as error:
                    self._mailbox.say(0, "failed", why=str(error))
            with contextlib.suppress(queue.Empty):
                while True:
                    event = self._events.get_nowait()
                    idle = False
                    if isinstance(event, Ended):
                        self._mailbox.say(0, "ended", era=self._era, result=asdict(event.result))
            with contextlib.suppress(queue.Empty):
                while True:
                    self._mailbox.say(0, "done", **self._done.get_nowait())
                    idle = False
            if time.monotonic() > reported + REPORT_SECONDS:
                reported = time.monotonic()
                if self._node_thread is not None:
                    self._report()
                if self._runner is not None:
                    self._mailbox.say(0, "well")
            if idle:
                self._mailbox.nap()
        self._mailbox.say(0, "left")
        self._mailbox.flush(LEAVING_SECONDS)

    def _heed(self, what: str, rest: Any) -> None:
        if what == "prepare":
            self._close_node()
            setup = setup_from_json(rest["setup"])
            self._era, self._mailbox.peers = setup.era, rest["peers"]
            node = Node(setup, self._mailbox.carry, share=self._mailbox.neighbours)
            self._node_thread = NodeThread(self._mailbox.rank, node, self._events.put)
            where = process_here()
            self._mailbox.say(0, "joined", era=self._era, where=where, workers=node.workers, version=__version__)
        elif what == "hire":
            self._open_runner()
        elif what == "leave":
            self._close_node()
            if self._runner is not None:
                self._runner.close()
            self._over = True
        elif what == "run":
            threading.Thread(target=self._run, args=(rest["ticket"], rest["item"]), daemon=True).start()
        elif what == "cancel":
            if self._runner is not None:
                self._runner.cancel(rest["ticket"])
        elif self._node_thread is None:
            return
        elif what == "entries":
            self._node_thread.node.absorb(*rest)
        elif what == "search":
            self._node_thread.submit(Job(**rest["job"]))
        elif what == "stop":
            self._node_thread.node.stop(rest["ticket"])
        elif what == "report":
            self._report()

    def _open_runner(self) -> None:
        where = f"rank {self._mailbox.rank} on {whereabouts()}"
        try:
            assert self._make is not None, "nothing that it could do"
            self._runner = TaskRunner(self._make)
        except Exception as error:  # the head says what follows from it
            self._mailbox.say(0, "refused", why=f"{where}: {error}")
            return
        self._mailbox.say(0, "hired", where=where, lanes=self._lanes, version=__version__)

    def _run(self, ticket: int, item: dict[str, Any]) -> None:
        assert self._runner is not None
        self._done.put({"ticket": ticket, "outcome": self._runner.run(ticket, item)})

    def _report(self) -> None:
        assert self._node_thread is not None
        self._mailbox.say(0, "reported", era=self._era, report=asdict(self._node_thread.node.report()))

    def _close_node(self) -> None:
        if self._node_thread is not None:
            self._node_thread.close()
            self._node_thread = None
