"""Tasks on the cluster that words name."""

from outflank.distributed.engines import engine_at
from outflank.distributed.tasks import TaskDispatcher
from outflank.distributed.tasks.worker import MakeWorker
from outflank.errors import OutflankError

MOST_PER_NODE = 256


def open_tasks(text: str, make: MakeWorker, *, per_node: int = 1) -> TaskDispatcher:
    """Tasks on the cluster that `text` names, with so many lanes on each node. Nothing is started before `start`."""
    _check(per_node)
    engine, address = engine_at(text)
    return TaskDispatcher(engine.task_carrier(address, make, per_node))


def serve_tasks(text: str, make: MakeWorker, *, per_node: int = 1) -> bool:
    """Whether this process is but a node of the cluster: then it has served, and it is over. The other ranks of MPI."""
    _check(per_node)
    engine, _ = engine_at(text)
    return engine.serve(make, lanes=per_node)


def nodes_here(text: str | None) -> int:
    """How many nodes share this machine, as far as that can be told; without a cluster, one."""
    if text is None:
        return 1
    engine, address = engine_at(text)
    return engine.nodes_here(address)


def _check(per_node: int) -> None:
    if not 1 <= per_node <= MOST_PER_NODE:
        raise OutflankError(f"{per_node} at a time on a node: 1 to {MOST_PER_NODE}")
