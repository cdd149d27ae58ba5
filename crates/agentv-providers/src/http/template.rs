//! Templates that a case is filled into.

use std::path::Path;
use std::time::Duration;

use agentv_core::{Prompt, Request};
use agentv_syntax::nearest;
use minijinja::{Environment, UndefinedBehavior, context};
use serde_json::{Value, json};

use super::json_template::{FILTER, in_json_string};

/// The variables of a template.
const VARIABLES: &[&str] = &["question", "prompt", "guidelines", "messages", "eval_id"];
/// The most steps that a template may take, so that every loop ends.
const FUEL: u64 = 1_000_000;

/// A template that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum TemplateError {
    /// The template cannot be parsed.
    #[error("not a valid template: {}", reason(.0))]
    Invalid(minijinja::Error),
    /// The template uses a variable that does not exist.
    #[error("unknown variable `{name}` in a template; {help}")]
    UnknownVariable { name: String, help: String },
    /// The template fails for this case.
    #[error("cannot fill in a template: {}", reason(.0))]
    Failed(minijinja::Error),
    /// The value of the template cannot be written as JSON.
    #[error(transparent)]
    NotJson(#[from] serde_json::Error),
}

/// Fills a case into a text.
///
/// # Errors
/// If the template fails for this case.
pub(super) fn fill(template: &str, request: &Request) -> Result<String, TemplateError> {
    if !is_template(template) {
        return Ok(template.to_owned());
    }
    let filled = environment().render_str(template, context_of(request));
    filled.map_err(TemplateError::Failed)
}

/// Fills a simple case into a text, to see what kind of text it becomes.
///
/// # Errors
/// If the template is not one.
pub(super) fn sample_of(template: &str) -> Result<String, TemplateError> {
    check(template)?;
    let request = Request {
        prompt: Prompt::of_text("a"),
        eval_id: "a".to_owned(),
        ..Request::of_text("", Path::new("").into(), Duration::ZERO)
    };
    fill(template, &request)
}

/// Evaluates an expression over a case.
///
/// # Errors
/// If the expression fails for this case, or its value is not JSON.
pub(super) fn evaluate(expression: &str, request: &Request) -> Result<Value, TemplateError> {
    let environment = environment();
    let value = environment
        .compile_expression(expression)
        .and_then(|expression| expression.eval(context_of(request)))
        .map_err(TemplateError::Failed)?;
    Ok(serde_json::to_value(value)?)
}

fn context_of(request: &Request) -> minijinja::Value {
    let Prompt {
        question,
        guidelines,
        messages,
    } = &request.prompt;
    let messages: Vec<Value> = messages
        .iter()
        .map(|message| json!({"role": message.role.as_str(), "content": message.text()}))
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
    environment.add_filter(FILTER, |value: minijinja::Value| in_json_string(&value));
    environment
}

fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%") || text.contains("{#")
}

/// Checks a template before any case is filled in.
///
/// # Errors
/// If it cannot be parsed, or uses a variable that does not exist.
pub(super) fn check(text: &str) -> Result<(), TemplateError> {
    if !is_template(text) {
        return Ok(());
    }
    let environment = environment();
    let template = environment.template_from_str(text);
    let template = template.map_err(TemplateError::Invalid)?;
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
    Err(TemplateError::UnknownVariable { name, help })
}

fn reason(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}
