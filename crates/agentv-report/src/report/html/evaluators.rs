//! What each evaluator said, over all trials.

use std::collections::BTreeMap;

use agentv_core::{EvaluatorResult, Verdict};
use serde::Serialize;

/// The most evaluators that are told apart.
const MOST: usize = 500;

/// Figures of evaluators, by name and type.
#[derive(Debug, Clone, Default)]
pub(super) struct EvaluatorFold {
    figures: BTreeMap<(String, String), Figures>,
    /// The results of evaluators beyond [`MOST`].
    others: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    scored: u64,
    sum: f64,
    passed: u64,
    borderline: u64,
    failed: u64,
    errors: u64,
    left_out: u64,
}

/// What one evaluator said, over all trials.
#[derive(Debug, Clone, Serialize)]
pub(super) struct EvaluatorFigures {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// How many answers it gave a score.
    scored: u64,
    /// The plain average of its scores.
    mean: Option<f64>,
    passed: u64,
    borderline: u64,
    failed: u64,
    /// How often it could not do its work.
    errors: u64,
    /// How often it was not asked.
    left_out: u64,
}

impl EvaluatorFold {
    /// Takes what one evaluator said of one answer.
    pub(super) fn add(&mut self, result: &EvaluatorResult) {
        let key = (result.name.clone(), result.kind.clone());
        let mut one = Figures::default();
        match (result.score, result.verdict) {
            (Some(score), verdict) => {
                one.scored = 1;
                one.sum = score.value();
                match verdict.unwrap_or(score.verdict()) {
                    Verdict::Pass => one.passed = 1,
                    Verdict::Borderline => one.borderline = 1,
                    Verdict::Fail => one.failed = 1,
                }
            }
            (None, _) if result.left_out.is_some() => one.left_out = 1,
            (None, _) => one.errors = 1,
        }
        self.merge(key, one);
    }

    /// Takes what was collected of other trials. The order of merging is that of the sums.
    pub(super) fn extend(&mut self, other: EvaluatorFold) {
        self.others += other.others;
        for (key, figures) in other.figures {
            self.merge(key, figures);
        }
    }

    fn merge(&mut self, key: (String, String), more: Figures) {
        if self.figures.len() >= MOST && !self.figures.contains_key(&key) {
            self.others += more.scored + more.errors + more.left_out;
            return;
        }
        let figures = self.figures.entry(key).or_default();
        figures.scored += more.scored;
        figures.sum += more.sum;
        figures.passed += more.passed;
        figures.borderline += more.borderline;
        figures.failed += more.failed;
        figures.errors += more.errors;
        figures.left_out += more.left_out;
    }

    /// The figures by name, and how many results are of evaluators that are not among them.
    pub(super) fn finish(self) -> (Vec<EvaluatorFigures>, u64) {
        let figures = self.figures.into_iter().map(|((name, kind), figures)| {
            let mean = (figures.scored > 0).then(|| figures.sum / figures.scored as f64);
            EvaluatorFigures {
                name,
                kind,
                scored: figures.scored,
                mean,
                passed: figures.passed,
                borderline: figures.borderline,
                failed: figures.failed,
                errors: figures.errors,
                left_out: figures.left_out,
            }
        });
        (figures.collect(), self.others)
    }
}
