"""Tasks on threads of this process."""

import json
import threading

from outflank.distributed.tasks.carrier import NodeAlive, NodeReady, NodeUnfit, TaskAnswered, TaskEvents
from outflank.distributed.tasks.worker import Item, MakeWorker, TaskRunner, in_words, whereabouts


class ThreadTasks:
    """Nodes that are threads of this process: to try things out, and the part of other clusters that is right here."""

    def __init__(self, make: MakeWorker, *, nodes: int = 1, per_node: int = 1) -> None:
        self._make, self._count, self._lanes = make, nodes, per_node
        self._runners: dict[int, TaskRunner] = {}

    @property
    def hopes(self) -> int:
        return len(self._runners)

    def open(self, events: TaskEvents) -> None:
        self._events = events
        for number in range(self._count):
            try:
                self._runners[number] = TaskRunner(self._make)
            except Exception as error:
                events.put(NodeUnfit(number, f"{whereabouts()}: {in_words(error)}"))
            else:
                events.put(NodeReady(number, whereabouts(), self._lanes))

    def run(self, node: int, ticket: int, item: Item) -> None:
        threading.Thread(target=self._run, args=(node, ticket, json.dumps(item)), daemon=True).start()

    def _run(self, node: int, ticket: int, words: str) -> None:
        # Through JSON, as everywhere else: what works here works there.
        outcome = self._runners[node].run(ticket, json.loads(words))
        self._events.put(TaskAnswered(node, ticket, json.loads(json.dumps(outcome))))

    def cancel(self, node: int, ticket: int) -> None:
        self._runners[node].cancel(ticket)

    def look(self) -> None:
        for number in self._runners:
            self._events.put(NodeAlive(number))

    def let_go(self, node: int) -> None:
        self._runners.pop(node).close()

    def close(self) -> None:
        for runner in self._runners.values():
            runner.close()
        self._runners.clear()
