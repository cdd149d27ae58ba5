//! An answer that can be labelled, and its line in the file of labels.

use agentv_core::{Digest, PassThreshold, ResultRecord};
use serde_json::{Map, Value, json};

use crate::index::TrialName;

/// The fields of a recorded case that its line keeps: those that a judge needs.
const KEPT: [&str; 8] = [
    "conversation_id",
    "expected_outcome",
    "input_messages",
    "expected_messages",
    "execution",
    "evaluators",
    "rubrics",
    "pass_threshold",
];

/// The reason why an answer cannot be labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoLabel {
    /// The records do not hold the case.
    #[error("its question is not recorded")]
    NoQuestion,
    /// The records hold another case.
    #[error("its answer was recorded for another case with the same input")]
    OtherCase,
    /// The trial errored.
    #[error("the target gave no answer")]
    NoAnswer,
}

/// The answer of a trial to the question of its case.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The id, which depends on the trial, the question and the answer.
    pub id: String,
    /// The name of the trial.
    pub name: TrialName,
    case: Map<String, Value>,
    output: Value,
}

impl Answer {
    /// Reads an answer from the records of a trial.
    ///
    /// # Errors
    /// Returns the reason if the answer cannot be labelled.
    pub fn of(
        name: TrialName,
        result: &ResultRecord,
        transcript: Option<&Value>,
    ) -> Result<Answer, NoLabel> {
        let transcript = transcript.ok_or(NoLabel::NoQuestion)?;
        let Some(case) = transcript["case"].as_object() else {
            return Err(NoLabel::NoQuestion);
        };
        if case.get("id").and_then(Value::as_str) != Some(&*name.id) {
            return Err(NoLabel::OtherCase);
        }
        if result.candidate_answer.is_none() {
            return Err(NoLabel::NoAnswer);
        }
        let output = match &transcript["transcript"]["output_messages"] {
            Value::Array(messages) if !messages.is_empty() => Value::Array(messages.clone()),
            _ => json!([{"role": "assistant", "content": result.candidate_answer}]),
        };
        let named = json!([
            name.file,
            name.target,
            name.trial,
            case.get("input_messages"),
            output
        ]);
        let digest = Digest::of(named.to_string().as_bytes()).to_string();
        Ok(Answer {
            id: format!("{}~{}", name.id, &digest[..16]),
            name,
            case: case.clone(),
            output,
        })
    }

    /// Returns the lowest score that passes.
    pub fn pass_threshold(&self) -> PassThreshold {
        let threshold = self.case.get("pass_threshold").cloned();
        let threshold = threshold.and_then(|value| serde_json::from_value(value).ok());
        threshold.unwrap_or_default()
    }

    /// Returns the line of the answer without a label: a case that `judge calibrate` can load.
    pub(super) fn line(&self) -> Map<String, Value> {
        let mut line = Map::new();
        line.insert("id".to_owned(), self.id.clone().into());
        for name in KEPT {
            if let Some(value) = self.case.get(name) {
                line.insert(name.to_owned(), with_texts(value));
            }
        }
        line.insert("output_messages".to_owned(), with_texts(&self.output));
        line
    }
}

/// Replaces files by their recorded texts: the person saw these, whatever became of the files.
fn with_texts(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(with_texts).collect(),
        Value::Object(fields) => match (fields.get("type"), fields.get("text")) {
            (Some(kind), Some(Value::String(text))) if kind == "file" => {
                json!({"type": "text", "value": text})
            }
            _ => {
                let fields = fields.iter();
                let fields = fields.map(|(name, value)| (name.clone(), with_texts(value)));
                Value::Object(fields.collect())
            }
        },
        other => other.clone(),
    }
}
