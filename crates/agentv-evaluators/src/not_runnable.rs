//! Kinds that are known, and can be validated, but not run by this version.

use std::sync::Arc;

use agentv_core::Evaluator;

use crate::builder::Builder;
use crate::error::BuildError;
use crate::options::Options;

fn refuse(options: &Options<'_>, what: &'static str) -> Result<Arc<dyn Evaluator>, BuildError> {
    Err(BuildError::NotRunnable {
        evaluator: options.evaluator().to_owned(),
        what,
    })
}

pub(crate) fn code_judge(
    options: &Options<'_>,
    _: &Builder,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    refuse(options, "evaluators of type `code_judge`")
}
