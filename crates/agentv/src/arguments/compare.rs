//! The command line of `agentv compare`.

use std::path::PathBuf;

use agentv_report::DropGate;
use agentv_report::compare::ComparisonFormat;
use clap::{Args, ValueEnum};

use super::gates::GateName;
use super::values::{share, whole};

/// Compare two or more runs on the cases they share
///
/// The other runs are compared with the first, case by case: the score of a case is the mean of its graded
/// trials, however many there are. Cases match by file and id (if a file was renamed, by dataset and id),
/// and by target if a run has several. Cases that only one run has, or that only one run graded, are listed.
///
/// Exit codes: 0 success, 1 the last run is worse than the first (or `--max-missing` is not met), 2 the
/// command line or a run is invalid or the runs share no case, 5 the comparison could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv compare latest~1 latest                the newest two runs
  agentv compare main.jsonl new.jsonl           files written with --out
  agentv compare RUN latest --threshold 0.2     ignore smaller differences
  agentv compare RUN latest --gate mean         fail on any drop
  agentv compare RUN latest --max-drop 0.02     allow a small drop
  agentv compare RUN latest --format markdown   for a pull request comment
  agentv compare RUN latest --format json | jq .summary.mean_delta
  agentv compare RUN RUN RUN                    every pair of three runs")]
pub(crate) struct CompareArguments {
    /// Run ids, run folders, `latest`, `latest~1`, … or result files (.jsonl, .json)
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Score difference that counts as a win or a loss
    #[arg(long, value_name = "X", default_value = "0.1", value_parser = share)]
    pub(crate) threshold: f64,
    /// Show the N largest losses and the N largest wins
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32))]
    pub(crate) show: u32,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatName::Table)]
    pub(crate) format: FormatName,
    /// Write to FILE (default: standard output)
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Rule by which a run counts as worse
    #[arg(long, value_enum, value_name = "RULE", default_value_t = GateName::Significant)]
    pub(crate) gate: GateName,
    /// Allowed drop in the mean score
    #[arg(long, value_name = "X", default_value = "0", value_parser = share)]
    pub(crate) max_drop: f64,
    /// Exit with 1 if more than N cases that the first run graded have no grade in the last
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) max_missing: Option<u64>,
}

impl CompareArguments {
    pub(crate) fn drop_gate(&self) -> DropGate {
        DropGate {
            rule: self.gate.into(),
            max_drop: self.max_drop,
            max_missing: self.max_missing,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// A table for the terminal
    Table,
    /// One JSON object with all figures, for scripts
    Json,
    /// Markdown for a pull request comment
    Markdown,
}

impl From<FormatName> for ComparisonFormat {
    fn from(name: FormatName) -> ComparisonFormat {
        match name {
            FormatName::Table => ComparisonFormat::Table,
            FormatName::Json => ComparisonFormat::Json,
            FormatName::Markdown => ComparisonFormat::Markdown,
        }
    }
}
