"""The engine on MPI. All ranks run the same program: rank 0 is the head, and the others serve it until it closes."""

import os
from types import MappingProxyType
from typing import ClassVar

from outflank.distributed.engines.contract import Address, ClusterEngine
from outflank.distributed.fabric import Fabric
from outflank.distributed.tasks.carrier import TaskCarrier
from outflank.distributed.tasks.task_worker import MakeWorker
from outflank.validation.text import is_count

RANKS_HERE = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")
"""Environment variables in which MPICH's and Open MPI's launchers give the number of ranks on this machine."""


class MpiEngine(ClusterEngine):
    """Engine of the address `mpi`: the ranks of this program."""

    forms = MappingProxyType({"mpi": ("mpi", "the ranks of this program")})
    extra: ClassVar[str | None] = "mpi"
    started_by_launcher: ClassVar[bool] = True

    def parse(self, scheme: str, rest: str | None) -> Address | None:
        return Address(scheme=scheme) if rest is None else None

    def connect(self, address: Address, workers: int | None) -> Fabric:
        from outflank.distributed.engines.on_mpi.mpi_search import MpiFabric

        return MpiFabric()

    def task_carrier(self, address: Address, make: MakeWorker, per_node: int) -> TaskCarrier:
        from outflank.distributed.engines.on_mpi.mpi_tasks import MpiTasks

        return MpiTasks(make, per_node)

    def serve(self, make: MakeWorker | None = None, *, lanes: int = 1) -> bool:
        from outflank.distributed.engines.on_mpi.mailbox import is_head

        if is_head():
            return False
        from outflank.distributed.engines.on_mpi.serving_rank import serve

        serve(make, lanes=lanes)
        return True

    def nodes_here(self, address: Address) -> int:
        counts = [os.environ.get(name, "") for name in RANKS_HERE]
        return max((int(count) for count in counts if is_count(count)), default=1)
