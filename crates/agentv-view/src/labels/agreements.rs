//! The agreement of people with the evaluators of a run.

use std::collections::BTreeMap;

use agentv_report::agreement::{Agreement, RatedAnswer};
use serde::Serialize;

use super::labelled::Labelled;

/// The verdicts of a person and of an evaluator, or of all evaluators together, on one answer.
#[derive(Debug, Clone)]
pub(super) struct Rated {
    pub(super) evaluator: Option<String>,
    pub(super) answer: RatedAnswer,
}

/// The agreement of people with an evaluator.
#[derive(Debug, Serialize)]
pub struct EvaluatorAgreement {
    /// The evaluator; `None` for the verdicts of trials, from all evaluators.
    pub evaluator: Option<String>,
    /// The agreement, computed as `agentv judge calibrate` does.
    #[serde(flatten)]
    pub agreement: Agreement,
}

impl Labelled {
    /// Returns the agreement with the trials as a whole, then with each evaluator that asks a judge.
    pub fn agreements(&self) -> Vec<EvaluatorAgreement> {
        let mut all: BTreeMap<Option<&str>, Vec<RatedAnswer>> = BTreeMap::new();
        for rated in &self.rated {
            let group = all.entry(rated.evaluator.as_deref()).or_default();
            group.push(rated.answer);
        }
        let agreements = all.iter().map(|(evaluator, answers)| EvaluatorAgreement {
            evaluator: evaluator.map(str::to_owned),
            agreement: Agreement::of(answers),
        });
        agreements.collect()
    }
}
