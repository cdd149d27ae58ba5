//! `contains_all`: the answer contains all of several texts.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::matching::{IGNORE_CASE, Matching, Sought, SoughtTexts, contains_fact};
use crate::options::Options;
use crate::wanted::FILLED_TEXTS_WANTED;
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
                    shape: &FILLED_TEXTS_WANTED,
                    doc: "The texts to look for. The answer must contain all of them (default: those of the reference answer). `{{ NAME }}` is replaced by a variable or field of the case.",
                },
                IGNORE_CASE,
            ],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("values"),
    },
    example: "\
- contains_all: [Paris, '{{ expected_output }}']
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
        let is_found = |sought: &Sought| answer.contains(&sought.form);
        let holds = texts.iter().all(is_found);
        let mut facts = Findings::default();
        for sought in texts.iter() {
            let found = is_found(sought);
            let is_hit = found != self.matching.negate;
            // A negated check passes if one text is missing, so the others are no misses.
            if is_hit || holds == self.matching.negate {
                facts.add(is_hit, || contains_fact(found, &sought.written));
            }
        }
        Ok(self.matching.judge_all(holds, facts))
    }
}
