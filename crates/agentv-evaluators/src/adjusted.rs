//! Options that change the result of any evaluator: `negate` and `min_score`.

use std::sync::Arc;

use agentv_core::{
    BoxFuture, Evaluation, Evaluator, EvaluatorError, PassThreshold, Score, Subject, Verdict,
};

use crate::error::BuildError;
use crate::options::Options;
use crate::registry::{MIN_SCORE, NEGATE};

/// Returns an evaluator with these options applied. `negates` is true if it reads `negate` itself.
pub(crate) fn adjusted(
    evaluator: Arc<dyn Evaluator>,
    options: &Options<'_>,
    negates: bool,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    let negate = options.flag(NEGATE, false)? && !negates;
    let least = options.fraction(MIN_SCORE)?.and_then(PassThreshold::new);
    if !negate && least.is_none() {
        return Ok(evaluator);
    }
    Ok(Arc::new(Adjusted {
        evaluator,
        negate,
        least,
    }))
}

struct Adjusted {
    evaluator: Arc<dyn Evaluator>,
    negate: bool,
    /// The lowest score that passes.
    least: Option<PassThreshold>,
}

impl Evaluator for Adjusted {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async {
            let evaluation = self.evaluator.evaluate(subject).await?;
            Ok(self.apply(evaluation, subject.pass_threshold()))
        })
    }
}

impl Adjusted {
    fn apply(&self, mut evaluation: Evaluation, threshold: PassThreshold) -> Evaluation {
        if self.negate {
            evaluation = negated(evaluation, threshold);
        }
        if let Some(least) = self.least.filter(|_| !evaluation.lacks_required) {
            evaluation.verdict = Some(evaluation.score.verdict(least));
        }
        evaluation
    }
}

/// Inverts an evaluation. One that failed for a missing part passes.
fn negated(evaluation: Evaluation, threshold: PassThreshold) -> Evaluation {
    let decided = evaluation.verdict.is_some() || evaluation.lacks_required;
    let verdict = decided.then(|| match evaluation.verdict_at(threshold) {
        Verdict::Pass => Verdict::Fail,
        Verdict::Borderline => Verdict::Borderline,
        Verdict::Fail => Verdict::Pass,
    });
    Evaluation {
        score: Score::clamped(1.0 - evaluation.score.value()).unwrap_or(evaluation.score),
        verdict,
        lacks_required: false,
        hits: evaluation.misses,
        misses: evaluation.hits,
        ..evaluation
    }
}
