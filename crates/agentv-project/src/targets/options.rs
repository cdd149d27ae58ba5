//! Options for finding and asking targets.

use std::path::Path;

use agentv_core::Target;
use agentv_providers::{Delay, facts};

use crate::options::LimitOptions;
use crate::project::Project;

/// The part of a request that concerns targets.
#[derive(Clone, Copy)]
pub(crate) struct TargetOptions<'a> {
    pub(crate) project: &'a Project,
    /// The file that defines the targets, instead of the nearest `targets.yaml`.
    pub(crate) file: Option<&'a Path>,
    /// The target that judges answers, unless an evaluator names another.
    pub(crate) judge: Option<&'a str>,
    /// Allows several targets to grade their own answers.
    pub(crate) allow_self_judging: bool,
    pub(crate) limits: &'a LimitOptions,
    /// Replaces every target by a mock that takes this long.
    pub(crate) dry_run: Option<Delay>,
}

impl TargetOptions<'_> {
    /// Checks if a target would run a command that the user did not choose. The user trusts a targets file
    /// that the request names.
    pub(super) fn forbid(&self, target: &Target) -> bool {
        let runs_commands = target.provider.runs_commands()
            || facts(&target.kind).is_some_and(|facts| facts.runs_commands);
        self.limits.no_scripts && self.file.is_none() && runs_commands
    }
}
