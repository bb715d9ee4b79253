"""The interface of cluster engines: how clusters are addressed, and what sends searches and tasks to their nodes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.task_worker import MakeWorker
from outflank.errors import OutflankError

MOST_NODES = 256
"""Greatest number of nodes on one machine: a number beyond the cores of any machine is a typing error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address of a cluster."""

    scheme: str
    """Part before the colon, which selects the engine."""
    nodes: int | None = None
    """Number of nodes on this machine, if the address gives it."""
    head: str | None = None
    """HOST:PORT of the head of a running cluster."""


class ClusterEngine(ABC):
    """A kind of cluster. Nothing is started before `connect`, or before a task carrier is opened."""

    forms: ClassVar[Mapping[str, tuple[str, str]]]
    """Form and meaning of the engine's addresses, by the part before the colon."""
    extra: ClassVar[str | None] = None
    """Extra of outflank that the engine needs: pip install 'outflank[EXTRA]'."""
    replaces_nodes: ClassVar[bool] = False
    """Whether a node that dies loses only work, and is replaced by another."""
    takes_newcomers: ClassVar[bool] = False
    """Whether machines may join while work is under way."""
    asks_for_token: ClassVar[bool] = False
    """Whether access to the cluster requires a secret token."""
    shares_process: ClassVar[bool] = False
    """Whether the nodes are threads of this process."""
    started_by_launcher: ClassVar[bool] = False
    """Whether the nodes are copies of this program that a launcher such as `mpiexec` has started."""

    @abstractmethod
    def parse(self, scheme: str, rest: str | None) -> Address | None:
        """Return the address `scheme:rest`, with `rest` None if there is no colon; None: it is not a valid address."""

    @abstractmethod
    def connect(self, address: Address, workers: int | None) -> Fabric:
        """Return nodes for searches, each with `workers` workers; None: one per core of its share of its machine."""

    @abstractmethod
    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        """Return nodes for tasks, each with a worker created by `make` that runs up to `per_node` tasks at a time."""

    def serve(self, make: MakeWorker | None = None, *, lanes: int = 1) -> bool:
        """If this process is only a node of the cluster, serve until the cluster closes, and return True.

        `make` creates the worker for tasks, if there are any.
        """
        return False

    def nodes_here(self, address: Address) -> int:
        """Return how many nodes share this machine, as far as is known."""
        return address.nodes or 1


def nodes_of_this_machine(scheme: str, rest: str | None) -> Address | None:
    """Return the address `scheme:N` of N nodes on this machine; None: it is not of this form."""
    if rest is None or not (rest.isascii() and rest.isdigit()):
        return None
    if not is_number(rest, MOST_NODES):
        raise OutflankError(f"'{scheme}:{rest}': a cluster on one machine has 1 to {MOST_NODES} nodes")
    return Address(scheme=scheme, nodes=int(rest))


def is_number(text: str, most: int) -> bool:
    """Return whether `text` is a number from 1 to `most`."""
    return text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most
