//! `starts_with`: the answer begins with a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, TRIM, lower_case_letters};
use crate::options::Options;
use crate::wanted::{FILLED_WANTED, WantedText};
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
                    shape: &FILLED_WANTED,
                    doc: "The text that the answer must start with (default: the reference answer of the case). `{{ NAME }}` is replaced by a variable or field of the case, such as `{{ expected_output }}`.",
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
- starts_with: The
- {type: starts_with, value: The, ignore_case: true, trim: true, negate: true}
",
    facts: Facts {
        negates: true,
        ..Facts::CHECK
    },
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(StartsWith {
        matching: Matching::read(options)?,
        value: WantedText::read(options)?,
    }))
}

struct StartsWith {
    value: WantedText,
    matching: Matching,
}

impl Check for StartsWith {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let value = self.value.filled(subject)?;
        let value = WantedText::not_blank(&value, self.matching.trimmed(&value))?;
        let answer = self.matching.trimmed(subject.answer);
        let holds = if self.matching.ignore_case {
            let mut letters = lower_case_letters(answer);
            lower_case_letters(value).all(|letter| letters.next() == Some(letter))
        } else {
            answer.starts_with(value)
        };
        let value = quoted(value);
        let fact = if holds {
            format!("starts with {value}")
        } else {
            format!("does not start with {value}, but is {}", quoted(answer))
        };
        Ok(self.matching.judge(holds, fact))
    }
}
