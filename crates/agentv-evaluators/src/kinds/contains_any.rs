//! `contains_any`: the answer contains one of several texts.

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
use crate::words::{Findings, quoted};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "contains_any",
        aliases: &[],
        doc: "Passes if the answer contains at least one of several texts.",
        options: Record {
            name: "contains_any",
            fields: &[
                Field {
                    name: "values",
                    shape: &FILLED_TEXTS_WANTED,
                    doc: "The texts to look for. The answer must contain at least one of them (default: those of the reference answer). `{{ NAME }}` is replaced by a variable or field of the case.",
                },
                IGNORE_CASE,
            ],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("values"),
    },
    example: "\
- contains_any: [Paris, '{{ expected_output }}']
- {type: contains_any, values: [Paris], ignore_case: true, negate: true}
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
    Ok(evaluator(ContainsAny { sought, matching }))
}

struct ContainsAny {
    sought: SoughtTexts,
    matching: Matching,
}

impl Check for ContainsAny {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let texts = self.sought.of(subject)?;
        let answer = self.matching.form(subject.answer);
        let found = |sought: &&Sought| answer.contains(&sought.form);
        let mut facts = Findings::default();
        let is_hit = !self.matching.negate;
        // One match is enough for a pass, but a negated check lists every text to remove.
        let enough = if is_hit { 1 } else { usize::MAX };
        let mut holds = false;
        for sought in texts.iter().filter(found).take(enough) {
            holds = true;
            facts.add(is_hit, || contains_fact(true, &sought.written));
        }
        if !holds {
            facts.add(!is_hit, || none(&texts));
        }
        Ok(self.matching.judge_all(holds, facts))
    }
}

/// Says that the answer contains none of the texts.
fn none(texts: &[Sought]) -> String {
    const MOST_NAMED: usize = 5;
    let named = texts.iter().take(MOST_NAMED);
    let named: Vec<_> = named.map(|sought| quoted(&sought.written)).collect();
    let rest = match texts.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("contains none of {}{rest}", named.join(", "))
}
