#!/bin/bash
# One search on eight machines with SLURM: sbatch slurm.sh "f5d6c3d3c4" 24
# mpi4py has to be built with the cluster's MPI: pip install --no-binary mpi4py mpi4py
#SBATCH --job-name=outflank
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=01:00:00
#SBATCH --output=outflank-%j.out
set -euo pipefail
position=${1:?a position, such as f5d6c3d3c4}
depth=${2:-24}
srun --mpi=pmi2 outflank search "$position" --depth "$depth" --cluster mpi --workers "$SLURM_CPUS_PER_TASK" \
    --json >"outflank-$SLURM_JOB_ID.jsonl"
