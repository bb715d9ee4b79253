"""The interface of cluster engines: their addresses, and how they send searches and tasks to their nodes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.task_worker import MakeWorker
from outflank.errors import OutflankError

MOST_NODES = 256
"""Greatest number of nodes on one machine in an address. A greater number is probably a typing error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The parsed address of a cluster."""

    scheme: str
    """Part of the address before the colon, which selects the engine."""
    nodes: int | None = None
    """Number of nodes on this machine, if the address gives it."""
    head: str | None = None
    """HOST:PORT of the head of a running cluster, if the address gives it."""


class ClusterEngine(ABC):
    """A kind of cluster. Nothing is started before `connect` is called or a task carrier is opened."""

    forms: ClassVar[Mapping[str, tuple[str, str]]]
    """Form and explanation of the engine's addresses, by the part before the colon."""
    extra: ClassVar[str | None] = None
    """Name of the extra with the packages that the engine needs, if any."""
    replaces_nodes: ClassVar[bool] = False
    """Whether the engine replaces a dead node by a new one, so that only the current work of the dead node is lost."""
    takes_newcomers: ClassVar[bool] = False
    """Whether machines can join the cluster while it searches or runs tasks."""
    asks_for_token: ClassVar[bool] = False
    """Whether access to the cluster requires a secret token."""
    shares_process: ClassVar[bool] = False
    """Whether the nodes are threads of this process."""
    started_by_launcher: ClassVar[bool] = False
    """Whether the nodes are copies of this program that a launcher such as `mpiexec` has started."""

    @abstractmethod
    def parse(self, scheme: str, rest: str | None) -> Address | None:
        """Return the parsed address `scheme:rest`, or None if it is invalid. `rest` is None if there is no colon."""

    @abstractmethod
    def connect(self, address: Address, workers: int | None) -> Fabric:
        """Return the cluster's nodes for searches. Each has `workers` workers; None: one per core of the node."""

    @abstractmethod
    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        """Return the cluster's nodes for tasks. Each has a worker from `make`, for up to `per_node` tasks at a time."""

    def serve(self, make: MakeWorker | None = None, *, lanes: int = 1) -> bool:
        """If this process is only a node of the cluster, serve until the cluster closes and return True; else False.

        `make` creates the worker for tasks, and `lanes` is the number of tasks at a time.
        """
        return False

    def nodes_here(self, address: Address) -> int:
        """Return the number of the cluster's nodes on this machine, as far as it is known."""
        return address.nodes or 1


def nodes_of_this_machine(scheme: str, rest: str | None) -> Address | None:
    """Return the address `scheme:N` of N nodes on this machine, or None if `rest` is not a number."""
    if rest is None or not (rest.isascii() and rest.isdigit()):
        return None
    if not is_number(rest, MOST_NODES):
        raise OutflankError(f"'{scheme}:{rest}': a cluster on one machine has 1 to {MOST_NODES} nodes")
    return Address(scheme=scheme, nodes=int(rest))


def is_number(text: str, most: int) -> bool:
    """Return whether `text` is a number from 1 to `most`."""
    return text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most
