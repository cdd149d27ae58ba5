//! The command line of `agentv targets`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::ListFormat;
use super::values::duration;

/// List the available targets, or check that they answer
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv targets list                  targets of targets.yaml and built-in ones
  agentv targets check                 call every target of targets.yaml once
  agentv targets check openai:gpt-5    call a built-in target")]
pub(crate) struct TargetsArguments {
    #[command(subcommand)]
    pub(crate) action: TargetsAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TargetsAction {
    List(ListArguments),
    Check(CheckArguments),
}

/// Print the name, provider, model and location of each target
///
/// Looks for the targets file in the working directory and its parents, up to the project root.
///
/// Exit codes: 0 success, 2 the file is invalid.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Targets file (default: the nearest `targets.yaml`)
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

/// Send each target one small question and print the answer time or the error
///
/// For a model, `check` also prints the protocol, the model, the price of its tokens, the tools (including those
/// of its MCP servers), whether the model accepts images, and the time to the first token.
///
/// This sends real requests: a model charges a few tokens for the answer.
///
/// Exit codes: 0 all targets answered, 1 some did not, 2 a name does not exist or the file is
/// invalid.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Targets to check (default: all in the targets file)
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Targets file (default: the nearest `targets.yaml`)
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// Time limit for one answer, such as `90s` or `5m`
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}
