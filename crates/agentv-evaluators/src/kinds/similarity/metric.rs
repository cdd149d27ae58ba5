//! The metrics of `similarity`.

use super::error::ComparisonError;
use super::{bleu, jaro_winkler, levenshtein, rouge_1, rouge_l};

/// A measure of similarity.
#[derive(Debug, Clone, Copy)]
pub(super) enum Metric {
    Levenshtein,
    JaroWinkler,
    RougeL,
    Rouge1,
    Bleu,
}

impl Metric {
    pub(super) const NAMES: [(&'static str, Metric); 5] = [
        ("levenshtein", Metric::Levenshtein),
        ("jaro_winkler", Metric::JaroWinkler),
        ("rouge_l", Metric::RougeL),
        ("rouge_1", Metric::Rouge1),
        ("bleu", Metric::Bleu),
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Metric::Levenshtein => "levenshtein",
            Metric::JaroWinkler => "jaro_winkler",
            Metric::RougeL => "rouge_l",
            Metric::Rouge1 => "rouge_1",
            Metric::Bleu => "bleu",
        }
    }

    pub(super) fn similarity(self, answer: &str, reference: &str) -> Result<f64, ComparisonError> {
        match self {
            Metric::Levenshtein => levenshtein::similarity(answer, reference),
            Metric::JaroWinkler => jaro_winkler::similarity(answer, reference),
            Metric::RougeL => rouge_l::similarity(answer, reference),
            Metric::Rouge1 => rouge_1::similarity(answer, reference),
            Metric::Bleu => Ok(bleu::similarity(answer, reference)),
        }
    }
}
