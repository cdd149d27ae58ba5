//! `token_usage`: the answer took few enough tokens.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject, TokenUsage};
use agentv_syntax::shape::AMOUNT;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::limits::Limit;
use crate::options::Options;
use crate::words::Findings;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "token_usage",
        aliases: &[],
        doc: "Passes if the answer took at most a given number of tokens.",
        options: Record {
            name: "token_usage",
            fields: &[
                Field {
                    name: "max_total",
                    shape: &AMOUNT,
                    doc: "The maximum number of input and output tokens together.",
                },
                Field {
                    name: "max_input",
                    shape: &AMOUNT,
                    doc: "The maximum number of input tokens.",
                },
                Field {
                    name: "max_output",
                    shape: &AMOUNT,
                    doc: "The maximum number of output tokens.",
                },
            ],
            required: &[&["max_total", "max_input", "max_output"]],
            others: Others::Warn,
        },
        shorthand: Some("max_total"),
    },
    example: "\
- token_usage: 500
- {type: token_usage, max_total: 500, max_input: 400, max_output: 100}
",
    facts: Facts::CHECK,
    build,
};

type Figure = fn(&TokenUsage) -> u64;

/// The figures that can be limited, by option.
static FIGURES: [(&str, &str, Figure); 3] = [
    ("max_total", "tokens", TokenUsage::total),
    ("max_input", "input tokens", |usage| usage.input),
    ("max_output", "output tokens", |usage| usage.output),
];

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let mut limits = [None; 3];
    for (limit, (option, name, _)) in limits.iter_mut().zip(FIGURES) {
        *limit = options.amount(option)?.map(|most| Limit {
            name,
            unit: "",
            most,
        });
    }
    if limits.iter().all(Option::is_none) {
        let problem = "missing: expected at least one of `max_total`, `max_input` and `max_output`";
        return Err(options.invalid("max_total", problem));
    }
    Ok(evaluator(Usage { limits }))
}

struct Usage {
    /// The limits, in the order of `FIGURES`.
    limits: [Option<Limit>; 3],
}

impl Check for Usage {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let usage = subject.trace.token_usage;
        let mut findings = Findings::default();
        let mut are_kept = true;
        for (limit, (_, _, figure)) in self.limits.iter().zip(FIGURES) {
            let Some(limit) = limit else { continue };
            let measured = usage.as_ref().map(|usage| figure(usage) as f64);
            are_kept &= limit.judge(measured, &mut findings)?;
        }
        Ok(findings.evaluation(Score::of(are_kept)))
    }
}
