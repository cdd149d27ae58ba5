//! `is_json`: the answer is JSON.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::json::JsonAnswer;
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "is_json",
        aliases: &[],
        doc: "Passes if the answer is JSON and nothing else. A code fence around it is not allowed.",
        options: Record {
            name: "is_json",
            fields: &[],
            required: &[],
            others: Others::Warn,
        },
        shorthand: None,
    },
    example: "\
- {type: is_json}
",
    facts: Facts::CHECK,
    build,
};

fn build(_: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(IsJson))
}

struct IsJson;

impl Check for IsJson {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        Ok(match JsonAnswer::read(subject.answer) {
            Ok(answer) => Evaluation {
                reasoning: answer.remark(),
                ..Evaluation::check(true, "the answer is JSON")
            },
            Err(reason) => Evaluation::check(false, reason.to_string()),
        })
    }
}
