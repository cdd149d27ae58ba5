//! The input of a case: shorthands expanded, files and the suite's input put in front.

use agentv_syntax::{NodeKind, Placed};
use serde_json::json;

use super::notes::Notes;

/// The parts of a suite that belong to the input of its cases.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedInput {
    /// Messages, or a text, in front of the input of each case.
    pub(super) input: Option<Placed>,
    /// Files of cases that have none themselves.
    pub(super) files: Option<Placed>,
}

/// Returns the input of a case: the suite's messages, then its files and its own input.
pub(super) fn input(
    own: Placed,
    own_files: Option<Placed>,
    shared: &SharedInput,
    notes: &mut Notes,
) -> Placed {
    let files = own_files.or_else(|| shared.files.clone());
    let own = match files.filter(|files| !files.items().is_empty()) {
        Some(files) => with_files(own, &files, notes),
        None => one_message(own),
    };
    let Some(before) = &shared.input else {
        return own;
    };
    let span = own.span.clone();
    let mut messages = as_messages(before.clone());
    messages.append(&mut as_messages(own));
    Placed::list(span, messages)
}

/// Returns an object as one message: itself, or its content. Other inputs stay as they are.
fn one_message(input: Placed) -> Placed {
    if input.kind() == NodeKind::Object {
        let span = input.span.clone();
        Placed::list(span, as_messages(input))
    } else {
        input
    }
}

/// Returns an input as messages. Elements that are not messages stay, and are refused later.
fn as_messages(input: Placed) -> Vec<Placed> {
    if input.kind() == NodeKind::Array {
        return input.items().to_vec();
    }
    if input.given("role").is_some() {
        return vec![input];
    }
    vec![user_message(input)]
}

fn user_message(content: Placed) -> Placed {
    let span = content.span.clone();
    let mut message = Placed::map(span.clone());
    message.put("role", span.clone(), Placed::text(span.clone(), "user"));
    message.put("content", span, content);
    message
}

/// Returns a message with the files in front of the text.
fn with_files(text: Placed, files: &Placed, notes: &mut Notes) -> Placed {
    if text.kind() != NodeKind::String {
        notes.wrong_type(&text, "a string, because there are `input_files`");
        return text;
    }
    let span = text.span.clone();
    let mut blocks: Vec<Placed> = files
        .items()
        .iter()
        .map(|file| block("file", file))
        .collect();
    blocks.push(block("text", &text));
    let message = user_message(Placed::list(span.clone(), blocks));
    Placed::list(span, vec![message])
}

fn block(kind: &str, value: &Placed) -> Placed {
    let mut block = Placed::of_value(value.span.clone(), &json!({"type": kind}));
    block.put("value", value.span.clone(), value.clone());
    block
}
