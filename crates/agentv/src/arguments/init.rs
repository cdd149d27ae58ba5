//! The command line of `agentv init`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Create a project with a first eval that is ready to run
///
/// Writes `evals/`, `.agentv/targets.yaml` and `.env.example`. Existing files are not changed. Every template runs
/// at once: its targets are mocks or a script, until you name your own in `.agentv/targets.yaml`.
///
/// Exit codes: 0 success, 5 a file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv init && agentv run evals
  agentv init --template agent shop && cd shop && agentv run evals")]
pub(crate) struct InitArguments {
    /// Project folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// The kind of project
    #[arg(long, value_enum, default_value_t = TemplateName::First)]
    pub(crate) template: TemplateName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateName {
    /// Two questions and the evaluators that grade the answers
    First,
    /// A chat assistant: conversations, and a judge
    Chat,
    /// An agent that changes files in a workspace
    Agent,
    /// Questions about documents: JSON Lines with a sidecar, and a judge
    Rag,
    /// A few quick evals, and a workflow for GitHub that runs them as a gate
    Ci,
}
