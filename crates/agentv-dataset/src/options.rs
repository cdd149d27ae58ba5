//! How a library user asks for cases.

use std::path::PathBuf;

use agentv_syntax::Definitions;

/// What to load by.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// The evaluators and providers that may be named: `agentv_evaluators::REGISTRY` and
    /// `agentv_providers::REGISTRY`, or those with kinds of your own.
    pub definitions: Definitions,
    /// Where files are looked for last.
    pub working_dir: PathBuf,
    /// Whether cases may refer to files outside the project root.
    pub allow_outside_root: bool,
    /// Whether a missing sidecar is worth a warning.
    pub verbose: bool,
    /// Whose rules a file is held to.
    pub rules: Rules,
}

/// Whose rules a file is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// Ours: AgentMark rows are taken as they come.
    #[default]
    Agentv,
    /// AgentMark's, to the letter.
    AgentMark,
}

impl LoadOptions {
    /// The usual options, with files looked for in `working_dir` last.
    pub fn new(definitions: Definitions, working_dir: impl Into<PathBuf>) -> LoadOptions {
        LoadOptions {
            definitions,
            working_dir: working_dir.into(),
            allow_outside_root: false,
            verbose: false,
            rules: Rules::default(),
        }
    }
}
