//! The command lines of `agentv runs` and `agentv trend`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use globset::Glob;

use super::values::{from_one, glob, tag};
use super::{ListFormat, PruneArguments};

/// List the runs of the project, newest first
///
/// Other commands accept the id of a run, or `latest` for the newest. A run with several targets has a
/// line for each. The `trials` column shows how many
/// trials finished, and how many were planned if some are missing.
///
/// Exit codes: 0 success, 2 there is no run or the command line is invalid.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  agentv runs                          the newest 20
  agentv runs --limit 3
  agentv runs --tag nightly            those of `agentv run … --tag nightly`
  agentv runs prune --older-than 30d   remove old runs
  agentv runs --format json | jq -r 'select(.pass_rate < 0.9) | .id'"
)]
pub(crate) struct RunsArguments {
    /// Only list runs with this tag (repeatable: with all of them)
    #[arg(long = "tag", value_name = "NAME", value_parser = tag)]
    pub(crate) tags: Vec<String>,
    /// List at most N runs
    #[arg(long, value_name = "N", default_value = "20", value_parser = from_one::<usize>)]
    pub(crate) limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    #[command(subcommand)]
    pub(crate) action: Option<RunsAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsAction {
    Prune(PruneArguments),
}

/// Show how pass rate and mean score changed from run to run
///
/// Shows only comparable runs: those with the same eval files and the same selection of cases as the
/// newest run. Reports the number of omitted runs on standard error.
///
/// Exit codes: 0 success, 2 there is no run or the command line is invalid, 5 the file could not be
/// written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv trend                                 runs comparable to the newest
  agentv trend --target gpt --eval-file 'evals/support*'
  agentv trend -o trend.html                   a page with a chart
  agentv trend --format json | jq .pass_rate")]
pub(crate) struct TrendArguments {
    /// Only include results of eval files that match GLOB (repeatable)
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) eval_file: Vec<Glob>,
    /// Only include results of this target (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Vec<String>,
    /// Only include runs with this tag (repeatable: with all of them)
    #[arg(long = "tag", value_name = "NAME", value_parser = tag)]
    pub(crate) tags: Vec<String>,
    /// Show at most the newest N runs
    #[arg(long, value_name = "N", default_value = "30", value_parser = from_one::<usize>)]
    pub(crate) limit: usize,
    /// Show all runs, comparable or not
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format (default: from the extension of `--out`, or text)
    #[arg(long, value_enum)]
    pub(crate) format: Option<TrendFormat>,
    /// Write to FILE (default: standard output)
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrendFormat {
    /// A table and a plot for the terminal
    Text,
    /// One JSON object per line for each run, for scripts
    Json,
    /// A page with a chart, for the browser
    Html,
}
