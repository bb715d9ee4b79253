"""Detection of MPI launchers, which start many processes of one command, from the environment variables they set."""

import os

from outflank.errors import OutflankError
from outflank.validation.text import is_count

RANKS = {
    "PMI_SIZE": "PMI_RANK",  # MPICH and its descendants; srun with --mpi=pmi2
    "OMPI_COMM_WORLD_SIZE": "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_SIZE": "MV2_COMM_WORLD_RANK",
}
"""Environment variables of MPI launchers: variable with the number of ranks -> variable with this process's rank."""


def refuse_copies(cluster: str | None) -> None:
    """Exit if this is one of several MPI ranks but the cluster is not `mpi`, because all ranks would do the same work.
    Rank 0 raises OutflankError; the other ranks exit silently."""
    for size_variable, rank_variable in RANKS.items():
        count = os.environ.get(size_variable, "")
        if is_count(count) and int(count) > 1:
            if cluster is not None:
                from outflank.distributed.engines import engine_at

                if engine_at(cluster)[0].started_by_launcher:
                    return
            if os.environ.get(rank_variable, "0") != "0":
                raise SystemExit(2)
            raise OutflankError(f"{count} ranks of MPI would each do the same work: share it with --cluster mpi")
