//! The command line of `agentv merge`.

use clap::Args;

/// Join the shards of a run into one run
///
/// The merged run has one record per trial. If several runs have a record of the same trial, the latest
/// one is used. Merging the same runs again gives the same run.
///
/// Exit codes: 0 success, 1 a shard or some trials are missing, 2 a run is invalid, 5 the result could
/// not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv run evals --shard 1/2          on one machine
  agentv run evals --shard 2/2          on another
  agentv merge RUN RUN                  with both folders on one machine")]
pub(crate) struct MergeArguments {
    /// Run ids or run folders
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub(crate) runs: Vec<String>,
}
