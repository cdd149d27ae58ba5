//! `similarity`: how near the answer is to a text.

mod bleu;
mod jaro_winkler;
mod levenshtein;
mod rouge_l;
mod symbols;
mod tokens;

use std::borrow::Cow;
use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject};
use agentv_syntax::shape::{FRACTION, TEXT};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};
use serde_json::json;

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::options::Options;
use crate::words::figure;

pub(crate) static KIND: Kind = Kind {
    name: "similarity",
    aliases: &[],
    doc: "Scores how near the answer is to a text.",
    options: Record {
        name: "similarity",
        fields: &[
            Field {
                name: "metric",
                shape: &METRIC,
                doc: "How to measure: `levenshtein` and `jaro_winkler` compare letters, `rouge_l` and `bleu` words (`rouge_l` only those of the letters a to z and digits).",
            },
            Field {
                name: "value",
                shape: &TEXT,
                doc: "The text to compare with, the reference answer of the case unless given.",
            },
            Field {
                name: "threshold",
                shape: &FRACTION,
                doc: "The similarity, from 0 to 1, from which the score is 1, and below which it is 0; without it the score is the similarity.",
            },
        ],
        required: &[&["metric"]],
        others: Others::Warn,
    },
    shorthand: Some("metric"),
};

static METRIC: Shape = Shape {
    expected: "levenshtein, jaro_winkler, rouge_l or bleu",
    forms: &[Form::Text(Text::OneOf(&[
        "levenshtein",
        "jaro_winkler",
        "rouge_l",
        "bleu",
    ]))],
};

/// How nearness is measured.
#[derive(Debug, Clone, Copy)]
enum Metric {
    Levenshtein,
    JaroWinkler,
    RougeL,
    Bleu,
}

impl Metric {
    const NAMES: [(&'static str, Metric); 4] = [
        ("levenshtein", Metric::Levenshtein),
        ("jaro_winkler", Metric::JaroWinkler),
        ("rouge_l", Metric::RougeL),
        ("bleu", Metric::Bleu),
    ];

    fn name(self) -> &'static str {
        match self {
            Metric::Levenshtein => "levenshtein",
            Metric::JaroWinkler => "jaro_winkler",
            Metric::RougeL => "rouge_l",
            Metric::Bleu => "bleu",
        }
    }

    fn similarity(self, answer: &str, reference: &str) -> Result<f64, String> {
        match self {
            Metric::Levenshtein => levenshtein::similarity(answer, reference),
            Metric::JaroWinkler => Ok(jaro_winkler::similarity(answer, reference)),
            Metric::RougeL => rouge_l::similarity(answer, reference),
            Metric::Bleu => Ok(bleu::similarity(answer, reference)),
        }
    }
}

pub(crate) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
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
    /// What to compare with; the reference answer of the case where there is none.
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
        let similarity = similarity.map_err(EvaluatorError)?;
        // Rounding may leave it a hair outside of what a score can be.
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
            match is_near {
                true => format!("{metric} similarity {value}, at least {threshold}"),
                false => format!("{metric} similarity {value}, less than {threshold}"),
            },
        )
    }
}

fn no_reference() -> EvaluatorError {
    EvaluatorError(
        "there is nothing to compare with: write `value`, or an expected answer in the case"
            .to_owned(),
    )
}
