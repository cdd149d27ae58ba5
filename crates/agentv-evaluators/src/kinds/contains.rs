//! `contains`: the answer contains a text.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, contains_fact};
use crate::options::Options;
use crate::wanted::{FILLED_WANTED, WantedText};

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
                    shape: &FILLED_WANTED,
                    doc: "The text to look for (default: the reference answer of the case). `{{ NAME }}` is replaced by a variable or field of the case, such as `{{ expected_output }}`.",
                },
                IGNORE_CASE,
            ],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("value"),
    },
    example: "\
- contains: Paris
- contains: '{{ expected_output }}'
- {type: contains, value: Paris, ignore_case: true, negate: false}
",
    facts: Facts {
        negates: true,
        ..Facts::CHECK
    },
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(Contains {
        matching: Matching::read(options)?,
        value: WantedText::read(options)?,
    }))
}

struct Contains {
    value: WantedText,
    matching: Matching,
}

impl Check for Contains {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let value = self.value.filled(subject)?;
        let sought = self.matching.form(&value);
        let holds = self.matching.form(subject.answer).contains(&*sought);
        Ok(self.matching.judge(holds, contains_fact(holds, &value)))
    }
}
