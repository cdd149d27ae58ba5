//! The evaluator that measures how similar an answer is to a text.

use std::borrow::Cow;
use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject};
use serde_json::json;

use super::metric::Metric;
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::{BuildError, could_not_judge};
use crate::options::Options;
use crate::words::figure;

pub(super) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    options.required("metric")?;
    let metric = options.one_of("metric", &Metric::NAMES)?;
    Ok(evaluator(Similarity {
        metric: metric.unwrap_or(Metric::Levenshtein),
        value: options.text("value")?.map(str::to_owned),
        threshold: options.fraction("threshold")?,
    }))
}

struct Similarity {
    metric: Metric,
    /// The text to compare with (default: the reference answer of the case).
    value: Option<String>,
    threshold: Option<f64>,
}

impl Check for Similarity {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let reference = match &self.value {
            Some(value) => Cow::Borrowed(value.as_str()),
            None => Cow::Owned(subject.reference_answer().ok_or_else(no_reference)?),
        };
        let similarity = self.metric.similarity(subject.answer, &reference);
        let similarity = similarity.map_err(could_not_judge)?;
        // Rounding errors may leave it slightly out of range.
        let score = Score::clamped(similarity).unwrap_or(Score::ZERO);
        let mut evaluation = self.judge(score);
        evaluation.details = Some(json!({
            "metric": self.metric.name(),
            "similarity": score.value(),
        }));
        Ok(evaluation)
    }
}

impl Similarity {
    fn judge(&self, similarity: Score) -> Evaluation {
        let (metric, value) = (self.metric.name(), figure(similarity.value()));
        let Some(threshold) = self.threshold else {
            return Evaluation {
                reasoning: Some(format!("{metric} similarity {value}")),
                ..Evaluation::of(similarity)
            };
        };
        let is_near = similarity.value() >= threshold;
        let threshold = figure(threshold);
        Evaluation::check(
            is_near,
            if is_near {
                format!("{metric} similarity {value}, at least {threshold}")
            } else {
                format!("{metric} similarity {value}, less than {threshold}")
            },
        )
    }
}

fn no_reference() -> EvaluatorError {
    EvaluatorError::new(
        "nothing to compare with: give the evaluator a `value` or the case an expected answer",
    )
}
