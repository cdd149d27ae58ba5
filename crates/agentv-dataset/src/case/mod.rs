//! One written case to one [`EvalCase`](agentv_core::EvalCase), whatever format it was written in.
//!
//! [`read`] checks everything and allocates nothing, so a file of any size can be checked before
//! anything is spent; [`WrittenCase::build`] makes the case.

mod agentmark;
mod build;
mod evaluators;
mod messages;
mod read;

pub(crate) use agentmark::RowPrompt;
pub(crate) use evaluators::{EvaluatorDrafts, check_files, resolved_specs, text_or_file};
pub(crate) use messages::{is_block, is_message};
pub(crate) use read::{Fields, check_depth, read};

use std::sync::Arc;

use agentv_syntax::Definitions;

use crate::defaults::Defaults;
use crate::files::FileLibrary;
use crate::guidelines::Guidelines;
use crate::options::Rules;

/// Everything around a case that decides what it means.
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
