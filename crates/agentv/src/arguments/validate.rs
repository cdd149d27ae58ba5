//! The command line of `agentv validate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LoadArguments;

/// Check eval files, sidecars, targets and settings, and report every problem
///
/// Checks every line, every case and every file that a case refers to. Skips `node_modules`, the results
/// of earlier runs, and hidden folders other than `.agentv`. Runs nothing and writes nothing.
///
/// Exit codes: 0 no problems or only warnings, 1 problems found, 2 the command line is invalid.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv validate evals/test.jsonl        one file with its sidecar
  agentv validate evals                   every eval file in a folder
  agentv validate 'evals/**/*.jsonl'      a glob
  agentv validate --format github .       annotations for a pull request
  agentv validate --as agentmark rows.jsonl")]
pub(crate) struct ValidateArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Check the files strictly against the rules of another tool
    #[arg(long = "as", value_enum, value_name = "RULES")]
    pub(crate) rules: Option<RulesName>,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Each problem with its source line, for people
    Text,
    /// One JSON object per line, for editors and scripts
    Json,
    /// Workflow annotations for GitHub
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesName {
    /// One `{"input": {"userMessage": …}, "expected_output": …}` per line
    Agentmark,
}
