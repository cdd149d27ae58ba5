//! Transcripts from the output of a command, an endpoint or a file.

use agentv_core::{Content, Extra, Message, Role, Transcript};
use serde_json::Value;

use super::depth::can_be_kept;
use super::error::AnswerError;
use super::figures::Figures;
use crate::excerpt::excerpt;

/// Parses an output. A JSON object with `text` or `output_messages` is an answer in fields, and any
/// other output is the text of the answer, without line ends at its end.
///
/// # Errors
/// If a field of such an object holds a wrong value.
pub fn of_output(output: &str) -> Result<Transcript, AnswerError> {
    if output.trim_start().starts_with('{')
        && let Ok(Value::Object(fields)) = serde_json::from_str(output.trim())
        && (fields.get("text").is_some_and(Value::is_string)
            || fields.contains_key("output_messages"))
    {
        return of_fields(fields);
    }
    Ok(Transcript::of_text(output.trim_end_matches(['\n', '\r'])))
}

/// Parses an answer in fields: `text`, `output_messages` or both, and optional figures. Of both, the last
/// message of the assistant is the answer.
///
/// # Errors
/// If there is neither, a field holds a wrong value, or a value is nested too deeply for a record.
pub(crate) fn of_fields(mut fields: Extra) -> Result<Transcript, AnswerError> {
    fields.retain(|_, value| !value.is_null());
    let text = match fields.remove("text") {
        None => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => return Err(unexpected("text", "a string", &other)),
    };
    let messages = match fields.remove("output_messages") {
        None => Vec::new(),
        Some(Value::Array(items)) => messages(items)?,
        Some(other) => {
            return Err(unexpected(
                "output_messages",
                "an array of messages",
                &other,
            ));
        }
    };
    if text.is_none() && messages.is_empty() {
        return Err(AnswerError::Missing);
    }
    let mut figures = Figures::default();
    let mut transcript = Transcript {
        output_messages: messages,
        token_usage: fields
            .remove("token_usage")
            .and_then(|usage| figures.tokens(&usage)),
        cost_usd: figures.amount(&fields, "cost_usd"),
        duration_ms: figures.amount(&fields, "duration_ms"),
        finish_reason: word(&fields, "finish_reason"),
        model: word(&fields, "model"),
        trace: fields.remove("trace"),
        warnings: figures.warnings,
        ..Transcript::default()
    };
    if let Some(text) = text
        && !has_answer(&transcript)
    {
        let last = Message::new(Role::Assistant, text);
        transcript.output_messages.push(last);
    }
    if !can_be_kept(&transcript) {
        return Err(AnswerError::TooDeep);
    }
    Ok(transcript)
}

/// Checks whether the messages have an answer: the last message of the assistant that is not empty.
fn has_answer(transcript: &Transcript) -> bool {
    let mut messages = transcript.output_messages.iter().rev();
    let last =
        messages.find(|message| message.role == Role::Assistant && message.content.is_some());
    last.and_then(|message| message.content.as_ref())
        .map(Content::text)
        .is_some_and(|said| !said.is_empty())
}

fn messages(items: Vec<Value>) -> Result<Vec<Message>, AnswerError> {
    let messages = items.into_iter().enumerate().map(|(index, item)| {
        serde_json::from_value(item).map_err(|error| {
            let reason = excerpt(&error.to_string());
            AnswerError::Message { index, reason }
        })
    });
    messages.collect()
}

fn word(fields: &Extra, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn unexpected(field: &str, expected: &'static str, found: &Value) -> AnswerError {
    AnswerError::Field {
        field: field.to_owned(),
        expected,
        found: described(found),
    }
}

/// Returns the kind of a value with its article.
pub(crate) fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::super::depth::DEEPEST;
    use super::*;

    #[test]
    fn plain_text_and_json_of_another_kind_are_the_answer_itself() {
        for (output, expected) in [
            ("Paris\n", "Paris"),
            ("two\nlines\r\n\n", "two\nlines"),
            ("", ""),
            ("{\"answer\": 5}\n", "{\"answer\": 5}"),
            ("{\"text\": 5}", "{\"text\": 5}"),
            ("{\"text\": \"cut", "{\"text\": \"cut"),
        ] {
            assert_eq!(of_output(output).unwrap(), Transcript::of_text(expected));
        }
    }

    #[test]
    fn an_object_says_what_was_done() {
        let output = r#"{
            "output_messages": [
                {"role": "assistant", "tool_calls": [{"tool": "semanticSearch", "input": {"q": 1}}]},
                {"role": "assistant", "content": "Paris"}
            ],
            "text": "Paris", "token_usage": {"input": 10, "output": 2, "cached": 4},
            "cost_usd": 0.5, "duration_ms": 1200, "trace": {"steps": []}, "model": null
        }"#;
        let transcript = of_output(output).unwrap();
        assert_eq!(transcript.output_messages.len(), 2);
        assert_eq!(
            transcript.tool_calls().next().unwrap().tool,
            "semanticSearch"
        );
        let usage = transcript.token_usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.cached), (10, 2, Some(4)));
        assert_eq!(transcript.cost_usd, Some(0.5));
        assert_eq!(transcript.duration_ms, Some(1200.0));
        assert_eq!(transcript.trace, Some(serde_json::json!({"steps": []})));
    }

    #[test]
    fn the_last_message_of_the_assistant_is_the_answer_and_the_text_only_without_one() {
        for (messages, expected) in [
            (r#"[{"role": "assistant", "content": "Hm"}]"#, "Hm"),
            (
                r#"[{"role": "assistant", "content": "Hm"}, {"role": "tool", "content": "x"}]"#,
                "Hm",
            ),
            (r#"[{"role": "assistant", "content": ""}]"#, "Paris"),
            (r#"[{"role": "user", "content": "Hm"}]"#, "Paris"),
            (
                r#"[{"role": "assistant", "tool_calls": [{"tool": "t"}]}]"#,
                "Paris",
            ),
            ("[]", "Paris"),
        ] {
            let output = format!(r#"{{"text": "Paris", "output_messages": {messages}}}"#);
            assert_eq!(of_output(&output).unwrap().answer(), expected, "{output}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (output, expected) in [
            (
                r#"{"output_messages": {}}"#,
                "`output_messages`: expected an array of messages, found an object",
            ),
            (
                r#"{"output_messages": []}"#,
                "expected `text` or `output_messages`, found neither",
            ),
            (
                r#"{"text": "a", "output_messages": "b"}"#,
                "`output_messages`: expected an array of messages, found a string",
            ),
        ] {
            assert_eq!(
                of_output(output).unwrap_err().to_string(),
                expected,
                "{output}"
            );
        }
        let role = "b".repeat(10_000);
        let output = format!(r#"{{"output_messages": [{{"role": "{role}"}}]}}"#);
        let error = of_output(&output).unwrap_err().to_string();
        assert!(error.starts_with("`output_messages[0]`: unknown variant `bbb"));
        assert!(error.len() < 500, "{error}");
    }

    #[test]
    fn answers_nested_too_deep_for_a_record_are_refused() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let deep = |levels: usize| {
            let deep = nested(levels);
            [
                format!(r#"{{"text": "a", "trace": {deep}}}"#),
                format!(r#"{{"output_messages": [{{"role": "assistant", "content": {deep}}}]}}"#),
                format!(
                    r#"{{"output_messages": [{{"role": "assistant", "tool_calls":
                        [{{"tool": "t", "input": {deep}}}]}}]}}"#
                ),
            ]
        };
        for output in deep(DEEPEST) {
            assert!(of_output(&output).is_ok(), "{output}");
        }
        for output in deep(DEEPEST + 1) {
            assert_eq!(
                of_output(&output).unwrap_err().to_string(),
                "its JSON is nested more than 100 levels deep"
            );
        }
    }
}
