//! The options and facts of `similarity`.

use agentv_syntax::shape::{FRACTION, TEXT};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use super::evaluator::build;
use crate::kind::{EvaluatorKind, Facts};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "similarity",
        aliases: &[],
        doc: "Scores how similar the answer is to a text.",
        options: Record {
            name: "similarity",
            fields: &[
                Field {
                    name: "metric",
                    shape: &METRIC,
                    doc: "The measure: `levenshtein` and `jaro_winkler` compare letters, `rouge_l` and `bleu` compare words (`rouge_l` only words made of the letters a to z and digits).",
                },
                Field {
                    name: "value",
                    shape: &TEXT,
                    doc: "The text to compare with (default: the reference answer of the case).",
                },
                Field {
                    name: "threshold",
                    shape: &FRACTION,
                    doc: "The minimum similarity, from 0 to 1. The score is 1 if it is reached and 0 if not. Without a threshold, the score is the similarity.",
                },
            ],
            required: &[&["metric"]],
            others: Others::Warn,
        },
        shorthand: Some("metric"),
    },
    example: "\
- similarity: rouge_l
- {type: similarity, metric: levenshtein, value: Paris, threshold: 0.8}
",
    facts: Facts::CHECK,
    build,
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
