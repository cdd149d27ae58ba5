//! The evaluator that measures how similar an answer is to a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject};
use serde_json::json;

use super::levenshtein;
use super::metric::Metric;
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::{BuildError, could_not_judge};
use crate::options::Options;
use crate::wanted::WantedText;
use crate::words::figure;

pub(super) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    options.required("metric")?;
    let metric = options.one_of("metric", &Metric::NAMES)?;
    Ok(evaluator(Similarity {
        metric: metric.unwrap_or(Metric::Levenshtein),
        value: WantedText::read(options)?,
        threshold: options.fraction("threshold")?,
        max_distance: options.amount("max_distance")?,
    }))
}

struct Similarity {
    metric: Metric,
    value: WantedText,
    threshold: Option<f64>,
    /// The most letters that may differ.
    max_distance: Option<f64>,
}

impl Check for Similarity {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let reference = self.value.of(subject)?;
        if let Some(most) = self.max_distance {
            return near(subject.answer, &reference, most);
        }
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

/// Checks that at most this many letters differ.
fn near(answer: &str, reference: &str, most: f64) -> Result<Evaluation, EvaluatorError> {
    let distance = levenshtein::distance(answer, reference).map_err(could_not_judge)?;
    let is_near = distance as f64 <= most;
    let compared = if is_near { "at most" } else { "more than" };
    let said = format!(
        "levenshtein distance {distance}, {compared} {}",
        figure(most)
    );
    let mut evaluation = Evaluation::check(is_near, said);
    evaluation.details = Some(json!({"metric": "levenshtein", "distance": distance}));
    Ok(evaluation)
}
