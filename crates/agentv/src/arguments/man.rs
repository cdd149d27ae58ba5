//! The command line of `agentv man`.

use std::path::PathBuf;

use clap::Args;

/// Print the manual page, or write those of all commands
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv man | man -l -
  agentv man --out ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// Folder for the pages of all commands, created if it is missing
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
