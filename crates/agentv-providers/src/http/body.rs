//! The body of a request, with templates that a case is filled into.

use agentv_core::Request;
use reqwest::Method;
use serde_json::{Value, json};

use super::json_template;
use super::template::{self, TemplateError};
use crate::target::SettingError;

/// The body of a request before it is filled in.
pub(super) enum Body {
    Text(String),
    Json(Value),
}

/// A body that can be sent.
pub(super) struct FilledBody {
    pub(super) bytes: Vec<u8>,
    pub(super) content_type: &'static str,
}

impl Body {
    /// Returns the body that the user wrote, or else the prompt, if the method has a body.
    ///
    /// # Errors
    /// If a template is wrong.
    pub(super) fn of(
        written: Option<&Value>,
        method: &Method,
    ) -> Result<Option<Body>, SettingError> {
        let body = match written {
            Some(Value::String(text)) => Body::of_text(text),
            Some(other) => Body::Json(other.clone()),
            None if matches!(*method, Method::GET | Method::DELETE) => return Ok(None),
            None => Body::Json(json!({ "prompt": "{{ prompt }}" })),
        };
        body.check()
            .map_err(|error| SettingError::of("body", error.to_string()))?;
        Ok(Some(body))
    }

    /// Returns a text as a body. If it becomes JSON once a case is filled in, values within its strings are
    /// escaped.
    fn of_text(text: &str) -> Body {
        let sample = template::sample_of(text).unwrap_or_default();
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&sample).is_ok();
        Body::Text(if is_json {
            json_template::escaping(text)
        } else {
            text.to_owned()
        })
    }

    fn check(&self) -> Result<(), TemplateError> {
        match self {
            Body::Text(template) => template::check(template),
            Body::Json(value) => check_all(value),
        }
    }

    pub(super) fn fill(&self, request: &Request) -> Result<FilledBody, TemplateError> {
        match self {
            Body::Text(template) => {
                let text = template::fill(template, request)?;
                let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
                Ok(FilledBody {
                    bytes: text.into_bytes(),
                    content_type: if is_json {
                        "application/json"
                    } else {
                        "text/plain; charset=utf-8"
                    },
                })
            }
            Body::Json(value) => Ok(FilledBody {
                bytes: filled(value, request)?.to_string().into_bytes(),
                content_type: "application/json",
            }),
        }
    }
}

fn filled(value: &Value, request: &Request) -> Result<Value, TemplateError> {
    Ok(match value {
        Value::String(text) => match expression(text) {
            Some(expression) => template::evaluate(expression, request)?,
            None => Value::String(template::fill(text, request)?),
        },
        Value::Array(items) => {
            let items = items.iter().map(|item| filled(item, request));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| Ok((name.clone(), filled(value, request)?)));
            Value::Object(fields.collect::<Result<_, TemplateError>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

/// Returns the expression of a string that is one `{{ … }}` and nothing else. Its value need not be a
/// string.
fn expression(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!inner.contains("{{") && !inner.contains("}}")).then_some(inner)
}

fn check_all(value: &Value) -> Result<(), TemplateError> {
    match value {
        Value::String(text) => template::check(text),
        Value::Array(items) => items.iter().try_for_each(check_all),
        Value::Object(fields) => fields.values().try_for_each(check_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_core::{Message, Role};
    use std::path::Path;
    use std::time::Duration;

    fn request() -> Request {
        let mut request = Request::of_text("a \"b\"\nc", Path::new("/").into(), Duration::MAX);
        request.eval_id = "case".to_owned();
        request.prompt.guidelines = "be short".to_owned();
        request
            .prompt
            .messages
            .insert(0, Message::new(Role::System, "s"));
        request
    }

    fn sent(body: Value) -> (Value, &'static str) {
        let body = Body::of(Some(&body), &Method::POST).unwrap().unwrap();
        let FilledBody {
            bytes,
            content_type,
        } = body.fill(&request()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        (value, content_type)
    }

    #[test]
    fn an_object_has_its_strings_filled_in_and_is_sent_as_json() {
        let body = json!({
            "q": "{{ question }}", "all": "id {{ eval_id }}: {{ question }}", "n": 5,
            "messages": "{{ messages }}", "list": ["{{ guidelines }}"],
            "plain": "{ not one }",
        });
        let expected = json!({
            "q": "a \"b\"\nc", "all": "id case: a \"b\"\nc", "n": 5,
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "a \"b\"\nc"},
            ],
            "list": ["be short"],
            "plain": "{ not one }",
        });
        assert_eq!(sent(body), (expected, "application/json"));
    }

    #[test]
    fn a_filled_text_is_sent_unchanged() {
        let body = json!(r#"{"q": {{ question | tojson }}}"#);
        assert_eq!(sent(body), (json!({"q": "a \"b\"\nc"}), "application/json"));
        let (text, content_type) = sent(json!("Q: {{ question }}"));
        assert_eq!(text, json!("Q: a \"b\"\nc"));
        assert_eq!(content_type, "text/plain; charset=utf-8");
    }

    #[test]
    fn a_value_within_a_string_of_json_is_escaped_once() {
        for body in [
            r#"{"q": "{{ question }}"}"#,
            r#"{"q": "{{question}}{# a "quote" #}"}"#,
            r#"{"q": {{ question | tojson }}}"#,
            r#"{% for m in messages %}{% if m.role == "user" %}{"q": "{{ m.content }}"}{% endif %}{% endfor %}"#,
        ] {
            let expected = (json!({"q": "a \"b\"\nc"}), "application/json");
            assert_eq!(sent(json!(body)), expected, "{body}");
        }
        let body = json!(r#"{"id": "{{ eval_id }}", "t": "say \"{{ question | upper }}\""}"#);
        let expected = json!({"id": "case", "t": "say \"A \"B\"\nC\""});
        assert_eq!(sent(body), (expected, "application/json"));
    }

    #[test]
    fn without_a_body_the_prompt_is_sent_where_the_method_has_one() {
        let body = Body::of(None, &Method::POST).unwrap().unwrap();
        let filled = body.fill(&request()).unwrap();
        let value: Value = serde_json::from_slice(&filled.bytes).unwrap();
        assert_eq!(value, json!({"prompt": request().prompt.text()}));
        assert!(Body::of(None, &Method::GET).unwrap().is_none());
    }

    #[test]
    fn an_invalid_template_is_refused_before_the_run() {
        for (body, expected) in [
            (
                json!({"q": "{{ quesion }}"}),
                "`body`: unknown variable `quesion` in a template; did you mean `question`?",
            ),
            (
                json!("{{ x }}"),
                "`body`: unknown variable `x` in a template; \
                 known: question, prompt, guidelines, messages, eval_id",
            ),
        ] {
            let error = Body::of(Some(&body), &Method::POST).err().unwrap();
            assert_eq!(error.to_string(), expected);
        }
        let error = Body::of(Some(&json!("{{ question")), &Method::POST)
            .err()
            .unwrap();
        assert!(
            error
                .to_string()
                .starts_with("`body`: not a valid template: syntax error")
        );
    }

    #[test]
    fn a_template_that_never_ends_is_stopped() {
        let endless =
            "{% for a in range(9999) %}{% for b in range(9999) %}{{ b }}{% endfor %}{% endfor %}";
        let body = Body::of(Some(&json!(endless)), &Method::POST)
            .unwrap()
            .unwrap();
        assert!(body.fill(&request()).is_err());
    }
}
