"""The worker on a node of a cluster that makes pieces of learning: groups of games, and values of positions."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from outflank.distributed.tasks import Item
from outflank.errors import OutflankError
from outflank.learning.labelling import shallow_values, solved_values
from outflank.learning.pieces import Arrays, decoded_arrays, encoded_arrays
from outflank.learning.selfplay import Beginnings, Playing, Positions
from outflank.learning.subject import Judge, Subject, digest
from outflank.search.request import Stop

MOST_JUDGES = 2
"""Number of evaluations that a node keeps. When a new evaluation replaces an old one, some pieces still need the old
one."""


class PieceWorker:
    """Task worker that makes pieces of learning on the calling threads; several may call it at once."""

    def __init__(self) -> None:
        self._judges: OrderedDict[tuple[Any, ...], Judge] = OrderedDict()
        self._lock = threading.Lock()

    def do(self, item: Item, stop: Stop) -> Item | None:
        """Make the piece that `item` describes, and return its arrays; None if `stop` was called.

        The answer `lacks_weights` asks for the same item with the weights of its evaluation.
        """
        if stop.called:
            return None
        subject = Subject.read(item["game"], item["rules"])
        judge = None if item["judge"] is None else self._judge(subject, item)
        if judge is None and item["judge"] is not None:
            return {"lacks_weights": True}
        arrays = MAKERS[item["kind"]](subject, judge, decoded_arrays(item["arrays"]), item["numbers"])
        return {"arrays": encoded_arrays(arrays)}

    def close(self) -> None:
        """Do nothing, because no resources are held."""

    def _judge(self, subject: Subject, item: Item) -> Judge | None:
        """Return the evaluation that `item` names; None if its weights are needed but are neither known nor in
        `item`."""
        evaluation, check = item["judge"]["evaluation"], item["judge"]["check"]
        key = (item["game"], tuple(item["rules"].items()), evaluation, check)
        with self._lock:
            judge = self._judges.get(key)
            if judge is None:
                judge = self._new_judge(subject, evaluation, check, item.get("weights"))
                if judge is None:
                    return None
                self._judges[key] = judge
                if len(self._judges) > MOST_JUDGES:
                    self._judges.popitem(last=False)
            self._judges.move_to_end(key)
        return judge

    def _new_judge(self, subject: Subject, evaluation: str | None, check: str | None, text: str | None) -> Judge | None:
        if check is None:
            return Judge(subject, evaluation)
        if text is None:
            return None
        weights = decoded_arrays(text)["weights"]
        if weights.shape != subject.zero_weights().shape or digest(weights) != check:
            raise OutflankError(f"the weights that were sent do not suit {subject.title}")
        return Judge(subject, weights=weights)


def _games(subject: Subject, judge: Judge | None, arrays: Arrays, numbers: dict[str, int]) -> Arrays:
    assert judge is not None
    beginnings = Beginnings(arrays["starts"], arrays["lines"], arrays["first"])
    playing = Playing(
        subject, judge, beginnings, seed=numbers["seed"], depth=numbers["depth"], per_game=numbers["per_game"]
    )
    positions = playing.group(numbers["group"])
    return {name: getattr(positions, name) for name in Positions.__slots__}


def _solved(subject: Subject, judge: Judge | None, arrays: Arrays, numbers: dict[str, int]) -> Arrays:
    return {"values": solved_values(subject.rules, arrays["boards"])}


def _searched(subject: Subject, judge: Judge | None, arrays: Arrays, numbers: dict[str, int]) -> Arrays:
    assert judge is not None
    values = shallow_values(
        subject.rules, judge.evaluation, judge.points, arrays["boards"], numbers["plies"], won=subject.won_points
    )
    return {"values": values}


MAKERS: dict[str, Callable[[Subject, Judge | None, Arrays, dict[str, int]], Arrays]] = {
    "games": _games,
    "solved": _solved,
    "searched": _searched,
}
"""Functions that make pieces, by the `kind` of a `PieceRequest`."""
