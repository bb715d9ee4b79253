"""The thread of a cluster node that runs its jobs, for engines that do not provide one."""

import os
import platform
import queue
import threading
from collections.abc import Callable
from functools import partial

from outflank.distributed.node import Node
from outflank.distributed.node_messages import Ended, Job, Left, NodeEvent
from outflank.distributed.tasks.task_worker import error_text
from outflank.kernels.workers import WorkerThread
from outflank.logs import logger

log = logger(__name__)


class NodeThread:
    """A node with a thread that runs its jobs one after the other."""

    def __init__(self, number: int, node: Node, tell: Callable[[NodeEvent], None]) -> None:
        self.number, self.node, self._tell = number, node, tell
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._failed = threading.Event()
        # Not a method: with a reference to this object, the node would keep its table until a garbage collection.
        node.on_failure(partial(_note_failure, number, tell, self._failed))
        self._thread = WorkerThread(target=self._work, name=f"outflank-node-{number}", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Append a job to the thread's queue. When the job ends, `tell` receives an event."""
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                event: NodeEvent = Ended(node=self.number, result=self.node.search(job))
            except Exception as error:  # for example in an evaluation; the head must get an answer
                if self._failed.is_set():
                    continue  # it has the answer
                log.exception("job %d of node %d failed", job.ticket, self.number)
                event = Left(node=self.number, why=error_text(error))
            self._tell(event)

    def close(self) -> None:
        """Stop the current job, and end the thread."""
        self._jobs.put(None)
        self.node.close()
        self._thread.join()


def _note_failure(number: int, tell: Callable[[NodeEvent], None], failed: threading.Event, error: Exception) -> None:
    failed.set()
    tell(Left(node=number, why=error_text(error)))


def process_name() -> str:
    """Return the name of this machine and the id of this process."""
    return f"{platform.node()}:{os.getpid()}"
