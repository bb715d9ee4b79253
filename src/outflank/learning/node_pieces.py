"""Pieces of learning on a cluster: the head's request to a node, and the arrays with which the node answers.

A request has everything that its piece depends on, so that nodes need no files. Learnt weights, of up to six megabytes,
are named by their digest, and sent only if the node says that it lacks them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from outflank.distributed.tasks import Item, TaskDispatcher
from outflank.errors import OutflankError
from outflank.learning.pieces import Arrays, Halted, decoded_arrays, encoded_arrays
from outflank.learning.subject import Judge, Subject
from outflank.search.request import Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceRequest:
    """A request for one piece. Its `kind` names the function of `PieceWorker` that makes it."""

    kind: str
    subject: Subject
    judge: Judge | None
    """Evaluation that the piece depends on, if any."""
    arrays: Arrays
    numbers: Mapping[str, int]
    names: Collection[str]
    """Names of the arrays of the answer."""


def ask(tasks: TaskDispatcher, request: PieceRequest, stop: Stop) -> Arrays:
    """Return the piece that a node of the cluster has made for `request`; raise `Halted` if `stop` was called."""
    item = _item(request)
    answer = tasks.do(item, stop=stop)
    if answer is not None and answer.get("lacks_weights") and request.judge is not None:
        answer = tasks.do({**item, "weights": request.judge.encoded_weights}, stop=stop)
    if answer is None or stop.called:
        raise Halted("stopped")
    arrays = decoded_arrays(answer["arrays"])
    if set(arrays) != set(request.names):
        raise OutflankError(f"a node of the cluster sent {', '.join(arrays)} for {', '.join(request.names)}")
    return arrays


def _item(request: PieceRequest) -> Item:
    subject, judge = request.subject, request.judge
    return {
        "kind": request.kind,
        "game": subject.description.name,
        "rules": subject.description.rules_as_json(subject.rules),
        "judge": None if judge is None else {"evaluation": judge.sent_name, "check": judge.check},
        "arrays": encoded_arrays(request.arrays),
        "numbers": dict(request.numbers),
    }
