"""Tasks on threads of this process."""

import json
import threading

from outflank.distributed.tasks.carrier import NodeAlive, NodeReady, NodeUnfit, TaskAnswered, TaskEvents
from outflank.distributed.tasks.task_worker import Item, MakeWorker, TaskRunner, error_text, process_description


class ThreadTasks:
    """Nodes that are threads of this process: for trials, and as the local node of other clusters."""

    def __init__(self, make: MakeWorker, *, nodes: int = 1, per_node: int = 1) -> None:
        self._make, self._count, self._lanes = make, nodes, per_node
        self._runners: dict[int, TaskRunner] = {}

    @property
    def possible_nodes(self) -> int:
        return len(self._runners)

    def open(self, events: TaskEvents) -> None:
        self._events = events
        for number in range(self._count):
            try:
                self._runners[number] = TaskRunner(self._make)
            except Exception as error:
                events.put(NodeUnfit(number, f"{process_description()}: {error_text(error)}"))
            else:
                events.put(NodeReady(number, process_description(), self._lanes))

    def run(self, node: int, ticket: int, item: Item) -> None:
        threading.Thread(target=self._run, args=(node, ticket, json.dumps(item)), daemon=True).start()

    def _run(self, node: int, ticket: int, item_json: str) -> None:
        # Through JSON, as in every other engine: a task that works here works there.
        outcome = self._runners[node].run(ticket, json.loads(item_json))
        self._events.put(TaskAnswered(node, ticket, json.loads(json.dumps(outcome))))

    def cancel(self, node: int, ticket: int) -> None:
        self._runners[node].cancel(ticket)

    def check_nodes(self) -> None:
        for number in self._runners:
            self._events.put(NodeAlive(number))

    def forget_node(self, node: int) -> None:
        self._runners.pop(node).close()

    def close(self) -> None:
        for runner in self._runners.values():
            runner.close()
        self._runners.clear()
