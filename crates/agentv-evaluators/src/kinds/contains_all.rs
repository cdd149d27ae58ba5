//! `contains_all`: the answer contains all of several texts.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, SoughtTexts, TEXTS, contains_fact};
use crate::options::Options;
use crate::words::Findings;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "contains_all",
        aliases: &[],
        doc: "Passes if the answer contains all of several texts.",
        options: Record {
            name: "contains_all",
            fields: &[
                Field {
                    name: "values",
                    shape: &TEXTS,
                    doc: "The texts to look for. The answer must contain all of them (default: those of the reference answer).",
                },
                IGNORE_CASE,
            ],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("values"),
    },
    example: "\
- contains_all: [Paris, Rome]
- {type: contains_all, values: [Paris], ignore_case: true, negate: true}
",
    facts: Facts {
        negates: true,
        ..Facts::CHECK
    },
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let matching = Matching::read(options)?;
    let sought = SoughtTexts::read(options, matching)?;
    Ok(evaluator(ContainsAll { sought, matching }))
}

struct ContainsAll {
    sought: SoughtTexts,
    matching: Matching,
}

impl Check for ContainsAll {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let texts = self.sought.of(subject)?;
        let answer = self.matching.form(subject.answer);
        let mut holds = true;
        let mut facts = Findings::default();
        for sought in texts.iter() {
            let found = answer.contains(&sought.form);
            holds &= found;
            facts.add(found != self.matching.negate, || {
                contains_fact(found, &sought.written)
            });
        }
        Ok(self.matching.judge_all(holds, facts))
    }
}
