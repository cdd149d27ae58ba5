//! The form of answer that prefers one of two answers.

use agentv_core::Score;
use serde_json::{Value, json};

use super::judgement::{Judgement, filled};
use super::unusable::UnusableAnswer;
use crate::words::shown;

pub(super) const INSTRUCTIONS: &str = "\
You compare two answers that AI systems gave to the same question, by one criterion and nothing else. \
The order in which they are shown means nothing. If neither is better by the criterion, say so.";

pub(super) const WANTED: &str = "\
{\"reasoning\": in one or two sentences, which answer meets the criterion better and why, \
\"better\": \"first\", \"second\" or \"neither\"}";

/// Returns the JSON Schema of the answer.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "better": {"enum": ["first", "second", "neither"]},
        },
        "required": ["reasoning", "better"],
        "additionalProperties": false,
    })
}

/// Reads the answer: 1 if the first is better, 0 if the second is, and 0.5 if neither is.
pub(super) fn read(answer: &Value) -> Result<Judgement, UnusableAnswer> {
    let better = answer.get("better").ok_or(UnusableAnswer::NoPreference)?;
    let word = better.as_str().map(|word| word.trim().to_lowercase());
    let score = match word.as_deref() {
        Some("first") => 1.0,
        Some("second") => 0.0,
        Some("neither") => 0.5,
        _ => {
            return Err(UnusableAnswer::InvalidPreference {
                found: shown(better),
            });
        }
    };
    Ok(Judgement {
        score: Score::new(score).unwrap_or(Score::ZERO),
        lacks_required: false,
        hits: Vec::new(),
        misses: Vec::new(),
        reasoning: filled(answer.get("reasoning")),
        details: None,
    })
}
