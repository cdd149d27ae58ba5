//! One file a command.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod grade;
pub(crate) mod init;
pub(crate) mod judge;
pub(crate) mod merge;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod show;
pub(crate) mod targets;
pub(crate) mod trend;
pub(crate) mod validate;

use agentv_dataset::{LoadOptions, Rules};
use agentv_syntax::Definitions;

use crate::arguments::LoadArguments;

/// Everything that may be named in a file.
pub(crate) const DEFINITIONS: Definitions = Definitions {
    evaluators: &agentv_evaluators::REGISTRY,
    targets: &agentv_providers::REGISTRY,
};

fn load_options(arguments: &LoadArguments, rules: Rules) -> LoadOptions {
    // Without a working folder, files are looked for in the project alone.
    let working_dir = std::env::current_dir().and_then(std::fs::canonicalize);
    LoadOptions {
        allow_outside_root: arguments.allow_outside_root,
        verbose: arguments.verbose,
        rules,
        ..LoadOptions::new(DEFINITIONS, working_dir.unwrap_or_default())
    }
}
