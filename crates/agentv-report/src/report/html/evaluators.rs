//! The figures of each evaluator over all trials.

use std::collections::BTreeMap;

use agentv_core::{EvaluatorResult, PassThreshold, Verdict};
use serde::Serialize;

use crate::summary::Moments;

/// The largest number of evaluators that are distinguished.
const MOST: usize = 500;

/// Figures of evaluators, by name and type.
#[derive(Debug, Clone, Default)]
pub(super) struct EvaluatorFold {
    figures: BTreeMap<(String, String), Figures>,
    /// The number of results of evaluators beyond [`MOST`].
    others: u64,
}

#[derive(Debug, Clone, Default)]
struct Figures {
    scored: u64,
    scores: Moments,
    passed: u64,
    borderline: u64,
    failed: u64,
    errors: u64,
    skipped: u64,
}

/// The figures of one evaluator over all trials.
#[derive(Debug, Clone, Serialize)]
pub(super) struct EvaluatorFigures {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    /// The number of answers that it scored.
    scored: u64,
    /// The mean of its scores.
    mean: Option<f64>,
    passed: u64,
    borderline: u64,
    failed: u64,
    /// The number of its errors.
    errors: u64,
    /// The number of times that it was skipped.
    skipped: u64,
}

impl Figures {
    fn join(&mut self, more: &Figures) {
        self.scored += more.scored;
        self.scores.join(&more.scores);
        self.passed += more.passed;
        self.borderline += more.borderline;
        self.failed += more.failed;
        self.errors += more.errors;
        self.skipped += more.skipped;
    }
}

impl EvaluatorFold {
    /// Adds the result of one evaluator for one answer.
    pub(super) fn add(&mut self, result: &EvaluatorResult) {
        let Some(figures) = self.figures_of((result.name.clone(), result.kind.clone())) else {
            self.others += 1;
            return;
        };
        match (result.score, result.verdict) {
            (Some(score), verdict) => {
                figures.scored += 1;
                figures.scores.add(score);
                match verdict.unwrap_or(score.verdict(PassThreshold::default())) {
                    Verdict::Pass => figures.passed += 1,
                    Verdict::Borderline => figures.borderline += 1,
                    Verdict::Fail => figures.failed += 1,
                }
            }
            (None, _) if result.skipped.is_some() => figures.skipped += 1,
            (None, _) => figures.errors += 1,
        }
    }

    /// Adds the figures of other trials.
    pub(super) fn extend(&mut self, other: EvaluatorFold) {
        self.others += other.others;
        for (key, more) in other.figures {
            match self.figures_of(key) {
                Some(figures) => figures.join(&more),
                None => self.others += more.scored + more.errors + more.skipped,
            }
        }
    }

    /// Returns the figures of an evaluator, unless there are too many others.
    fn figures_of(&mut self, key: (String, String)) -> Option<&mut Figures> {
        let is_known = self.figures.len() < MOST || self.figures.contains_key(&key);
        is_known.then(|| self.figures.entry(key).or_default())
    }

    /// Returns the figures by name, and the number of results of evaluators that are not among
    /// them.
    pub(super) fn finish(self) -> (Vec<EvaluatorFigures>, u64) {
        let figures = self
            .figures
            .into_iter()
            .map(|((name, kind), figures)| EvaluatorFigures {
                name,
                kind,
                scored: figures.scored,
                mean: figures.scores.mean(),
                passed: figures.passed,
                borderline: figures.borderline,
                failed: figures.failed,
                errors: figures.errors,
                skipped: figures.skipped,
            });
        (figures.collect(), self.others)
    }
}
