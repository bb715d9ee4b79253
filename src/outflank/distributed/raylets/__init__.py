"""Ray's own processes: a private instance for one machine, a way into a running cluster, clusters of several machines.

Whoever may talk to Ray runs programs as its user. So nothing here starts or enters a cluster that does not ask for a
token, and what serves one machine listens on its loopback interface only. Ray 2.60 by itself does otherwise; every
departure from it is in `taming`.
"""

from outflank.distributed.raylets.asking import ClusterNode
from outflank.distributed.raylets.connection import attach, detach, enter_local, head_alive, start_local
from outflank.distributed.raylets.membership import ClusterStatus, Member, down, join, members, status, up
from outflank.distributed.raylets.taming import LOOPBACK, PORT, require_ray

__all__ = [
    "LOOPBACK",
    "PORT",
    "ClusterNode",
    "ClusterStatus",
    "Member",
    "attach",
    "detach",
    "down",
    "enter_local",
    "head_alive",
    "join",
    "members",
    "require_ray",
    "start_local",
    "status",
    "up",
]
