//! Evaluators that need no one else: they look at what there is and answer at once.

use std::future::ready;
use std::sync::Arc;

use agentv_core::{BoxFuture, Evaluation, Evaluator, EvaluatorError, Subject};

/// What judges an answer without waiting for anything.
pub(crate) trait Check: Send + Sync + 'static {
    /// Judges an answer; an error means that it could not.
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError>;
}

/// The evaluator that a check is.
pub(crate) fn evaluator(check: impl Check) -> Arc<dyn Evaluator> {
    Arc::new(Immediate(check))
}

struct Immediate<C>(C);

impl<C: Check> Evaluator for Immediate<C> {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(ready(self.0.check(subject)))
    }
}
