"""The engine whose nodes are processes of this machine."""

from types import MappingProxyType

from outflank.distributed.engines.contract import Address, ClusterEngine, nodes_of_this_machine
from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.task_worker import MakeWorker


class FuturesEngine(ClusterEngine):
    """Engine of the addresses `futures:N`: N processes of this machine."""

    forms = MappingProxyType({"futures": ("futures:N", "processes on this machine")})

    def parse(self, scheme: str, rest: str | None) -> Address | None:
        return nodes_of_this_machine(scheme, rest)

    def connect(self, address: Address, workers: int | None) -> Fabric:
        from outflank.distributed.engines.on_futures.futures_search import FuturesFabric

        return FuturesFabric(address.nodes or 1)

    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        from outflank.distributed.engines.on_futures.futures_tasks import FuturesTasks

        return FuturesTasks(make, nodes=address.nodes or 1, per_node=per_node)
