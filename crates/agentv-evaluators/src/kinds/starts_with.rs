//! `starts_with`: the answer begins with a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, NEGATE, lower_case_letters};
use crate::options::Options;
use crate::words::quoted;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "starts_with",
        aliases: &[],
        doc: "Passes if the answer starts with a text.",
        options: Record {
            name: "starts_with",
            fields: &[
                Field {
                    name: "value",
                    shape: &FILLED,
                    doc: "The text that the answer must start with.",
                },
                IGNORE_CASE,
                NEGATE,
            ],
            required: &[&["value"]],
            others: Others::Warn,
        },
        shorthand: Some("value"),
    },
    example: "\
- starts_with: The
- {type: starts_with, value: The, ignore_case: true, negate: true}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(StartsWith {
        matching: Matching::read(options)?,
        value: options.required_text("value")?.to_owned(),
    }))
}

struct StartsWith {
    value: String,
    matching: Matching,
}

impl Check for StartsWith {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let holds = if self.matching.ignore_case {
            let mut answer = lower_case_letters(subject.answer);
            lower_case_letters(&self.value).all(|letter| answer.next() == Some(letter))
        } else {
            subject.answer.starts_with(&self.value)
        };
        let value = quoted(&self.value);
        let fact = if holds {
            format!("starts with {value}")
        } else {
            format!(
                "does not start with {value}, but is {}",
                quoted(subject.answer)
            )
        };
        Ok(self.matching.judge(holds, fact))
    }
}
