//! An imported answer.

use agentv_core::Transcript;
use serde_json::{Value, json};

/// An answer that was read from a file of another tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedAnswer {
    /// The id of the case that it answers.
    pub id: String,
    /// The trial, if the file numbers them.
    pub trial: Option<u32>,
    /// The first message of the user, if the file has it.
    pub question: Option<String>,
    /// The transcript.
    pub transcript: Transcript,
}

impl ImportedAnswer {
    /// Returns the line of a recording.
    pub fn to_line(&self) -> String {
        let mut line = json!({ "id": self.id });
        if let Some(trial) = self.trial {
            line["trial"] = json!(trial);
        }
        if let Some(question) = &self.question {
            line["question"] = json!(question);
        }
        if let Ok(Value::Object(fields)) = serde_json::to_value(&self.transcript) {
            for (name, value) in fields {
                line[name] = value;
            }
        }
        line.to_string()
    }
}
