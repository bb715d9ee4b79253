"""Errands on the cluster that words name."""

import os

from outflank.distributed import raylets
from outflank.distributed.addresses import Address, parse_address
from outflank.distributed.errands.events import Make
from outflank.distributed.errands.office import Errands
from outflank.distributed.launchers import RANKS_HERE
from outflank.errors import OutflankError
from outflank.words import is_count

MOST_PER_NODE = 256


def errands_on(text: str, make: Make, *, per_node: int = 1) -> Errands:
    """Errands on the cluster that `text` names, with so many lanes on each node. Nothing is started before `start`."""
    address = _checked(text, per_node)
    if address.engine == "inside":
        from outflank.distributed.errands.inside import Inside

        return Errands(Inside(make, nodes=address.nodes or 1, per_node=per_node))
    if address.engine == "mpi":
        from outflank.distributed.errands.on_mpi import MpiErrands

        return Errands(MpiErrands(make, per_node))
    raylets.require_ray()
    from outflank.distributed.errands.on_ray import RayErrands

    return Errands(RayErrands(address, make, per_node))


def served(text: str, make: Make, *, per_node: int = 1) -> bool:
    """Whether this process is but a node of the cluster: then it has served, and it is over. The other ranks of MPI."""
    if _checked(text, per_node).engine != "mpi":
        return False
    from outflank.distributed.mpi_post import is_head
    from outflank.distributed.on_mpi import serve

    if is_head():
        return False
    serve(make, lanes=per_node)
    return True


def _checked(text: str, per_node: int) -> Address:
    if not 1 <= per_node <= MOST_PER_NODE:
        raise OutflankError(f"{per_node} at a time on a node: 1 to {MOST_PER_NODE}")
    return parse_address(text)


def nodes_here(text: str | None) -> int:
    """How many nodes share this machine, as far as that can be told; without a cluster, one."""
    address = Address(engine="local", nodes=1) if text is None else parse_address(text)
    if address.engine == "mpi":
        said = [os.environ.get(name, "") for name in RANKS_HERE]
        return max((int(number) for number in said if is_count(number)), default=1)
    return address.nodes or 1
