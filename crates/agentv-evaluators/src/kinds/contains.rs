//! `contains`: the answer contains a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, NEGATE, contains_fact};
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "contains",
        aliases: &[],
        doc: "Passes if the answer contains a text.",
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
    },
    example: "\
- contains: Paris
- {type: contains, value: Paris, ignore_case: true, negate: false}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
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
    /// The value in the form used for comparing.
    sought: String,
    matching: Matching,
}

impl Check for Contains {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let holds = self.matching.form(subject.answer).contains(&self.sought);
        Ok(self
            .matching
            .judge(holds, contains_fact(holds, &self.value)))
    }
}
