//! The options and facts of `similarity`.

use agentv_syntax::shape::{AMOUNT, FRACTION};
use agentv_syntax::{Code, Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};

use super::evaluator::build;
use crate::kind::{EvaluatorKind, Facts};
use crate::wanted::ANY_WANTED;

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
                    doc: "The measure: `levenshtein` and `jaro_winkler` compare letters, `rouge_l`, `rouge_1` and `bleu` compare words (`rouge_l` and `rouge_1` only words made of the letters a to z and digits).",
                },
                Field {
                    name: "value",
                    shape: &ANY_WANTED,
                    doc: "The text to compare with (default: the reference answer of the case). `{{ NAME }}` is replaced by a variable or field of the case.",
                },
                Field {
                    name: "threshold",
                    shape: &FRACTION,
                    doc: "The minimum similarity, from 0 to 1. The score is 1 if it is reached and 0 if not. Without a threshold, the score is the similarity.",
                },
                Field {
                    name: "max_distance",
                    shape: &AMOUNT,
                    doc: "The most letters that may be added, removed or replaced, with `levenshtein` only and in place of `threshold`. The score is 1 or 0.",
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
- {type: similarity, metric: levenshtein, value: Paris, max_distance: 1}
- similarity: rouge_1
",
    facts: Facts {
        problem,
        ..Facts::CHECK
    },
    build,
};

static METRIC: Shape = Shape {
    expected: "levenshtein, jaro_winkler, rouge_l, rouge_1 or bleu",
    forms: &[Form::Text(Text::OneOf(&[
        "levenshtein",
        "jaro_winkler",
        "rouge_l",
        "rouge_1",
        "bleu",
    ]))],
};

/// Refuses a distance without letters to count, or beside a threshold.
fn problem(options: Node<'_>) -> Option<Problem> {
    let distance = options.given("max_distance")?;
    let refuse = |message: &str| {
        let problem = Problem::error(Code::WrongType, distance.span(), message);
        Some(problem.at("max_distance"))
    };
    let metric = options.given("metric").and_then(Node::as_str);
    if metric.is_some_and(|metric| metric != "levenshtein") {
        refuse("only `levenshtein` counts letters")
    } else if options.given("threshold").is_some() {
        refuse("`max_distance` and `threshold` exclude each other")
    } else {
        None
    }
}
