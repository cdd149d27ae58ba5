//! Renames the id of a case.

use std::collections::HashMap;
use std::ops::Range;

use agentv_dataset::FileRole;
use agentv_syntax::{Tree, json, yaml};
use gen_lsp_types::{Position, Range as LspRange, TextEdit, WorkspaceEdit};
use thiserror::Error;

use super::case_rows::case_rows;
use super::context::Context;
use crate::loose::{Spot, SpotKind, Step};

/// The reason why a name is refused.
#[derive(Debug, Error)]
pub(crate) enum RenameError {
    #[error("only the id of a case can be renamed: put the cursor on the value of `id`")]
    NotAnId,
    #[error("the id of a case must not be empty")]
    Empty,
    #[error("the id `{0}` is taken by another case of this file")]
    Taken(String),
}

/// Returns the place of the id at a position.
pub(crate) fn prepare_rename(context: &Context<'_>, position: Position) -> Option<LspRange> {
    let (span, _) = id_at(context, position)?;
    Some(context.encoding.range(context.text(), &span))
}

/// Returns the change that gives the case at a position another id.
///
/// # Errors
/// Fails if there is no id, or if the new one cannot be used.
pub(crate) fn rename(
    context: &Context<'_>,
    position: Position,
    new_name: &str,
) -> Result<WorkspaceEdit, RenameError> {
    let (span, id) = id_at(context, position).ok_or(RenameError::NotAnId)?;
    if new_name.trim().is_empty() {
        return Err(RenameError::Empty);
    }
    let is_taken = id != new_name && case_rows(context).iter().any(|row| row.id == new_name);
    if is_taken {
        return Err(RenameError::Taken(new_name.to_owned()));
    }
    let edit = TextEdit {
        range: context.encoding.range(context.text(), &span),
        new_text: written(new_name, context.document.is_lines()),
    };
    let changes = HashMap::from([(context.document.uri.clone(), vec![edit])]);
    Ok(WorkspaceEdit {
        changes: Some(changes),
        ..WorkspaceEdit::default()
    })
}

/// Returns the place of the id of a case with its quotes, and the id.
fn id_at(context: &Context<'_>, position: Position) -> Option<(Range<usize>, String)> {
    if context.role != FileRole::EvalFile {
        return None;
    }
    let offset = context.offset(position);
    let tree = context.outline(context.text(), offset);
    let spot = tree.spot(offset)?;
    if !is_id_of_case(context, &spot) {
        return None;
    }
    let quotes = usize::from(spot.quote.is_some());
    let span = spot.span.start - quotes..spot.span.end + quotes;
    let id = read(&context.text()[span.clone()], context.document.is_lines())?;
    Some((span, id))
}

fn is_id_of_case(context: &Context<'_>, spot: &Spot<'_>) -> bool {
    let key = |name: &str| Step::Key(name.to_owned());
    let is_value = spot.kind == SpotKind::Value;
    match spot.path.as_slice() {
        [id] => is_value && context.document.is_lines() && *id == key("id"),
        [cases, Step::Index(_), id] => {
            let lists = ["evalcases", "tests", "eval_cases"];
            is_value && *id == key("id") && lists.iter().any(|name| *cases == key(name))
        }
        _ => false,
    }
}

/// Returns the text that a scalar stands for.
fn read(written: &str, is_json: bool) -> Option<String> {
    let mut tree = Tree::default();
    if is_json {
        json::parse(written, &mut tree).ok()?;
    } else {
        yaml::parse(written, &mut tree).ok()?;
    }
    Some(tree.root().text().into_owned())
}

/// Returns an id as it is written: in quotes if it would mean something else without them.
fn written(id: &str, is_json: bool) -> String {
    let quoted = || serde_json::Value::String(id.to_owned()).to_string();
    if is_json {
        return quoted();
    }
    let mut tree = Tree::default();
    let as_item = format!("[{{id: {id}}}]");
    let is_plain = yaml::parse(&as_item, &mut tree).is_ok() && {
        let item = tree.root().items().next();
        let read = item
            .and_then(|item| item.get("id"))
            .and_then(|id| id.as_str());
        read.as_deref() == Some(id)
    };
    if is_plain { id.to_owned() } else { quoted() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_meaning_in_yaml() {
        assert_eq!(written("greeting", false), "greeting");
        for id in ["12", "true", "a: b", "a #b", "[x]", "null", "- a", "ä\n"] {
            assert!(written(id, false).starts_with('"'), "{id}");
            assert_eq!(read(&written(id, false), false).as_deref(), Some(id));
        }
        assert_eq!(written("greeting", true), "\"greeting\"");
    }
}
