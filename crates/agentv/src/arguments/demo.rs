//! The command line of `agentv demo`.

use std::path::PathBuf;

use clap::Args;

/// Show what agentv does: a run, a failure, a judge, a comparison and the page, without a network
///
/// Writes a small project, runs the commands that a user would run, and prints their output. Two versions of an
/// assistant answer eight questions; their answers are recorded, and a script plays the judge.
///
/// Exit codes: 0 success, 2 the folder exists or a command failed, 5 a file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv demo                             in a new folder `agentv-demo`
  agentv demo /tmp/tour                   in another folder")]
pub(crate) struct DemoArguments {
    /// A folder that does not exist yet
    #[arg(default_value = "agentv-demo")]
    pub(crate) folder: PathBuf,
}
