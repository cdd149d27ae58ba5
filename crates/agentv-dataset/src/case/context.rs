//! The surroundings of a case.

use std::sync::Arc;

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
    pub(crate) rules: Rules,
}
