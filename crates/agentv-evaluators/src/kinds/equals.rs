//! `equals`: the answer is a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, TRIM, lower_case_letters};
use crate::options::Options;
use crate::wanted::{ANY_WANTED, WantedText};
use crate::words::quoted;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "equals",
        aliases: &[],
        doc: "Passes if the answer equals a text exactly. Surrounding white space counts, unless `trim` is set.",
        options: Record {
            name: "equals",
            fields: &[
                Field {
                    name: "value",
                    shape: &ANY_WANTED,
                    doc: "The text that the answer must equal (default: the reference answer of the case). `{{ NAME }}` is replaced by a variable or field of the case, such as `{{ expected_output }}`.",
                },
                IGNORE_CASE,
                TRIM,
            ],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("value"),
    },
    example: "\
- equals: Paris
- {type: equals, value: Paris, ignore_case: true, trim: true, negate: true}
",
    facts: Facts {
        negates: true,
        ..Facts::CHECK
    },
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(Equals {
        matching: Matching::read(options)?,
        value: WantedText::read(options)?,
    }))
}

struct Equals {
    value: WantedText,
    matching: Matching,
}

impl Check for Equals {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let value = self.value.of(subject)?;
        let value = self.matching.trimmed(&value);
        let answer = self.matching.trimmed(subject.answer);
        let holds = if self.matching.ignore_case {
            lower_case_letters(answer).eq(lower_case_letters(value))
        } else {
            answer == value
        };
        let fact = if holds {
            format!("equals {}", quoted(value))
        } else {
            difference(answer, value)
        };
        Ok(self.matching.judge(holds, fact))
    }
}

/// Says how an answer differs from a text.
fn difference(answer: &str, value: &str) -> String {
    let shown = quoted(value);
    if answer.trim() == value.trim() {
        return format!("does not equal {shown}: the surrounding white space differs");
    }
    format!("does not equal {shown}, but is {}", quoted(answer))
}
