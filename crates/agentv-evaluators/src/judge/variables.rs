//! What a judge's prompt may show of a case and its answer.

use std::collections::BTreeMap;

use agentv_core::{Message, Subject};

use super::fence::Fence;

/// The variables of a judge's prompt.
pub(super) const NAMES: &[&str] = &[
    "question",
    "expected_outcome",
    "reference_answer",
    "candidate_answer",
    "input_messages",
    "expected_messages",
    "output_messages",
];

/// The variable that holds what other evaluators said, in the prompt of a judge that joins them.
pub(super) const RESULTS: &str = "EVALUATOR_RESULTS_JSON";

/// The variables that are `wanted`, each in its tags. What is expected is the user's own word, which
/// the judge is to follow, and has none. What a case does not have is empty.
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
