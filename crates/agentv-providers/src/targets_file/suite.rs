//! Providers that a suite of another dialect defines itself, read as targets of ours.

use std::sync::Arc;

use agentv_syntax::{
    Code, Diagnostic, Lines, NodeKind, Placed, PlacedField, PlacedValue, Problem, Tree,
};

use super::check::{TargetProblem, inspect_tree};
use super::dialect::{name_target, rename_kind};
use super::provider_id::{self, Meaning, Settings};
use super::shape::REGISTRY;
use crate::kinds;

/// The providers of a suite: objects with `name`, `id` and `config`, whose places are in `source`.
#[derive(Debug, Clone, Copy)]
pub struct SuiteProviders<'s> {
    /// The suite, as the user knows it.
    pub file: &'s Arc<str>,
    /// The text of the suite.
    pub source: &'s str,
    /// The providers.
    pub list: &'s [Placed],
}

/// The targets of a suite, and their problems.
pub(crate) struct SuiteTargets {
    pub(crate) tree: Tree,
    pub(crate) lines: Lines,
    pub(crate) problems: Vec<TargetProblem>,
}

/// Returns the providers of a suite as targets.
pub(crate) fn translated(suite: SuiteProviders<'_>) -> SuiteTargets {
    let mut problems = Vec::new();
    let targets = suite.list.iter().enumerate().map(|(index, provider)| {
        let mut own = Vec::new();
        let target = one(provider.clone(), &mut own);
        problems.extend(own.into_iter().map(|problem| Problem {
            path: format!("targets[{index}]"),
            ..problem
        }));
        target
    });
    let targets = Placed::list(0..0, targets.collect());
    let mut file = Placed::map(0..0);
    file.put("targets", 0..0, targets);
    let tree = file.to_tree(suite.source);
    let lines = Lines::of(suite.source);
    let mut problems = inspect_tree(tree.root(), suite.source, &lines, suite.file, problems);
    for problem in &mut problems {
        in_words_of_suite(&mut problem.diagnostic);
    }
    SuiteTargets {
        tree,
        lines,
        problems,
    }
}

/// Returns the targets of a suite as a `targets.yaml`.
pub fn suite_as_yaml(suite: SuiteProviders<'_>) -> String {
    let translated = translated(suite);
    agentv_syntax::Draft::from(translated.tree.root()).to_yaml()
}

/// Removes the path of our own format, which the suite does not have.
fn in_words_of_suite(diagnostic: &mut Diagnostic) {
    let path = &mut diagnostic.problem.path;
    *path = match path.split_once("].") {
        Some((_, field)) => field.to_owned(),
        None => String::new(),
    };
}

fn one(mut provider: Placed, problems: &mut Vec<Problem>) -> Placed {
    let mut target = Placed::map(provider.span.clone());
    if let Some(name) = provider.take("name") {
        target.put_as("name", name);
    }
    let config = provider.take("config");
    let id = provider.take("id");
    let written = id
        .as_ref()
        .and_then(|id| id.value.as_str())
        .unwrap_or_default();
    match (provider_id::meaning(written), id) {
        (Some(meaning), Some(id)) => put_meaning(&mut target, meaning, &id, config, problems),
        (None, Some(id)) => {
            let mut whole = Placed::map(target.span.clone());
            whole.put_as("id", id);
            whole.put_as(
                "name",
                target.take("name").unwrap_or_else(|| empty(&provider)),
            );
            name_target(&mut whole);
            rename_kind(&mut whole);
            for field in config.iter().flat_map(|config| config.value.fields()) {
                whole.put_as(field.name.clone(), field.clone());
            }
            target = whole;
        }
        (_, None) => {
            for field in config.iter().flat_map(|config| config.value.fields()) {
                target.put_as(field.name.clone(), field.clone());
            }
        }
    }
    others(provider, &mut target, problems);
    target
}

fn empty(provider: &Placed) -> PlacedField {
    PlacedField {
        name: "name".to_owned(),
        span: provider.span.clone(),
        value: Placed::text(provider.span.clone(), ""),
    }
}

/// Puts the kind of the target and its settings.
fn put_meaning(
    target: &mut Placed,
    meaning: Meaning,
    id: &PlacedField,
    config: Option<PlacedField>,
    problems: &mut Vec<Problem>,
) {
    let place = id.value.span.clone();
    let text = |value: &str| Placed::text(place.clone(), value);
    target.put("provider", id.span.clone(), text(meaning.provider));
    for (name, value) in &meaning.fields {
        target.put(
            *name,
            id.span.clone(),
            Placed::of_value(place.clone(), value),
        );
    }
    let Some(config) = config else { return };
    for field in config.value.fields() {
        put_setting(target, field, &meaning, problems);
    }
}

/// Puts one setting under our name. One that has no counterpart is refused.
fn put_setting(
    target: &mut Placed,
    field: &PlacedField,
    meaning: &Meaning,
    problems: &mut Vec<Problem>,
) {
    let name = field.name.as_str();
    let is_option = |name: &str| {
        let kind = kinds::named(meaning.provider);
        let own = kind.and_then(|kind| kind.kind.options.field(name));
        own.or_else(|| REGISTRY.common.field(name)).is_some()
    };
    if meaning.settings == Settings::Request && put_http(target, field, problems) {
        return;
    }
    let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == name);
    let ours = renamed.map_or(name, |(_, ours)| *ours);
    if name == "apiKeyEnvar"
        && let Some(variable) = field.value.as_str()
    {
        let reference = format!("${{{{ {variable} }}}}");
        let value = Placed::text(field.value.span.clone(), reference);
        return target.put("api_key", field.span.clone(), value);
    }
    if name == "passthrough" {
        return put_parameters(target, field);
    }
    if is_option(ours) && target.given(ours).is_none() {
        return target.put_as(ours, field.clone());
    }
    let is_parameter = meaning.settings == Settings::Parameters
        && !name.contains(|letter: char| letter.is_ascii_uppercase());
    if is_parameter {
        let mut parameters = Placed::map(field.value.span.clone());
        parameters.put_as(name, field.clone());
        let parameters = PlacedField {
            value: parameters,
            ..field.clone()
        };
        return put_parameters(target, &parameters);
    }
    if WITHOUT_EFFECT.contains(&name) {
        let message = format!("`{name}` is not used");
        return problems.push(Problem::warning(Code::NotUsed, field.span.clone(), message));
    }
    problems.push(unsupported(field, "define the target in `targets.yaml`"));
}

/// The settings of models with another name.
const RENAMED: &[(&str, &str)] = &[
    ("apiKey", "api_key"),
    ("apiBaseUrl", "base_url"),
    ("max_tokens", "max_output_tokens"),
    ("maxTokens", "max_output_tokens"),
    ("max_completion_tokens", "max_output_tokens"),
    ("maxOutputTokens", "max_output_tokens"),
    ("topP", "top_p"),
    ("stopSequences", "stop"),
    ("stop_sequences", "stop"),
    ("apiHost", "endpoint"),
    ("apiVersion", "version"),
    ("systemPrompt", "system"),
    ("max_turns", "max_turns"),
    ("timeout", "timeout_seconds"),
];

/// The settings that change no answer.
const WITHOUT_EFFECT: &[&str] = &[
    "cost",
    "showThinking",
    "inputCost",
    "outputCost",
    "serviceTier",
];

/// Adds parameters of the request.
fn put_parameters(target: &mut Placed, field: &PlacedField) {
    let before = target.take("params");
    let mut params = before.unwrap_or_else(|| PlacedField {
        name: "params".to_owned(),
        span: field.span.clone(),
        value: Placed::map(field.value.span.clone()),
    });
    for parameter in field.value.fields() {
        params
            .value
            .put_as(parameter.name.clone(), parameter.clone());
    }
    target.put_as("params", params);
}

/// Puts a setting of an HTTP endpoint. Returns false if it has none of this name.
fn put_http(target: &mut Placed, field: &PlacedField, problems: &mut Vec<Problem>) -> bool {
    match field.name.as_str() {
        "url" => {
            target.take("url");
            target.put_as("url", field.clone());
        }
        "method" | "headers" | "body" => target.put_as(field.name.clone(), field.clone()),
        "transformResponse" | "responseParser" => {
            let path = field
                .value
                .as_str()
                .and_then(provider_id::path_of_expression);
            match path {
                Some(path) if path.is_empty() => {}
                Some(path) => {
                    let value = Placed::text(field.value.span.clone(), path);
                    target.put("response_path", field.span.clone(), value);
                }
                None => problems.push(unsupported(
                    field,
                    "write `response_path` in `targets.yaml`",
                )),
            }
        }
        _ => return false,
    }
    true
}

/// Handles what is written beside `id`, `label` and `config`.
fn others(provider: Placed, target: &mut Placed, problems: &mut Vec<Problem>) {
    let PlacedValue::Map(fields) = provider.value else {
        return;
    };
    for field in fields {
        let instead = match field.name.as_str() {
            "label" if target.given("name").is_none() => {
                target.put_as("name", field);
                continue;
            }
            "label" | "inputs" => continue,
            "delay" => "set `requests_per_minute` on a target in `targets.yaml`",
            "transform" => "grade the answer as it is, or make a `cli` target that changes it",
            "prompts" => "write the prompts of each provider in a file of their own",
            "env" => "set the variables in `.env`",
            _ if target.given(&field.name).is_some() => continue,
            _ => {
                if field.value.kind() != NodeKind::Null {
                    target.put_as(field.name.clone(), field);
                }
                continue;
            }
        };
        problems.push(unsupported(&field, instead));
    }
}

fn unsupported(field: &PlacedField, instead: &str) -> Problem {
    let message = format!("`{}` is not supported", field.name);
    Problem::error(Code::Unsupported, field.span.clone(), message).hint(instead)
}
