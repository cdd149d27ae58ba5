//! Evaluators that judge at once, without waiting for anything.

use std::future::ready;
use std::sync::Arc;

use agentv_core::{BoxFuture, Evaluation, Evaluator, EvaluatorError, Subject};

/// An evaluator that judges without waiting for anything.
pub(crate) trait Check: Send + Sync + 'static {
    /// Judges an answer, or returns an error if it cannot.
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError>;
}

/// Turns a check into an evaluator.
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
