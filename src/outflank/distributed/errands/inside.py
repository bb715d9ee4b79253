"""Errands on threads of this process."""

import json
import threading

from outflank.distributed.errands.events import (
    Answered,
    Events,
    Heard,
    Hired,
    Item,
    Make,
    Refused,
    Workshop,
    in_words,
    whereabouts,
)


class Inside:
    """Nodes that are threads of this process: to try things out, and the part of other clusters that is right here."""

    def __init__(self, make: Make, *, nodes: int = 1, per_node: int = 1) -> None:
        self._make, self._count, self._lanes = make, nodes, per_node
        self._shops: dict[int, Workshop] = {}

    @property
    def hopes(self) -> int:
        return len(self._shops)

    def open(self, events: Events) -> None:
        self._events = events
        for number in range(self._count):
            try:
                self._shops[number] = Workshop(self._make)
            except Exception as error:
                events.put(Refused(number, f"{whereabouts()}: {in_words(error)}"))
            else:
                events.put(Hired(number, whereabouts(), self._lanes))

    def run(self, node: int, ticket: int, item: Item) -> None:
        threading.Thread(target=self._run, args=(node, ticket, json.dumps(item)), daemon=True).start()

    def _run(self, node: int, ticket: int, words: str) -> None:
        # Through JSON, as everywhere else: what works here works there.
        outcome = self._shops[node].run(ticket, json.loads(words))
        self._events.put(Answered(node, ticket, json.loads(json.dumps(outcome))))

    def cancel(self, node: int, ticket: int) -> None:
        self._shops[node].cancel(ticket)

    def look(self) -> None:
        for number in self._shops:
            self._events.put(Heard(number))

    def let_go(self, node: int) -> None:
        self._shops.pop(node).close()

    def close(self) -> None:
        for shop in self._shops.values():
            shop.close()
        self._shops.clear()
