"""Tasks on a cluster given by its address."""

from outflank.distributed.engines import engine_at
from outflank.distributed.tasks import TaskDispatcher
from outflank.distributed.tasks.worker import MakeWorker
from outflank.errors import OutflankError

MOST_PER_NODE = 256


def open_tasks(text: str, make: MakeWorker, *, per_node: int = 1) -> TaskDispatcher:
    """Return a dispatcher of tasks to the cluster at the address `text`, which runs up to `per_node` tasks at a time on
    each node. Nothing is started before `start`."""
    _check(per_node)
    engine, address = engine_at(text)
    return TaskDispatcher(engine.task_carrier(address, make, per_node))


def serve_tasks(text: str, make: MakeWorker, *, per_node: int = 1) -> bool:
    """Serve tasks if this process is only a node of the cluster (a rank of MPI other than the head), until the cluster
    closes; return whether it was."""
    _check(per_node)
    engine, _ = engine_at(text)
    return engine.serve(make, lanes=per_node)


def nodes_here(text: str | None) -> int:
    """Return how many nodes share this machine, as far as is known; without a cluster, 1."""
    if text is None:
        return 1
    engine, address = engine_at(text)
    return engine.nodes_here(address)


def _check(per_node: int) -> None:
    if not 1 <= per_node <= MOST_PER_NODE:
        raise OutflankError(f"{per_node} at a time on a node: 1 to {MOST_PER_NODE}")
