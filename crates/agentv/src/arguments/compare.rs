//! The command line of `agentv compare`.

use std::path::PathBuf;

use agentv_report::DropGate;
use agentv_report::compare::ComparisonFormat;
use clap::{Args, ValueEnum};

use super::gates::{GateName, share};

/// Compare two runs, or several, on the cases that they share
///
/// The first run is what the others are held against. Trials are matched by file, case and number, and
/// by target where a run has several. Errored and ungraded trials stand outside of means and rates, and
/// are shown beside. Exit code: 0, 1 when the last run is worse than the first, 2 when the command line or
/// a run is wrong or the runs share no case, 5 when the comparison could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv compare latest~1 latest                       the newest run against the one before
  agentv compare main.jsonl new.jsonl --threshold 0.2  files that were written with --out
  agentv compare RUN latest --gate significant         fail only on more than chance
  agentv compare RUN latest --max-drop 0.02            allow for two points
  agentv compare RUN latest --format markdown          for a comment on a pull request
  agentv compare RUN latest --format json | jq .summary.mean_delta
  agentv compare RUN RUN RUN                           every two of three")]
pub(crate) struct CompareArguments {
    /// Ids of runs, paths of their folders, `latest`, `latest~1`, …, or files of results (.jsonl, .json)
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// How far scores have to differ to count as a win or a loss
    #[arg(long, value_name = "X", default_value = "0.1", value_parser = share)]
    pub(crate) threshold: f64,
    /// Show the N largest losses and the N largest wins
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32))]
    pub(crate) show: u32,
    /// How the comparison is told
    #[arg(long, value_enum, default_value_t = FormatName::Table)]
    pub(crate) format: FormatName,
    /// The file to write, standard output unless given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What counts as worse
    #[arg(long, value_enum, value_name = "RULE", default_value_t = GateName::Mean)]
    pub(crate) gate: GateName,
    /// How much lower the mean score may be
    #[arg(long, value_name = "X", default_value = "0", value_parser = share)]
    pub(crate) max_drop: f64,
}

impl CompareArguments {
    pub(crate) fn drop_gate(&self) -> DropGate {
        DropGate {
            rule: self.gate.into(),
            max_drop: self.max_drop,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// For people, in a terminal
    Table,
    /// For scripts: everything in one object
    Json,
    /// For a comment on a pull request
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
