//! The variables of a judge's prompt.

use std::collections::BTreeMap;

use agentv_core::{Message, Role, Subject};
use serde_json::Value;

use super::fence::Fence;
use crate::workspace::shown_changes;

/// The names of the variables.
pub(super) const NAMES: &[&str] = &[
    "question",
    "expected_outcome",
    "reference_answer",
    "candidate_answer",
    "input_messages",
    "expected_messages",
    "output_messages",
    "file_changes",
];

/// Other names of variables, which prompts written for later versions of AgentV use, and further ones.
pub(super) const OTHER_NAMES: &[&str] = &[
    "input",
    "output",
    "expected_output",
    "criteria",
    "rubric",
    "metadata",
    "metadata_json",
    "tool_calls",
];

/// The variable with the results of other evaluators, for a judge that combines them.
pub(super) const RESULTS: &str = "EVALUATOR_RESULTS_JSON";

/// The variables with the user's own text, which the judge should follow. They need no tags.
const TRUSTED: &[&str] = &["expected_outcome", "criteria", "rubric"];

/// Returns the variables that subjects have, with their values: texts, and lists of messages.
pub(super) fn values(subject: &Subject<'_>) -> impl Iterator<Item = (&'static str, Value)> {
    let names = NAMES.iter().chain(OTHER_NAMES);
    names.filter_map(move |name| Some((*name, value(subject, name)?)))
}

/// Returns the variables as texts inside their tags. Missing values are empty.
pub(super) fn tagged(subject: &Subject<'_>, fence: &Fence) -> BTreeMap<&'static str, String> {
    let texts = NAMES.iter().map(|name| {
        let text = match value(subject, name) {
            Some(Value::String(text)) => Some(text),
            Some(messages) => Some(format!("{messages:#}")),
            None => None,
        };
        let tagged = text.map(|text| tag(fence, name, &text));
        (*name, tagged.unwrap_or_default())
    });
    texts.collect()
}

/// Returns the variables whose text others wrote.
pub(super) fn untrusted() -> Vec<&'static str> {
    let names = NAMES.iter().chain(OTHER_NAMES).copied().chain([RESULTS]);
    names.filter(|name| !TRUSTED.contains(name)).collect()
}

/// Puts text of a variable between its tags. The role of a message needs none.
pub(super) fn tag(fence: &Fence, variable: &str, text: &str) -> String {
    let is_role = || Role::named(text).is_some();
    match variable {
        trusted if TRUSTED.contains(&trusted) => text.to_owned(),
        RESULTS => fence.wrap("evaluator_results", text),
        _ if variable.ends_with("_messages") && is_role() => text.to_owned(),
        _ => fence.wrap(variable, text),
    }
}

fn value(subject: &Subject<'_>, name: &str) -> Option<Value> {
    let case = subject.case;
    let messages = |messages: &[Message]| {
        let is_there = !messages.is_empty();
        is_there.then(|| serde_json::to_value(messages).unwrap_or_default())
    };
    match name {
        "question" | "input" => Some(Value::from(subject.prompt.question.as_str())),
        "expected_outcome" | "criteria" | "rubric" => {
            case.expected_outcome.clone().map(Value::from)
        }
        "reference_answer" | "expected_output" => subject.reference_answer().map(Value::from),
        "candidate_answer" | "output" => Some(Value::from(subject.answer)),
        "input_messages" => messages(&case.input_messages),
        "expected_messages" => messages(&case.expected_messages),
        "output_messages" => messages(&subject.transcript.output_messages),
        "file_changes" => shown_changes(subject.transcript).map(Value::from),
        "metadata" => {
            let metadata = case.extra.get("metadata")?;
            serde_json::to_string_pretty(metadata).ok().map(Value::from)
        }
        "metadata_json" => Some(Value::from(case.extra.get("metadata")?.to_string())),
        "tool_calls" => {
            let calls: Vec<_> = subject.transcript.tool_calls().collect();
            let text = serde_json::to_string_pretty(&calls).unwrap_or_default();
            (!calls.is_empty()).then(|| Value::from(text))
        }
        _ => None,
    }
}
