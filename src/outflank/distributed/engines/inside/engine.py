"""Clusters within this process."""

from typing import ClassVar

from outflank.distributed.engines.contract import Address, ClusterEngine, nodes_of_this_machine
from outflank.distributed.engines.inside.search import InsideFabric
from outflank.distributed.engines.inside.tasks import InsideTasks
from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.worker import MakeWorker


class InsideEngine(ClusterEngine):
    """`inside:N`: so many threads of this process."""

    shares_process: ClassVar[bool] = True

    def parse(self, scheme: str, rest: str | None) -> Address | None:
        return nodes_of_this_machine(scheme, rest)

    def connect(self, address: Address, workers: int | None) -> Fabric:
        return InsideFabric(address.nodes or 1)

    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        return InsideTasks(make, nodes=address.nodes or 1, per_node=per_node)
