"""Programs that start many processes of one command: what they say in the environment."""

import os

from outflank.distributed.engines import engine_at
from outflank.errors import OutflankError
from outflank.words import is_count

RANKS = {
    "PMI_SIZE": "PMI_RANK",  # MPICH and its descendants; srun with --mpi=pmi2
    "OMPI_COMM_WORLD_SIZE": "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_SIZE": "MV2_COMM_WORLD_RANK",
}
"""Where launchers of MPI say how many ranks there are, and which this one is."""


def refuse_copies(cluster: str | None) -> None:
    """Without `mpi` for a cluster, the ranks of an MPI program would all do the same: one says so, and all end."""
    for size, rank in RANKS.items():
        count = os.environ.get(size, "")
        if is_count(count) and int(count) > 1:
            if cluster is not None and engine_at(cluster)[0].started_by_launcher:
                return
            if os.environ.get(rank, "0") != "0":
                raise SystemExit(2)
            raise OutflankError(f"{count} ranks of MPI would each do the same work: share it with --cluster mpi")
