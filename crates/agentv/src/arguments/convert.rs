//! The command line of `agentv convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LoadArguments;

/// Convert an eval file to another format without losing a field
///
/// Moves dataset-level fields between a suite and a sidecar, and rewrites relative file references for
/// the new location. The converted file gives the same cases. The output is written completely or not
/// at all, and the input is never replaced.
///
/// Exit codes: 0 success, 1 the input has problems or fields would be lost, 2 the command line is
/// invalid, 5 the output could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv convert evals/test.yaml --to jsonl -o evals/test2.jsonl
  agentv convert evals/test.jsonl --to yaml -o suites/test.yaml
  agentv convert evals/test.jsonl --to agentmark --lossy -o rows.jsonl")]
pub(crate) struct ConvertArguments {
    /// Eval file to convert
    pub(crate) file: PathBuf,
    /// Format to convert to
    #[arg(long, value_enum)]
    pub(crate) to: FormatName,
    /// Write to FILE
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Drop fields that AgentMark rows do not support
    #[arg(long)]
    pub(crate) lossy: bool,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// A suite
    Yaml,
    /// One case per line, with dataset-level fields in a sidecar
    Jsonl,
    /// AgentMark rows
    Agentmark,
}
