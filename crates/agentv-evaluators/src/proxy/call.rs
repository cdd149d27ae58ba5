//! The JSON of a call to a target and of its answer.

use agentv_core::{Judge, JudgeRequest, Message, Prompt, Role, Transcript};
use serde_json::{Value, json};

use super::answer::Refusal;
use crate::words::shown;

/// A call to a target.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    question: String,
    system_prompt: Option<String>,
    pub(super) judge: Judge,
}

impl Call {
    /// Reads `question`, `system_prompt` and `target`, in either spelling. Other fields, such as
    /// the id of the case, are ignored.
    pub(super) fn read(body: &Value) -> Result<Call, Refusal> {
        if !body.is_object() {
            let found = shown(body);
            return Err(Refusal::bad(format!(
                "expected an object with `question`, found {found}"
            )));
        }
        let Some(question) = text(body, &["question"])? else {
            return Err(Refusal::bad("missing `question`"));
        };
        let target = text(body, &["target"])?;
        Ok(Call {
            question,
            system_prompt: text(body, &["system_prompt", "systemPrompt"])?,
            judge: target.map_or(Judge::Usual, Judge::Named),
        })
    }

    pub(super) fn request(self) -> JudgeRequest {
        let Call {
            question,
            system_prompt,
            ..
        } = self;
        let system = system_prompt.filter(|text| !text.trim().is_empty());
        let prompt = match system {
            None => Prompt::of_text(question),
            Some(system) => Prompt {
                question: format!("{system}\n\n{question}"),
                guidelines: String::new(),
                messages: vec![
                    Message::new(Role::System, system),
                    Message::new(Role::User, question),
                ],
            },
        };
        JudgeRequest {
            prompt,
            output_schema: None,
        }
    }
}

/// Returns the string under the first of several names that is present.
fn text(body: &Value, names: &[&str]) -> Result<Option<String>, Refusal> {
    let given = names.iter().find_map(|name| {
        let value = body.get(name).filter(|value| !value.is_null())?;
        Some((name, value))
    });
    match given {
        None => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text.clone())),
        Some((name, other)) => {
            let found = shown(other);
            Err(Refusal::bad(format!(
                "`{name}`: expected a string, found {found}"
            )))
        }
    }
}

/// Returns the JSON of a target's answer, with each name in both spellings.
pub(super) fn answered(target: &str, transcript: &Transcript) -> Value {
    let text = transcript.answer();
    let messages = &transcript.output_messages;
    let mut answer = json!({
        "raw_text": text,
        "rawText": text,
        "output_messages": messages,
        "outputMessages": messages,
        "target": target,
    });
    if let Some(usage) = transcript.token_usage {
        answer["token_usage"] = json!(usage);
    }
    if let Some(cost) = transcript.cost_usd {
        answer["cost_usd"] = json!(cost);
    }
    answer
}
