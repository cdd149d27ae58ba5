//! `equals`: the answer is a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::TEXT;
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
        name: "equals",
        aliases: &[],
        doc: "Passes if the answer equals a text exactly. Surrounding white space counts.",
        options: Record {
            name: "equals",
            fields: &[
                Field {
                    name: "value",
                    shape: &TEXT,
                    doc: "The text that the answer must equal.",
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
- equals: Paris
- {type: equals, value: Paris, ignore_case: true, negate: true}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(Equals {
        matching: Matching::read(options)?,
        value: options.required_text("value")?.to_owned(),
    }))
}

struct Equals {
    value: String,
    matching: Matching,
}

impl Check for Equals {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let holds = if self.matching.ignore_case {
            lower_case_letters(subject.answer).eq(lower_case_letters(&self.value))
        } else {
            subject.answer == self.value
        };
        let fact = if holds {
            format!("equals {}", quoted(&self.value))
        } else {
            self.difference(subject.answer)
        };
        Ok(self.matching.judge(holds, fact))
    }
}

impl Equals {
    /// Says how the answer differs.
    fn difference(&self, answer: &str) -> String {
        let value = quoted(&self.value);
        if answer.trim() == self.value.trim() {
            return format!("does not equal {value}: the surrounding white space differs");
        }
        format!("does not equal {value}, but is {}", quoted(answer))
    }
}
