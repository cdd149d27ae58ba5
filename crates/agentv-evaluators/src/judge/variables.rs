//! The variables of a judge's prompt.

use std::collections::BTreeMap;

use agentv_core::{Message, Subject};

use super::fence::Fence;

/// The names of the variables.
pub(super) const NAMES: &[&str] = &[
    "question",
    "expected_outcome",
    "reference_answer",
    "candidate_answer",
    "input_messages",
    "expected_messages",
    "output_messages",
];

/// The variable with the results of other evaluators, for a judge that combines them.
pub(super) const RESULTS: &str = "EVALUATOR_RESULTS_JSON";

/// Returns the `wanted` variables, each inside its tags. The expected outcome has no tags: it is
/// the user's own text, which the judge should follow. Missing values are empty.
pub(super) fn fenced(
    subject: &Subject<'_>,
    fence: &Fence,
    wanted: impl Fn(&str) -> bool,
) -> BTreeMap<&'static str, String> {
    let names = NAMES.iter().filter(|name| wanted(name));
    names
        .map(|name| {
            let text = text(subject, name);
            let text = match (*name, text) {
                ("expected_outcome", text) => text.unwrap_or_default(),
                (name, Some(text)) => fence.wrap(name, &text),
                (_, None) => String::new(),
            };
            (*name, text)
        })
        .collect()
}

fn text(subject: &Subject<'_>, name: &str) -> Option<String> {
    let case = subject.case;
    let messages = |messages: &[Message]| {
        let is_there = !messages.is_empty();
        is_there.then(|| serde_json::to_string_pretty(messages).unwrap_or_default())
    };
    match name {
        "question" => Some(subject.prompt.question.clone()),
        "expected_outcome" => case.expected_outcome.clone(),
        "reference_answer" => subject.reference_answer(),
        "candidate_answer" => Some(subject.answer.to_owned()),
        "input_messages" => messages(&case.input_messages),
        "expected_messages" => messages(&case.expected_messages),
        "output_messages" => messages(&subject.transcript.output_messages),
        _ => None,
    }
}
