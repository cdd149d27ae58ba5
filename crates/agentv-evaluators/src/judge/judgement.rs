//! The judgement of one judge.

use agentv_core::{Evaluation, PassThreshold, Score, Verdict};
use serde_json::Value;

/// The judgement of one judge, after validation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    pub(super) score: Score,
    /// True if something required is missing, whatever the score.
    pub(super) lacks_required: bool,
    pub(super) hits: Vec<String>,
    pub(super) misses: Vec<String>,
    pub(super) reasoning: Option<String>,
    pub(super) details: Option<Value>,
}

impl Judgement {
    pub(super) fn verdict(&self, threshold: PassThreshold) -> Verdict {
        if self.lacks_required {
            Verdict::Fail
        } else {
            self.score.verdict(threshold)
        }
    }

    pub(super) fn into_evaluation(self) -> Evaluation {
        Evaluation {
            verdict: None,
            lacks_required: self.lacks_required,
            score: self.score,
            hits: self.hits,
            misses: self.misses,
            reasoning: self.reasoning,
            details: self.details,
            members: Vec::new(),
        }
    }
}

/// Returns a string that is not blank.
pub(super) fn filled(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
