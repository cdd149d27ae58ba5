//! The body of a request: a template that a case is filled into.

use agentv_core::{Prompt, Request};
use agentv_syntax::nearest;
use minijinja::{Environment, UndefinedBehavior, context};
use reqwest::Method;
use serde_json::{Value, json};

use crate::settings::SettingError;

/// What a template may use.
const VARIABLES: &[&str] = &["question", "prompt", "guidelines", "messages", "eval_id"];
/// Steps that a template may take, so that a loop in it ends.
const FUEL: u64 = 1_000_000;

/// The body of a request, not filled in yet.
pub(super) enum Body {
    Text(String),
    Json(Value),
}

/// A body that can be sent.
pub(super) struct Filled {
    pub(super) bytes: Vec<u8>,
    pub(super) content_type: &'static str,
}

impl Body {
    /// The body that the user wrote; else the prompt, where the method has a body.
    pub(super) fn of(
        written: Option<&Value>,
        method: &Method,
    ) -> Result<Option<Body>, SettingError> {
        let body = match written {
            Some(Value::String(text)) => Body::Text(text.clone()),
            Some(other) => Body::Json(other.clone()),
            None if matches!(*method, Method::GET | Method::DELETE) => return Ok(None),
            None => Body::Json(json!({ "prompt": "{{ prompt }}" })),
        };
        body.check()
            .map_err(|reason| SettingError::of("body", reason))?;
        Ok(Some(body))
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Body::Text(template) => check(template),
            Body::Json(value) => check_all(value),
        }
    }

    pub(super) fn fill(&self, request: &Request) -> Result<Filled, String> {
        match self {
            Body::Text(template) => {
                let text = text_template(template, request)?;
                let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
                Ok(Filled {
                    bytes: text.into_bytes(),
                    content_type: match is_json {
                        true => "application/json",
                        false => "text/plain; charset=utf-8",
                    },
                })
            }
            Body::Json(value) => Ok(Filled {
                bytes: filled(value, request)?.to_string().into_bytes(),
                content_type: "application/json",
            }),
        }
    }
}

/// A text with a case filled in.
pub(super) fn text_template(template: &str, request: &Request) -> Result<String, String> {
    if !is_template(template) {
        return Ok(template.to_owned());
    }
    let filled = environment().render_str(template, context_of(request));
    filled.map_err(|error| format!("a template cannot be filled in: {}", said(&error)))
}

/// A text with something simple filled in, to see what kind of text it becomes.
pub(super) fn sample_of(template: &str) -> Result<String, String> {
    check(template)?;
    let request = Request {
        prompt: Prompt::of_text("a"),
        eval_id: "a".to_owned(),
        ..Request::of_text(
            "",
            std::path::Path::new("").into(),
            std::time::Duration::ZERO,
        )
    };
    text_template(template, &request)
}

fn filled(value: &Value, request: &Request) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => match expression(text) {
            Some(expression) => evaluated(expression, request)?,
            None => Value::String(text_template(text, request)?),
        },
        Value::Array(items) => {
            let items = items.iter().map(|item| filled(item, request));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| Ok((name.clone(), filled(value, request)?)));
            Value::Object(fields.collect::<Result<_, String>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

/// What is inside a string that is one `{{ … }}` and nothing else: its value need not be a string.
fn expression(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!inner.contains("{{") && !inner.contains("}}")).then_some(inner)
}

fn evaluated(expression: &str, request: &Request) -> Result<Value, String> {
    let environment = environment();
    let value = environment
        .compile_expression(expression)
        .and_then(|expression| expression.eval(context_of(request)))
        .map_err(|error| format!("a template cannot be filled in: {}", said(&error)))?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

fn context_of(request: &Request) -> minijinja::Value {
    let Prompt {
        question,
        guidelines,
        messages,
    } = &request.prompt;
    let messages: Vec<Value> = messages
        .iter()
        .map(|(role, text)| json!({"role": role.as_str(), "content": text}))
        .collect();
    context! {
        question,
        guidelines,
        prompt => request.prompt.text(),
        messages => minijinja::Value::from(minijinja::value::Serde(&messages)),
        eval_id => request.eval_id.as_str(),
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment
}

fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%") || text.contains("{#")
}

fn check_all(value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => check(text),
        Value::Array(items) => items.iter().try_for_each(check_all),
        Value::Object(fields) => fields.values().try_for_each(check_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// A template that cannot be read, or uses a variable that is not there, is refused beforehand.
fn check(text: &str) -> Result<(), String> {
    if !is_template(text) {
        return Ok(());
    }
    let environment = environment();
    let template = environment.template_from_str(text);
    let template = template.map_err(|error| format!("is no template: {}", said(&error)))?;
    let mut used: Vec<String> = template.undeclared_variables(false).into_iter().collect();
    used.sort_unstable();
    let unknown = used.into_iter().find(|name| {
        !VARIABLES.contains(&name.as_str())
            && !environment.globals().any(|(known, _)| known == name)
    });
    let Some(name) = unknown else {
        return Ok(());
    };
    let help = match nearest(&name, VARIABLES.iter().copied()) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("known: {}", VARIABLES.join(", ")),
    };
    Err(format!("unknown variable `{name}` in a template; {help}"))
}

fn said(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_core::Role;
    use std::path::Path;
    use std::time::Duration;

    fn request() -> Request {
        let mut request = Request::of_text("a \"b\"\nc", Path::new("/").into(), Duration::MAX);
        request.eval_id = "case".to_owned();
        request.prompt.guidelines = "be short".to_owned();
        request
            .prompt
            .messages
            .insert(0, (Role::System, "s".to_owned()));
        request
    }

    fn sent(body: Value) -> (Value, &'static str) {
        let body = Body::of(Some(&body), &Method::POST).unwrap().unwrap();
        let Filled {
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
    fn a_text_is_sent_as_it_is_filled_in() {
        let body = json!(r#"{"q": {{ question | tojson }}}"#);
        assert_eq!(sent(body), (json!({"q": "a \"b\"\nc"}), "application/json"));
        let (text, content_type) = sent(json!("Q: {{ question }}"));
        assert_eq!(text, json!("Q: a \"b\"\nc"));
        assert_eq!(content_type, "text/plain; charset=utf-8");
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
    fn what_is_no_template_is_refused_beforehand() {
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
                .starts_with("`body`: is no template: syntax error")
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
