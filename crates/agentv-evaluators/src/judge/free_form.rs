//! The form of answer with one score for the whole.

use agentv_core::Score;
use serde_json::{Value, json};

use super::form::number;
use super::judgement::{Judgement, filled};
use super::unusable::UnusableAnswer;
use crate::words::{cut, shown};

/// The maximum number of hits, and of misses.
const MOST_FINDINGS: usize = 4;
/// The maximum length of a hit or miss, in characters.
const LONGEST_FINDING: usize = 1_000;

pub(super) const INSTRUCTIONS: &str = "\
You grade an answer that an AI system gave. Judge how well it achieves what is expected of it, and \
nothing else: 1 when it does so in full, 0 when it does not at all, in between in proportion.";

pub(super) const WANTED: &str = "\
{\"reasoning\": in one or two sentences, how well the answer achieves what is expected and why, \
\"hits\": [up to 4 short sentences on what the answer gets right], \
\"misses\": [up to 4 short sentences on what it gets wrong or lacks], \
\"score\": a number from 0 to 1}";

/// Returns the JSON Schema of the answer. A model that is held to it writes the properties in this
/// order, so the reasoning comes before the score that follows from it.
pub(super) fn schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "hits": texts,
            "misses": texts,
            "score": {"type": "number"},
        },
        "required": ["reasoning", "hits", "misses", "score"],
        "additionalProperties": false,
    })
}

pub(super) fn read(answer: &Value) -> Result<Judgement, UnusableAnswer> {
    let score = answer.get("score").ok_or(UnusableAnswer::NoScore)?;
    // A score of 8 may mean 0.8 or the maximum, so it is refused.
    let value = number(score).and_then(Score::new);
    let value = value.ok_or_else(|| UnusableAnswer::InvalidScore {
        found: shown(score),
    })?;
    Ok(Judgement {
        score: value,
        lacks_required: false,
        hits: findings(answer.get("hits")),
        misses: findings(answer.get("misses")),
        reasoning: filled(answer.get("reasoning")),
        details: None,
    })
}

fn findings(value: Option<&Value>) -> Vec<String> {
    let texts: Vec<&Value> = match value {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(text) => vec![text],
        None => Vec::new(),
    };
    let texts = texts.into_iter().filter_map(finding);
    texts
        .take(MOST_FINDINGS)
        .map(|text| cut(&text, LONGEST_FINDING).into_owned())
        .collect()
}

/// Returns the text of a finding. Anything else that the judge wrote is shown as JSON.
fn finding(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(_) => filled(Some(value)),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_outside_of_zero_to_one_is_no_score() {
        for score in [
            json!(8),
            json!(1.01),
            json!(-0.1),
            json!("85%"),
            json!(null),
        ] {
            let wrong = read(&json!({"score": score})).unwrap_err();
            assert!(
                matches!(wrong, UnusableAnswer::InvalidScore { .. }),
                "{wrong}"
            );
        }
        let wrong = read(&json!({"hits": []})).unwrap_err();
        assert_eq!(wrong, UnusableAnswer::NoScore);
        let text = read(&json!({"score": "0.5"})).unwrap();
        assert_eq!(text.score.value(), 0.5);
    }

    #[test]
    fn four_hits_and_four_misses_are_kept() {
        let many: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        let answer = json!({"score": 1, "hits": many, "misses": "one alone", "reasoning": " "});
        let read = read(&answer).unwrap();
        assert_eq!(read.hits, ["0", "1", "2", "3"]);
        assert_eq!(read.misses, ["one alone"]);
        assert_eq!(read.reasoning, None);
    }

    #[test]
    fn findings_that_are_no_texts_are_kept_as_json() {
        let answer =
            json!({"score": 1, "hits": [1, {"b": 2, "a": [true]}, null, " "], "misses": 3});
        let read = read(&answer).unwrap();
        assert_eq!(read.hits, ["1", r#"{"b":2,"a":[true]}"#]);
        assert_eq!(read.misses, ["3"]);
    }
}
