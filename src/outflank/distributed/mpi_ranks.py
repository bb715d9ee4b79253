"""Ranks that an MPI launcher has started, by the environment variables that it sets."""

import os

from outflank.errors import OutflankError
from outflank.validation.text import is_count

RANKS = {
    "PMI_SIZE": "PMI_RANK",  # MPICH and its descendants; srun with --mpi=pmi2
    "OMPI_COMM_WORLD_SIZE": "OMPI_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_SIZE": "MV2_COMM_WORLD_RANK",
}
"""Environment variables of MPI launchers: variable with the number of ranks -> variable with this process's rank."""


def launched_ranks() -> tuple[int, bool]:
    """Return how many ranks an MPI launcher has started, 1 if there is none, and whether this is the first of them."""
    for size_variable, rank_variable in RANKS.items():
        count = os.environ.get(size_variable, "")
        if is_count(count) and int(count) > 1:
            return int(count), os.environ.get(rank_variable, "0") == "0"
    return 1, True


def check_library(size: int, library: str) -> None:
    """Exit if the MPI library sees one rank although a launcher has started several, because the library does not
    belong to the launcher. Rank 0 raises OutflankError; the other ranks exit silently."""
    count, is_first = launched_ranks()
    if size == 1 and count > 1:
        if not is_first:
            raise SystemExit(2)
        raise OutflankError(
            f"the launcher started {count} ranks, of which {library} sees one: use that library's own launcher, or set "
            "MPI4PY_MPIABI to the launcher's kind (mpich or openmpi)"
        )
