//! Checks of a model's fields that need more than their shapes.

use std::cell::RefCell;

use agentv_core::Extra;
use agentv_syntax::{Code, Node, Problem};
use serde_json::Value;

use super::fields::{field, inside};
use crate::kinds::ProviderKind;
use crate::target::{SettingError, Settings, canonical, snake_case};
use crate::{Environment, Surroundings};

/// Fields of other tools that hold the address of an API.
const ADDRESSES: &[&str] = &[
    "url",
    "endpoint",
    "api_base",
    "api_url",
    "api_base_url",
    "base",
    "host",
    "server",
];

/// Fields of vendors that a target only has under `params`.
const SAMPLING: &[&str] = &[
    "top_k",
    "min_p",
    "typical_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "logit_bias",
    "parallel_tool_calls",
    "service_tier",
    "verbosity",
    "n",
    "user",
    "metadata",
    "safety_settings",
];

/// Checks a target of a vendor: its key, its numbers, and its fields together. `has_errors` says if its shape
/// is wrong already.
pub(super) fn check_model(
    kind: &'static ProviderKind,
    target: Node<'_>,
    path: &str,
    has_errors: bool,
    problems: &mut Vec<Problem>,
) {
    problems.extend(literal_key(target, path));
    check_numbers(target, path, problems);
    if !has_errors {
        problems.extend(refused(kind, target, path));
    }
}

/// Returns better advice for an unknown field of a model than that of its spelling.
pub(super) fn advice(kind: &ProviderKind, name: &str) -> Option<String> {
    let name = snake_case(name);
    let has = |name: &str| kind.kind.options.field(name).is_some();
    if ADDRESSES.contains(&name.as_str()) && has("base_url") {
        return Some("did you mean `base_url`?".to_owned());
    }
    let is_sampling = SAMPLING.contains(&name.as_str()) && has("params");
    is_sampling.then(|| format!("to send it to the model, write `params: {{{name}: …}}`"))
}

/// Reports a key in the spelling of a shell or of a template.
fn literal_key(target: Node<'_>, path: &str) -> Option<Problem> {
    let (key, value) = field(target, "api_key")?;
    let text = value.as_str()?;
    if text.contains("${{") {
        return None;
    }
    let name = text
        .strip_prefix("{{")
        .and_then(|rest| rest.strip_suffix("}}"));
    let name = name.or_else(|| text.strip_prefix('$'))?;
    let name = name.trim().trim_matches(['{', '}']).trim();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let message = format!("the key is sent as it is written: `{text}`");
    let problem = Problem::warning(Code::LiteralVariable, value.span(), message);
    let hint = format!("for the variable, write `${{{{ {name} }}}}`");
    Some(problem.at(inside(path, &key.text())).hint(hint))
}

/// Reports numbers that cannot be sent as they are written. Those of `params` can.
fn check_numbers(target: Node<'_>, path: &str, problems: &mut Vec<Problem>) {
    let place = |number| inside(path, &target.path_to(number));
    let is_read = |number: &Node<'_>| !target.path_to(*number).starts_with("params.");
    for number in target.overflowing_numbers().filter(is_read) {
        let message = "the number is too large";
        let problem = Problem::error(Code::OutOfRange, number.span(), message);
        problems.push(problem.at(place(number)));
    }
    let is_kept = |number: &Node<'_>| number.as_f64().is_some_and(f64::is_finite);
    let is_kept = |number: &Node<'_>| is_kept(number) && is_read(number);
    for number in target.inexact_numbers().filter(is_kept) {
        let message = "the number has too many digits; the last ones are rounded";
        let problem = Problem::warning(Code::InexactNumber, number.span(), message);
        let hint = "a vendor that accepts it as a string gets all digits if you put it in quotes";
        problems.push(problem.at(place(number)).hint(hint));
    }
}

/// Builds the model without its variables, and reports the field that this refuses.
fn refused(kind: &'static ProviderKind, target: Node<'_>, path: &str) -> Option<Problem> {
    let Value::Object(written) = target.to_value() else {
        return None;
    };
    let known = written
        .into_iter()
        .filter(|(_, value)| !has_reference(value));
    let mut fields: Extra = known
        .map(|(key, value)| (canonical(&snake_case(&key)).to_owned(), value))
        .collect();
    for (name, value) in [
        ("api_key", "key"),
        ("model", "model"),
        ("endpoint", "https://localhost"),
        ("region", "us-east-1"),
    ] {
        if kind.kind.options.field(name).is_some() {
            fields.entry(name).or_insert_with(|| value.into());
        }
    }
    let error = (kind.build)(&settings(kind, fields)).err()?;
    let SettingError {
        field: Some(name),
        message,
        hint,
    } = error
    else {
        return None;
    };
    // Only what is written can be wrong in the file.
    let (key, value) = target
        .fields()
        .find(|(key, value)| canonical(&snake_case(&key.text())) == name && !value.is_null())?;
    let problem = Problem::error(
        Code::RefusedSetting,
        value.span(),
        format!("`{name}`: {message}"),
    );
    let problem = problem.at(inside(path, &key.text()));
    Some(match hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    })
}

fn settings(kind: &ProviderKind, fields: Extra) -> Settings {
    let folder = std::path::PathBuf::from(".");
    Settings {
        name: String::new(),
        fields,
        exact: Vec::new(),
        environment: Environment::default(),
        folder: folder.clone(),
        surroundings: Surroundings {
            folder: folder.clone(),
            root: folder.clone(),
            working_dir: folder,
        },
        timeout: kind.limits.timeout,
        taken: RefCell::default(),
    }
}

/// Checks for a variable in a value, whose value is not known here.
fn has_reference(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${{"),
        Value::Array(items) => items.iter().any(has_reference),
        Value::Object(fields) => fields.values().any(has_reference),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
