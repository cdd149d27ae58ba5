//! Turns a case into an AgentMark row.

use agentv_core::{Content, EvalCase, Prompt};
use agentv_syntax::{CheckCache, Draft, Node, NodeKind};

use super::error::ConvertError;
use super::paths::Moved;
use crate::case::{Fields, read};
use crate::dataset::Dataset;
use crate::format::WrittenRow;
use crate::load::LoadError;

/// Returns the row, and the fields that it omits or changes.
pub(super) fn row_draft(
    row: &WrittenRow<'_>,
    dataset: &Dataset,
    moved: &Moved,
) -> Result<(Draft, Vec<String>), ConvertError> {
    moved.verify()?;
    let node = row.node;
    let mut lost: Vec<String> = node
        .fields()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, _)| key.text().into_owned())
        .filter(|name| !CARRIED.contains(&name.as_str()))
        .collect();
    let case = resolved(row, dataset)?;
    let mut fields = vec![("input".to_owned(), input(node, &case, &mut lost))];
    fields.extend(expected(node, &case, &mut lost).map(|text| {
        let name = "expected_output".to_owned();
        (name, Draft::String(text))
    }));
    Ok((Draft::Object(fields), lost))
}

/// The fields that a row has, under any of their names.
const CARRIED: &[&str] = &[
    "input",
    "input_messages",
    "expected_output",
    "expected_messages",
];

fn resolved(row: &WrittenRow<'_>, dataset: &Dataset) -> Result<EvalCase, ConvertError> {
    let context = dataset.context();
    let mut problems = Vec::new();
    let fields = Fields::of(row.node);
    let written = read(&fields, context, &mut CheckCache::default(), &mut problems);
    let built = written.map(|written| written.build(String::new(), row.line, context));
    match built {
        Some(Ok(case)) => Ok(case),
        Some(Err(problem)) => {
            let diagnostic = row.place(problem.at(row.node, ""));
            Err(LoadError::from(diagnostic).into())
        }
        None => {
            let placed = problems.into_iter().map(|problem| row.place(problem));
            Err(ConvertError::Problems(placed.collect()))
        }
    }
}

fn input(node: Node<'_>, case: &EvalCase, lost: &mut Vec<String>) -> Draft {
    let written = node.given("input_messages").or_else(|| node.given("input"));
    if let Some(object) = written.filter(|input| input.kind() == NodeKind::Object) {
        return Draft::from(object);
    }
    let text = match case.input() {
        [message] if is_bare_text(message, agentv_core::Role::User) => None,
        _ => Some("input (not plain text)".to_owned()),
    };
    lost.extend(text);
    let question = Prompt::of(case).question;
    Draft::Object(vec![("userMessage".to_owned(), Draft::String(question))])
}

fn expected(node: Node<'_>, case: &EvalCase, lost: &mut Vec<String>) -> Option<String> {
    let written = node
        .given("expected_messages")
        .or_else(|| node.given("expected_output"))?;
    let is_text = match case.expected_output() {
        [message] => is_bare_text(message, agentv_core::Role::Assistant),
        _ => false,
    };
    let is_nothing = written.kind() == NodeKind::Array && written.is_empty();
    if !is_text && !is_nothing {
        lost.push("expected_output (not plain text)".to_owned());
    }
    let contents = case.expected_output().iter();
    let texts: Vec<_> = contents
        .filter_map(|message| message.content.as_ref().map(Content::text))
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Checks if a message is a text of that role and nothing else.
fn is_bare_text(message: &agentv_core::Message, role: agentv_core::Role) -> bool {
    message.role == role
        && matches!(message.content, Some(Content::Text(_)))
        && message.name.is_none()
        && message.tool_calls.is_empty()
        && message.extra.is_empty()
}
