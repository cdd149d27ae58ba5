//! `contains`: a text stands in the answer.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::matching::{IGNORE_CASE, Matching, NEGATE};
use crate::options::Options;
use crate::words::quoted;

pub(crate) static KIND: Kind = Kind {
    name: "contains",
    aliases: &[],
    doc: "Passes when the answer contains a text.",
    options: Record {
        name: "contains",
        fields: &[
            Field {
                name: "value",
                shape: &FILLED,
                doc: "The text to look for.",
            },
            IGNORE_CASE,
            NEGATE,
        ],
        required: &[&["value"]],
        others: Others::Warn,
    },
    shorthand: Some("value"),
};

pub(crate) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let matching = Matching::read(options)?;
    let value = options.required_text("value")?;
    Ok(evaluator(Contains {
        value: value.to_owned(),
        sought: matching.form(value).into_owned(),
        matching,
    }))
}

struct Contains {
    value: String,
    /// The value in the form in which it is compared.
    sought: String,
    matching: Matching,
}

impl Check for Contains {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let holds = self.matching.form(subject.answer).contains(&self.sought);
        Ok(self.matching.judge(holds, fact(holds, &self.value)))
    }
}

/// Whether an answer contains a text, in words.
pub(crate) fn fact(holds: bool, value: &str) -> String {
    let value = quoted(value);
    match holds {
        true => format!("contains {value}"),
        false => format!("does not contain {value}"),
    }
}
