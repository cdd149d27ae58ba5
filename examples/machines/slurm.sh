#!/bin/sh
# Runs the evals as a Slurm job array, then joins the shards:
#
#   job=$(sbatch --parsable --array=1-8 slurm.sh)
#   sbatch --dependency=afterany:"$job" --wrap "sh slurm.sh merge"
#
# The folder must be on a file system that all nodes share.
#SBATCH --job-name=agentv
#SBATCH --output=agentv-%A_%a.log
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00

set -eu
if [ "${1:-}" = merge ]; then
  # shellcheck disable=SC2046
  exec agentv merge $(ls -d .agentv/results/*/) --report html=report.html --min-pass-rate 0.9
fi
exec agentv run evals --shard auto --budget 40
