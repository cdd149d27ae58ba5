//! The command line of `agentv show`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LoadArguments;

/// Print the resolved cases of an eval file, or the results of a run
///
/// Prints one JSON object per line, in file order, and reports invalid cases on standard error. For a
/// run, prints its results. For a case of a run, prints its trials for people: the conversation with tool
/// calls, the changed files, and the grades.
///
/// Exit codes: 0 success, 2 the file is invalid or the id does not exist.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv show evals/test.jsonl                      all cases
  agentv show evals/test.jsonl greeting             one case
  agentv show evals/test.yaml --format yaml         as YAML, easier to read
  agentv show evals/test.jsonl | jq -r .id          the ids
  agentv show latest                                the results of the last run
  agentv show latest greeting                       the trials of one case
  agentv show latest greeting --trial 2             one of them
  agentv show latest greeting --format yaml         all fields of their results")]
pub(crate) struct ShowArguments {
    /// Eval file; or a run: its id, its folder, `latest`, `latest~1`, …
    pub(crate) file: PathBuf,
    /// Only print the case with this id
    pub(crate) id: Option<String>,
    /// For a run: only print this trial of each case, from 1
    #[arg(long, value_name = "N")]
    pub(crate) trial: Option<u32>,
    /// For a run: only print the results of this target
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Output format (default: `text` for a case of a run, else `json`)
    #[arg(long, value_enum)]
    pub(crate) format: Option<CaseFormat>,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaseFormat {
    /// One JSON object per line
    Json,
    /// YAML documents
    Yaml,
    /// For people: turns, tool calls, changed files and grades of a run's trials
    Text,
}
