#!/bin/bash
# A Slurm job on four machines, one rank for every 4 cores:  sbatch several_machines.sh data.csv result
# Without Slurm it runs on this machine, with RANKS processes [2].
#SBATCH --job-name=projfgd
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@120
set -u
data=$1 result=$2

# The time limit of Slurm ends the run two minutes before it ends the job: the best state so far is
# written, and the same script goes on from there when it is submitted again.
resume=()
[ -e "$result/checkpoint" ] && resume=(--resume)

if [ -n "${SLURM_JOB_ID:-}" ]; then
  launch=(srun --mpi=pmix --kill-on-bad-exit=1)
else
  launch=(mpirun -n "${RANKS:-2}" --oversubscribe)
fi
exec "${launch[@]}" projfgd-mpi tomography "$data" --rank 1 --out "$result" "${resume[@]}"
