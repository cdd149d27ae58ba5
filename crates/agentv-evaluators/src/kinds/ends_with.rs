//! `ends_with`: the answer ends with a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, TRIM};
use crate::options::Options;
use crate::wanted::{FILLED_WANTED, WantedText};
use crate::words::quoted;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "ends_with",
        aliases: &[],
        doc: "Passes if the answer ends with a text. Trailing white space counts, unless `trim` is set.",
        options: Record {
            name: "ends_with",
            fields: &[
                Field {
                    name: "value",
                    shape: &FILLED_WANTED,
                    doc: "The text that the answer must end with (default: the reference answer of the case). `{{ NAME }}` is replaced by a variable or field of the case, such as `{{ expected_output }}`.",
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
- ends_with: \"42\"
- {type: ends_with, value: kind regards, ignore_case: true, trim: true, negate: true}
",
    facts: Facts {
        negates: true,
        ..Facts::CHECK
    },
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(EndsWith {
        matching: Matching::read(options)?,
        value: WantedText::read(options)?,
    }))
}

struct EndsWith {
    value: WantedText,
    matching: Matching,
}

impl Check for EndsWith {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let value = self.value.filled(subject)?;
        let value = WantedText::not_blank(&value, self.matching.trimmed(&value))?;
        let answer = self.matching.trimmed(subject.answer);
        let sought = self.matching.form(value);
        let holds = self.matching.form(answer).ends_with(&*sought);
        let value = quoted(value);
        let fact = if holds {
            format!("ends with {value}")
        } else {
            let end = quoted(end_of(answer));
            format!("does not end with {value}, but with {end}")
        };
        Ok(self.matching.judge(holds, fact))
    }
}

/// Returns the last letters of an answer.
fn end_of(answer: &str) -> &str {
    const SHOWN: usize = 40;
    let start = answer.char_indices().rev().nth(SHOWN - 1);
    &answer[start.map_or(0, |(start, _)| start)..]
}
