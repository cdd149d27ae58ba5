//! The command line of `agentv init`.

use std::path::PathBuf;

use clap::Args;

/// Create a project with a first eval that is ready to run
///
/// Writes `evals/`, `.agentv/targets.yaml` and `.env.example`. Existing files are not changed.
///
/// Exit codes: 0 success, 5 a file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv init && agentv run evals")]
pub(crate) struct InitArguments {
    /// Project folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}
