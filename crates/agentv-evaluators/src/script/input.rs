//! The input of a script: the case and the answer as JSON.

use std::path::Path;

use agentv_core::{Block, Content, Extra, Message, Subject};
use serde::Serialize;
use serde_json::{Value, json};

/// Returns the JSON that every script reads on its stdin: the answer, the case, and all other fields
/// of the case under their own names. Missing values have no key, and missing lists are empty. Paths
/// of files are absolute, whatever folder the script runs in.
pub(crate) fn of(subject: &Subject<'_>, root: &Path) -> Extra {
    let case = subject.case;
    let absolute = |path: &String| root.join(path).to_string_lossy().into_owned();
    let guidelines: Vec<String> = case.guideline_files.iter().map(absolute).collect();
    let mut files: Vec<String> = Vec::new();
    for path in paths(&case.input_messages) {
        let file = absolute(path);
        if !case.guideline_files.contains(path) && !files.contains(&file) {
            files.push(file);
        }
    }
    let fields = [
        ("eval_id", json!(case.id)),
        ("conversation_id", json!(case.conversation_id)),
        ("question", json!(subject.prompt.question)),
        ("expected_outcome", json!(case.expected_outcome)),
        ("expected_messages", value(&case.expected_messages)),
        ("reference_answer", json!(subject.reference_answer())),
        ("candidate_answer", json!(subject.answer)),
        (
            "output_messages",
            value(&subject.transcript.output_messages),
        ),
        ("guideline_files", json!(guidelines)),
        ("input_files", json!(files)),
        ("input_messages", value(&case.input_messages)),
        ("trace_summary", value(subject.trace)),
        (
            "workspace",
            json!(subject.workspace.map(|workspace| &workspace.work)),
        ),
        ("file_changes", json!(subject.transcript.file_changes)),
        ("variables", variables(&case.variables)),
    ];
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    let mut input: Extra = fields
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    for (name, value) in &case.extra {
        // A field with the name of one above does not replace it.
        if !value.is_null() && !input.contains_key(name) {
            input.insert(name.clone(), value.clone());
        }
    }
    input
}

/// Returns the variables of a case, or null if there are none.
fn variables(variables: &Extra) -> Value {
    if variables.is_empty() {
        Value::Null
    } else {
        Value::Object(variables.clone())
    }
}

/// Adds the settings of a script as the last field.
pub(crate) fn configured(mut input: Extra, config: &Extra) -> Extra {
    input.insert("config".to_owned(), Value::Object(config.clone()));
    input
}

/// Returns the paths of the files in messages.
fn paths(messages: &[Message]) -> impl Iterator<Item = &String> {
    let contents = messages
        .iter()
        .filter_map(|message| match &message.content {
            Some(Content::Blocks(blocks)) => Some(blocks),
            _ => None,
        });
    contents.flatten().filter_map(|block| match block {
        Block::File(file) => file.path.as_ref(),
        Block::Text(_) | Block::Other(_) => None,
    })
}

fn value(value: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
