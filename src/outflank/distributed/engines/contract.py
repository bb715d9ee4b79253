"""What an engine of a cluster is: how its clusters are named, and what carries searches and tasks to their nodes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.worker import MakeWorker
from outflank.errors import OutflankError

MOST_NODES = 256
"""On one machine: more than any has cores is a slip of the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Which cluster is meant."""

    scheme: str
    """What stands before the colon: it names the engine."""
    nodes: int | None = None
    """How many nodes there are on this machine, where the address says so."""
    head: str | None = None
    """HOST:PORT of the head of a running cluster."""


class ClusterEngine(ABC):
    """A way to reach nodes. Nothing is started before `connect`, or before a carrier of tasks is opened."""

    forms: ClassVar[Mapping[str, tuple[str, str]]]
    """How its addresses are written and what they mean, by what stands before the colon."""
    extra: ClassVar[str | None] = None
    """What of outflank must be installed for it: pip install 'outflank[EXTRA]'."""
    replaces_nodes: ClassVar[bool] = False
    """Whether a node that dies loses only work, and another takes its place."""
    takes_newcomers: ClassVar[bool] = False
    """Whether machines may join while work is under way."""
    asks_for_token: ClassVar[bool] = False
    """Whether others are kept out by a secret."""
    shares_process: ClassVar[bool] = False
    """Whether its nodes are threads of this process."""
    started_by_launcher: ClassVar[bool] = False
    """Whether its nodes are the copies of this program that a launcher such as `mpiexec` has started."""

    @abstractmethod
    def parse(self, scheme: str, rest: str | None) -> Address | None:
        """The cluster that `scheme:rest` names, `rest` None where there is no colon; None: it names none."""

    @abstractmethod
    def connect(self, address: Address, workers: int | None) -> Fabric:
        """Nodes for searches, each with so many workers; None: with its share of its machine's cores."""

    @abstractmethod
    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        """Nodes for tasks, each with a worker that `make` makes, which does so many at a time."""

    def serve(self, make: MakeWorker | None = None, *, lanes: int = 1) -> bool:
        """Where this process is but a node of the cluster: be that until it is over, and return True.

        `make` makes who does tasks there, where there are any.
        """
        return False

    def nodes_here(self, address: Address) -> int:
        """How many nodes share this machine, as far as that can be told."""
        return address.nodes or 1


def nodes_of_this_machine(scheme: str, rest: str | None) -> Address | None:
    """The address `scheme:N`: so many nodes on this machine."""
    if rest is None or not (rest.isascii() and rest.isdigit()):
        return None
    if not is_number(rest, MOST_NODES):
        raise OutflankError(f"'{scheme}:{rest}': a cluster on one machine has 1 to {MOST_NODES} nodes")
    return Address(scheme=scheme, nodes=int(rest))


def is_number(text: str, most: int) -> bool:
    """Whether words are a number from 1 to `most`."""
    return text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most
