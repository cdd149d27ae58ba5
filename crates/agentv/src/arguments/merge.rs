//! The command line of `agentv merge`.

use std::path::PathBuf;

use agentv_project::MergeOptions;
use clap::Args;

use super::GateArguments;
use super::shared::{OutputArguments, ReportTarget};
use super::values::report;

/// Join the shards of a run into one run
///
/// The merged run has one record per trial; if several runs have a record of the same trial, the latest
/// is used. Missing and overlapping shards are reported. Runs of different files, targets, evaluators or
/// settings are refused, and so are runs with results that are out of date. Merging the same runs again
/// gives the same run.
///
/// Exit codes, the first that applies: 5 the result could not be written; 2 a run is invalid, or the runs
/// are not shards of one run; 3 more errored trials and skipped cases than `--max-errors` allows; 1 a shard
/// or some trials are missing, a gate is not met, or without gates, a graded trial did not pass;
/// 0 otherwise.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv run evals --shard 1/2          on one machine
  agentv run evals --shard 2/2          on another
  agentv merge RUN RUN                  with both folders on one machine
  agentv merge runs/* --min-pass-rate 0.9 --report junit=report.xml")]
pub(crate) struct MergeArguments {
    /// Run ids or run folders
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Merge runs even if their files, targets, evaluators or settings differ
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) gates: GateArguments,
    /// Also write the results to FILE: .jsonl, .yaml, .json or .csv
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Also write a report, such as `html=report.html`, `junit=report.xml` or `markdown=comment.md`
    /// (repeatable)
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report, help_heading = "Output")]
    pub(crate) reports: Vec<ReportTarget>,
    /// Print only errors
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl MergeArguments {
    /// Returns the request, as data.
    pub(crate) fn options(&self) -> MergeOptions {
        MergeOptions {
            runs: self.runs.clone(),
            force: self.force,
            gates: self.gates.options(),
        }
    }

    /// Returns the options for output.
    pub(crate) fn output(&self) -> OutputArguments {
        OutputArguments {
            out: self.out.clone(),
            reports: self.reports.clone(),
            events: None,
            include_trace: false,
            quiet: self.quiet,
        }
    }
}
