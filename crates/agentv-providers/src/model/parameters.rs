//! The parameters of a model, from the fields of a target.

use std::sync::Arc;

use agentv_core::Extra;
use agentv_syntax::Draft;
use serde_json::Value;

use crate::target::{SettingError, Settings};
use crate::wire::{Format, Parameter, Parameters, ToolChoice, Wire};

/// Reads the parameters of a target.
///
/// # Errors
/// If a value is wrong, or the protocol has no such parameter.
pub(super) fn parameters(
    settings: &Settings,
    wire: &'static dyn Wire,
) -> Result<Parameters, SettingError> {
    let parameters = Parameters {
        temperature: settings.number("temperature")?,
        top_p: settings.number("top_p")?,
        max_output_tokens: token_count(settings, "max_output_tokens")?,
        stop: stop(settings)?,
        seed: seed(settings)?,
        reasoning_effort: settings.text("reasoning_effort").map(str::to_owned),
        thinking_budget: token_count(settings, "thinking_budget")?,
        format: format(settings)?,
        logprobs: logprobs(settings)?,
        tool_choice: tool_choice(settings)?,
        params: params(settings)?,
    };
    check(&parameters, wire)?;
    check_alternatives(&parameters.params, wire)?;
    Ok(parameters)
}

/// Returns the field of `params` that asks for a stream or for none, if the protocol has it.
pub(super) fn stream_in_params(parameters: &Parameters, wire: &dyn Wire) -> Option<bool> {
    match field_of(&parameters.params, "stream")? {
        Draft::Bool(stream) if wire.streams_by_field() => Some(*stream),
        _ => None,
    }
}

/// Returns a field of `params`, or one in an object of it: their names have a dot between them.
fn field_of<'p>(params: &'p [(String, Draft)], path: &str) -> Option<&'p Draft> {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let (_, value) = params.iter().find(|(given, _)| given == name)?;
    match value {
        value if rest.is_empty() => Some(value),
        Draft::Object(fields) => field_of(fields, rest),
        _ => None,
    }
}

/// Checks that `params` does not ask for several answers, of which all but one would be lost.
fn check_alternatives(
    params: &[(String, Draft)],
    wire: &'static dyn Wire,
) -> Result<(), SettingError> {
    let Some(path) = wire.alternatives() else {
        return Ok(());
    };
    let is_several = |count: &Draft| match count {
        Draft::Number(digits) => digits.parse::<f64>().is_ok_and(|count| count > 1.0),
        _ => false,
    };
    if !field_of(params, path).is_some_and(is_several) {
        return Ok(());
    }
    let message = format!("`{path}` asks for several answers, and a trial has one");
    let hint = "remove it; `--trials` asks several times";
    Err(SettingError::of("params", message).hint(hint))
}

/// Checks that the protocol has every parameter that is set.
fn check(parameters: &Parameters, wire: &'static dyn Wire) -> Result<(), SettingError> {
    let format = parameters.format.as_ref().and_then(|format| match format {
        Format::Text => None,
        Format::JsonObject => Some(("response_format", Parameter::JsonObject)),
        Format::JsonSchema { .. } => Some(("json_schema", Parameter::JsonSchema)),
    });
    let no_tools = parameters.tool_choice == Some(ToolChoice::None);
    let effort = parameters.reasoning_effort.is_some();
    let budget = parameters.thinking_budget.is_some();
    let set = [
        (!parameters.stop.is_empty()).then_some(("stop", Parameter::Stop)),
        parameters.seed.map(|_| ("seed", Parameter::Seed)),
        effort.then_some(("reasoning_effort", Parameter::ReasoningEffort)),
        budget.then_some(("thinking_budget", Parameter::ThinkingBudget)),
        format,
        parameters
            .logprobs
            .map(|_| ("logprobs", Parameter::Logprobs)),
        no_tools.then_some(("tool_choice", Parameter::NoTools)),
    ];
    let mut missing = set.into_iter().flatten();
    match missing.find(|(_, parameter)| !wire.has(*parameter)) {
        None => Ok(()),
        Some((field, parameter)) => {
            let what = match parameter {
                Parameter::NoTools => "no `tool_choice: none`",
                Parameter::JsonObject => "no JSON without a schema",
                _ => "no such parameter",
            };
            let message = format!("the {} protocol has {what}", wire.name());
            let hint = "remove it, or write the vendor's own field under `params`";
            Err(SettingError::of(field, message).hint(hint))
        }
    }
}

pub(super) fn token_count(settings: &Settings, field: &str) -> Result<Option<u64>, SettingError> {
    let count = settings.count(field)?;
    match count.filter(|count| *count > u64::from(u32::MAX)) {
        None => Ok(count),
        Some(_) => Err(SettingError::of(
            field,
            "expected fewer than 4294967296 tokens",
        )),
    }
}

fn stop(settings: &Settings) -> Result<Vec<String>, SettingError> {
    let wrong = || SettingError::of("stop", "expected a string or an array of strings");
    match settings.value("stop") {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

fn seed(settings: &Settings) -> Result<Option<i64>, SettingError> {
    let seed = settings.count("seed")?;
    Ok(seed.and_then(|seed| i64::try_from(seed).ok()))
}

fn logprobs(settings: &Settings) -> Result<Option<u64>, SettingError> {
    match settings.value("logprobs") {
        Some(Value::Bool(true)) => Ok(Some(0)),
        Some(Value::Bool(false)) => Ok(None),
        Some(Value::String(text)) if text == "true" => Ok(Some(0)),
        Some(Value::String(text)) if text == "false" => Ok(None),
        _ => settings.count("logprobs"),
    }
}

fn object<'s>(settings: &'s Settings, field: &str) -> Result<Option<&'s Extra>, SettingError> {
    match settings.value(field) {
        None => Ok(None),
        Some(Value::Object(fields)) => Ok(Some(fields)),
        Some(_) => Err(SettingError::of(field, "expected an object")),
    }
}

fn params(settings: &Settings) -> Result<Vec<(String, Draft)>, SettingError> {
    match settings.as_written("params") {
        None => Ok(Vec::new()),
        Some(Draft::Object(fields)) => Ok(fields),
        Some(_) => Err(SettingError::of("params", "expected an object")),
    }
}

fn format(settings: &Settings) -> Result<Option<Format>, SettingError> {
    let schema = object(settings, "json_schema")?;
    let written = settings.value("response_format");
    match (schema, written) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(SettingError::of(
            "json_schema",
            "`response_format` is given too; remove one of them",
        )),
        (Some(schema), None) => Ok(Some(schema_of(schema))),
        (None, Some(written)) => written_format(written).map(Some),
    }
}

/// Returns the format of a field `json_schema`: a schema, or an object with `schema`, `name` and
/// `strict` as OpenAI writes it.
fn schema_of(fields: &Extra) -> Format {
    let (schema, name, strict) = match fields.get("schema") {
        Some(schema @ Value::Object(_)) => (
            schema.clone(),
            fields.get("name").and_then(Value::as_str),
            fields.get("strict").and_then(Value::as_bool),
        ),
        _ => (Value::Object(fields.clone()), None, None),
    };
    Format::JsonSchema {
        name: name.unwrap_or("answer").to_owned(),
        schema: Arc::new(schema),
        strict,
    }
}

fn written_format(written: &Value) -> Result<Format, SettingError> {
    let wrong = || {
        SettingError::of(
            "response_format",
            "expected `text`, `json_object`, or an object with `type` and `json_schema`",
        )
    };
    let kind = written.as_str().or_else(|| written.get("type")?.as_str());
    match kind.ok_or_else(wrong)? {
        "text" => Ok(Format::Text),
        "json" | "json_object" => Ok(Format::JsonObject),
        "json_schema" => {
            let nested = written.get("json_schema").and_then(Value::as_object);
            let fields = nested.or_else(|| written.as_object());
            Ok(schema_of(fields.ok_or_else(wrong)?))
        }
        _ => Err(wrong()),
    }
}

fn tool_choice(settings: &Settings) -> Result<Option<ToolChoice>, SettingError> {
    let Some(choice) = settings.text("tool_choice") else {
        return Ok(None);
    };
    Ok(Some(match choice {
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::None,
        "required" => ToolChoice::Required,
        name => ToolChoice::Named(name.to_owned()),
    }))
}
