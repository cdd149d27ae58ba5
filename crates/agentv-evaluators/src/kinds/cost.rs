//! `cost`: the answer was cheap enough.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::AMOUNT;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::limits::Limit;
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "cost",
        aliases: &[],
        doc: "Passes if the cost of the answer is within a budget.",
        options: Record {
            name: "cost",
            fields: &[Field {
                name: "budget",
                shape: &AMOUNT,
                doc: "The maximum cost of the answer, in US dollars.",
            }],
            required: &[&["budget"]],
            others: Others::Warn,
        },
        shorthand: Some("budget"),
    },
    example: "\
- cost: 0.01
- {type: cost, budget: 1}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    options.required("budget")?;
    Ok(evaluator(Cost(Limit {
        name: "cost",
        unit: " USD",
        most: options.amount("budget")?.unwrap_or_default(),
    })))
}

struct Cost(Limit);

impl Check for Cost {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        self.0.evaluation(subject.trace.cost_usd)
    }
}
