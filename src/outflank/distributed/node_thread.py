"""A node of a cluster with a thread of its own: what every engine runs where its nodes are."""

import os
import platform
import queue
from collections.abc import Callable

from outflank.distributed.messages import Ended, Job, Left, NodeEvent
from outflank.distributed.node import Node
from outflank.distributed.tasks.worker import in_words
from outflank.kernels.workers import WorkerThread


class NodeThread:
    """A node with a thread that does its jobs, one after the other."""

    def __init__(self, number: int, node: Node, tell: Callable[[NodeEvent], None]) -> None:
        self.number, self.node, self._tell = number, node, tell
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = WorkerThread(target=self._work, name=f"outflank-node-{number}", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Do a job when those before are done; `tell` is told what came of it."""
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                event: NodeEvent = Ended(node=self.number, result=self.node.search(job))
            except Exception as error:  # of an evaluation, say: the head would wait for ever
                event = Left(node=self.number, why=in_words(error))
            self._tell(event)

    def close(self) -> None:
        """Stop what is being done, and end the thread."""
        self._jobs.put(None)
        self.node.close()
        self._thread.join()


def process_here() -> str:
    """The machine, and this process of it."""
    return f"{platform.node()}:{os.getpid()}"
