//! The command lines of `agentv runs` and `agentv trend`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use globset::Glob;

use super::ListFormat;
use super::shared::from_one;

/// List the runs of the project, newest first
///
/// A run is named by its id in other commands, and so is the newest by `latest`. `trials` says how many
/// ended, of how many where some are missing. Exit code: 0, or 2 when there is no run or the command
/// line is wrong.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv runs                          the newest 20
  agentv runs --limit 3
  agentv runs --format json | jq -r 'select(.pass_rate < 0.9) | .id'")]
pub(crate) struct RunsArguments {
    /// The most runs that are listed
    #[arg(long, value_name = "N", default_value = "20", value_parser = from_one::<usize>)]
    pub(crate) limit: usize,
    /// How runs are told
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

/// Show how pass rate and mean score went from run to run
///
/// Compares what can be compared: the runs of the same eval files and of the same choice of their cases
/// as the newest one. What is left out is counted on standard error. Exit code: 0, 2 when there is no
/// run or the command line is wrong, 5 when the file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv trend                                 runs like the newest, oldest first
  agentv trend --target gpt --eval-file 'evals/support*'
  agentv trend -o trend.html                   a page with a chart
  agentv trend --format json | jq .pass_rate")]
pub(crate) struct TrendArguments {
    /// Only the results of these eval files (may be repeated)
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) eval_file: Vec<Glob>,
    /// Only the results of these targets (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Vec<String>,
    /// The most runs that are shown, the newest
    #[arg(long, value_name = "N", default_value = "30", value_parser = from_one::<usize>)]
    pub(crate) limit: usize,
    /// All runs, whatever they ran
    #[arg(long)]
    pub(crate) all: bool,
    /// How it is shown; as the file's extension says, else as text, unless given
    #[arg(long, value_enum)]
    pub(crate) format: Option<TrendFormat>,
    /// The file to write, standard output unless given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrendFormat {
    /// For people: a table and a plot
    Text,
    /// For scripts: one JSON object a run and line
    Json,
    /// For people: one page with a chart, without scripts
    Html,
}

fn glob(text: &str) -> Result<Glob, String> {
    Glob::new(text).map_err(|error| error.kind().to_string())
}
