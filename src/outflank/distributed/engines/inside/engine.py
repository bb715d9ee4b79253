"""Clusters within this process."""

from types import MappingProxyType
from typing import ClassVar

from outflank.distributed.engines.contract import Address, ClusterEngine, nodes_of_this_machine
from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.worker import MakeWorker


class InsideEngine(ClusterEngine):
    """`inside:N`: N threads of this process."""

    forms = MappingProxyType({"inside": ("inside:N", "threads of this process")})
    shares_process: ClassVar[bool] = True

    def parse(self, scheme: str, rest: str | None) -> Address | None:
        return nodes_of_this_machine(scheme, rest)

    def connect(self, address: Address, workers: int | None) -> Fabric:
        from outflank.distributed.engines.inside.search import InsideFabric

        return InsideFabric(address.nodes or 1)

    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        from outflank.distributed.tasks.threads import ThreadTasks

        return ThreadTasks(make, nodes=address.nodes or 1, per_node=per_node)
