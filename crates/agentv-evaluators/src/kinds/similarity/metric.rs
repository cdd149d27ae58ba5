//! The metrics of `similarity`.

use super::error::ComparisonError;
use super::{bleu, jaro_winkler, levenshtein, rouge_l};

/// A measure of similarity.
#[derive(Debug, Clone, Copy)]
pub(super) enum Metric {
    Levenshtein,
    JaroWinkler,
    RougeL,
    Bleu,
}

impl Metric {
    pub(super) const NAMES: [(&'static str, Metric); 4] = [
        ("levenshtein", Metric::Levenshtein),
        ("jaro_winkler", Metric::JaroWinkler),
        ("rouge_l", Metric::RougeL),
        ("bleu", Metric::Bleu),
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Metric::Levenshtein => "levenshtein",
            Metric::JaroWinkler => "jaro_winkler",
            Metric::RougeL => "rouge_l",
            Metric::Bleu => "bleu",
        }
    }

    pub(super) fn similarity(self, answer: &str, reference: &str) -> Result<f64, ComparisonError> {
        match self {
            Metric::Levenshtein => levenshtein::similarity(answer, reference),
            Metric::JaroWinkler => jaro_winkler::similarity(answer, reference),
            Metric::RougeL => rouge_l::similarity(answer, reference),
            Metric::Bleu => Ok(bleu::similarity(answer, reference)),
        }
    }
}
