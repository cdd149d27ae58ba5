//! Options for loading eval files.

use agentv_dataset::LoadOptions;
use agentv_project::Project;
use clap::Args;

/// Options for loading eval files.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct LoadArguments {
    /// Allow cases to refer to files outside the project root
    #[arg(long)]
    pub(crate) allow_outside_root: bool,
    /// Also report harmless findings, such as a missing sidecar
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl LoadArguments {
    pub(crate) fn options(&self, project: &Project) -> LoadOptions {
        LoadOptions {
            allow_outside_root: self.allow_outside_root,
            verbose: self.verbose,
            ..project.load_options()
        }
    }
}
