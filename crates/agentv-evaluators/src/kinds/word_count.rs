//! `word_count`: the answer has a number of words.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::COUNT;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "word_count",
        aliases: &[],
        doc: "Passes if the number of words in the answer is within bounds. Words are separated by white space.",
        options: Record {
            name: "word_count",
            fields: &[
                Field {
                    name: "min",
                    shape: &COUNT,
                    doc: "The smallest number of words (default: 0).",
                },
                Field {
                    name: "max",
                    shape: &COUNT,
                    doc: "The largest number of words (default: no limit).",
                },
            ],
            required: &[&["min", "max"]],
            others: Others::Warn,
        },
        shorthand: None,
    },
    example: "\
- {type: word_count, min: 10, max: 50}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let (fewest, most) = (options.count("min")?, options.count("max")?);
    if fewest.is_none() && most.is_none() {
        return Err(options.invalid("min", "missing; give `min`, `max` or both"));
    }
    Ok(evaluator(WordCount { fewest, most }))
}

struct WordCount {
    fewest: Option<u64>,
    most: Option<u64>,
}

impl Check for WordCount {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let words = subject.answer.split_whitespace().count() as u64;
        let is_enough = self.fewest.is_none_or(|fewest| words >= fewest);
        let is_short = self.most.is_none_or(|most| words <= most);
        let bounds = match (self.fewest, self.most) {
            (Some(fewest), Some(most)) if fewest == most => format!("{most}"),
            (Some(fewest), Some(most)) => format!("{fewest} to {most}"),
            (Some(fewest), None) => format!("at least {fewest}"),
            (None, Some(most)) => format!("at most {most}"),
            (None, None) => "any number".to_owned(),
        };
        let noun = if words == 1 { "word" } else { "words" };
        let fact = format!("has {words} {noun}, expected {bounds}");
        Ok(Evaluation::check(is_enough && is_short, fact))
    }
}
