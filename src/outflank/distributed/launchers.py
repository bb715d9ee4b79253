"""Refusal of commands that all ranks of an MPI program would repeat."""

from outflank.distributed.mpi_ranks import launched_ranks
from outflank.errors import OutflankError


def refuse_copies(cluster: str | None) -> None:
    """Exit if this is one of several MPI ranks but the cluster is not `mpi`, because all ranks would do the same work.
    Rank 0 raises OutflankError; the other ranks exit silently."""
    count, is_first = launched_ranks()
    if count == 1:
        return
    if cluster is not None:
        from outflank.distributed.engines import engine_at

        if engine_at(cluster)[0].started_by_launcher:
            return
    if not is_first:
        raise SystemExit(2)
    raise OutflankError(f"{count} ranks of MPI would each do the same work: share it with --cluster mpi")
