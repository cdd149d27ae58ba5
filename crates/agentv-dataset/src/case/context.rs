//! The surroundings of a case.

use std::sync::Arc;

use agentv_core::PassThreshold;
use agentv_syntax::Definitions;

use crate::defaults::Defaults;
use crate::files::FileLibrary;
use crate::guidelines::Guidelines;
use crate::options::Rules;

/// The surroundings of a case that decide what it means.
#[derive(Debug)]
pub(crate) struct Context {
    /// The eval file, as the user named it.
    pub(crate) file: Arc<str>,
    pub(crate) definitions: Definitions,
    pub(crate) files: FileLibrary,
    pub(crate) defaults: Defaults,
    pub(crate) guidelines: Guidelines,
    /// The lowest score that passes, from the command line: it replaces all others.
    pub(crate) given_threshold: Option<PassThreshold>,
    /// The lowest score that passes in the project, if nothing else sets one.
    pub(crate) project_threshold: Option<PassThreshold>,
    pub(crate) rules: Rules,
    /// Is true if a case without an id gets one that is made from its input.
    pub(crate) derives_ids: bool,
    /// True if a case without anything to grade by is asked, and not graded.
    pub(crate) may_be_ungraded: bool,
}
