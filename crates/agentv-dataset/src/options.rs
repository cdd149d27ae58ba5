//! Options for loading cases.

use std::path::PathBuf;

use agentv_core::PassThreshold;
use agentv_syntax::Definitions;

use crate::dialect::Variables;
use crate::unsaved::UnsavedTexts;

/// Options for loading cases.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// The evaluators and providers that may be named: `agentv_evaluators::REGISTRY` and
    /// `agentv_providers::REGISTRY`, or those with kinds of your own.
    pub definitions: Definitions,
    /// The folder that is searched last for files.
    pub working_dir: PathBuf,
    /// Allows cases to refer to files outside the project root.
    pub allow_outside_root: bool,
    /// Warns of a missing sidecar.
    pub verbose: bool,
    /// The lowest score that passes, in place of any that files set.
    pub pass_threshold: Option<PassThreshold>,
    /// The rules that a file must follow.
    pub rules: Rules,
    /// The environment variables that suites of other dialects may use.
    pub variables: Variables,
    /// The texts that an editor holds, in place of the files on disk.
    pub unsaved: UnsavedTexts,
}

/// The rules that a file must follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// Our own: AgentMark rows are accepted as they are.
    #[default]
    Agentv,
    /// AgentMark's, to the letter.
    AgentMark,
}

impl LoadOptions {
    /// Returns the default options; files are searched for in `working_dir` last.
    pub fn new(definitions: Definitions, working_dir: impl Into<PathBuf>) -> LoadOptions {
        LoadOptions {
            definitions,
            working_dir: working_dir.into(),
            allow_outside_root: false,
            verbose: false,
            pass_threshold: None,
            rules: Rules::default(),
            variables: Variables::default(),
            unsaved: UnsavedTexts::default(),
        }
    }
}
