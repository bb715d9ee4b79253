"""The engine on Ray: processes on this machine, or a running cluster of machines."""

from types import MappingProxyType
from typing import ClassVar

from outflank.distributed.engines.contract import Address, ClusterEngine, is_number, nodes_of_this_machine
from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.task_worker import MakeWorker


class RayEngine(ClusterEngine):
    """Engine of the addresses `local:N` and `ray://HOST:PORT`: Ray actors."""

    forms = MappingProxyType(
        {
            "local": ("local:N", "processes on this machine, by Ray"),
            "ray": ("ray://HOST:PORT", "a cluster of machines that is running"),
        }
    )
    extra: ClassVar[str | None] = "ray"
    replaces_nodes: ClassVar[bool] = True
    takes_newcomers: ClassVar[bool] = True
    asks_for_token: ClassVar[bool] = True

    def parse(self, scheme: str, rest: str | None) -> Address | None:
        if scheme == "local":
            return nodes_of_this_machine(scheme, rest)
        if rest is None or not rest.startswith("//"):
            return None
        host, _, port = rest[2:].rpartition(":")
        if not host or not host.isprintable() or set(host) & set(" /@") or not is_number(port, 65535):
            return None
        return Address(scheme=scheme, head=f"{host}:{int(port)}")

    def connect(self, address: Address, workers: int | None) -> Fabric:
        from outflank.distributed.engines.on_ray.ray_connection import detach, enter
        from outflank.distributed.engines.on_ray.ray_search import RayFabric
        from outflank.distributed.engines.on_ray.ray_start import require_ray

        require_ray()
        enter(address, (address.nodes or 1) * (workers or 1))
        try:
            return RayFabric(local_nodes=address.nodes, workers=workers)
        except BaseException as error:
            detach(at_once=not isinstance(error, Exception))
            raise

    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        from outflank.distributed.engines.on_ray.ray_start import require_ray
        from outflank.distributed.engines.on_ray.ray_tasks import RayTasks

        require_ray()
        return RayTasks(address, make, per_node)
