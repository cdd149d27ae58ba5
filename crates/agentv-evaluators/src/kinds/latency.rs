//! `latency`: the answer came in time.

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
        name: "latency",
        aliases: &[],
        doc: "Passes if the answer came within a time limit.",
        options: Record {
            name: "latency",
            fields: &[Field {
                name: "threshold",
                shape: &AMOUNT,
                doc: "The maximum duration of the answer, in milliseconds.",
            }],
            required: &[&["threshold"]],
            others: Others::Warn,
        },
        shorthand: Some("threshold"),
    },
    example: "\
- latency: 2000
- {type: latency, threshold: 1500.5}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    options.required("threshold")?;
    Ok(evaluator(Latency(Limit {
        name: "duration",
        unit: " ms",
        most: options.amount("threshold")?.unwrap_or_default(),
    })))
}

struct Latency(Limit);

impl Check for Latency {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        self.0.evaluation(subject.trace.duration_ms)
    }
}
