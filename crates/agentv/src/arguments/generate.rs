//! The command line of `agentv generate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::LoadArguments;

/// Let a target draft checklists or cases
#[derive(Debug, Args)]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    pub(crate) action: GenerateAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GenerateAction {
    Rubrics(GenerateRubricsArguments),
    Cases(GenerateCasesArguments),
}

/// Draft a checklist for each case, from its expected outcome
///
/// Cases that have `rubrics` or no `expected_outcome` stay as they are. Comments and layout of the file are kept.
/// Without `--write` or `--out`, the difference is printed and nothing is written.
///
/// Exit codes: 0 success, 1 the file has problems, 2 the command line or the target is invalid, 3 the target gave
/// no usable answer, 5 the file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv generate rubrics evals/support.yaml --target openai:gpt-5
  agentv generate rubrics evals/support.yaml --target openai:gpt-5 --write")]
pub(crate) struct GenerateRubricsArguments {
    /// Suite or JSONL file
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) author: AuthorArguments,
    /// Change the file itself
    #[arg(long, conflicts_with_all = ["output", "dry_run"])]
    pub(crate) write: bool,
    /// Write to FILE, which must not exist
    #[arg(short, long = "out", value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) output: Option<PathBuf>,
    /// Print the difference and write nothing (the default)
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

/// Draft cases from documents
///
/// Exit codes: 0 success, 2 the command line, a document or the target is invalid, 3 the target gave no usable
/// answer, 5 the file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv generate cases --from a.md -n 5 --target openai:gpt-5 --dry-run
  agentv generate cases --from docs/*.md -n 20 --target model -o docs.yaml")]
pub(crate) struct GenerateCasesArguments {
    /// Documents that the cases are about
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pub(crate) from: Vec<PathBuf>,
    /// Number of cases
    #[arg(short = 'n', long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) count: u32,
    #[command(flatten)]
    pub(crate) author: AuthorArguments,
    /// Write to FILE, which must not exist
    #[arg(
        short,
        long = "out",
        value_name = "FILE",
        required_unless_present = "dry_run"
    )]
    pub(crate) output: Option<PathBuf>,
    /// Print the suite and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The target that writes drafts.
#[derive(Debug, Args)]
pub(crate) struct AuthorArguments {
    /// Target that writes the draft (default: `default`)
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Targets file
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
}
