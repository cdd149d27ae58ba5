//! Copies cases as written, with paths for the new place.

use agentv_syntax::{Draft, Node, NodeKind, Text};

use super::error::ConvertError;
use super::paths::Moved;
use crate::case::{EvaluatorDrafts, is_block, is_message};
use crate::dataset::Dataset;
use crate::shapes::{CASE_FIELDS, SIDECAR_FIELDS};

/// The names to write, for each name that may be read.
const PREFERRED: [(&str, &str); 3] = [
    ("input_messages", "input"),
    ("expected_messages", "expected_output"),
    ("outcome", "expected_outcome"),
];

/// Returns a case under the names that the documentation uses, with all its fields, and with an id if it
/// was made from its input.
pub(super) fn case_draft(
    node: Node<'_>,
    id: Option<String>,
    dataset: &Dataset,
    moved: &Moved,
) -> Result<Draft, ConvertError> {
    let rewriter = Rewriter { dataset, moved };
    let given = node.fields().map(|(key, value)| {
        let name = key.text().into_owned();
        let draft = match name.as_str() {
            // The variables of an AgentMark row.
            "input" if value.kind() == NodeKind::Object => Draft::from(value),
            "input" | "input_messages" | "expected_output" | "expected_messages" => {
                rewriter.messages(value)
            }
            "evaluators" | "execution" | "workspace" => rewriter.field(&name, value),
            _ => Draft::from(value),
        };
        (preferred(&name, node), draft)
    });
    let id = id.map(|id| ("id".to_owned(), Draft::String(id)));
    let fields = id.into_iter().chain(given).collect();
    moved.verify()?;
    Ok(Draft::Object(fields))
}

/// Returns the name to write: the documentation's, unless the case has that field as well.
fn preferred(name: &str, node: Node<'_>) -> String {
    let other = PREFERRED
        .iter()
        .find(|(written, other)| *written == name && node.get(other).is_none());
    other.map_or(name, |(_, other)| *other).to_owned()
}

/// Returns the dataset-level fields, except for the cases.
pub(super) fn header_draft(
    header: Node<'_>,
    dataset: &Dataset,
    moved: &Moved,
) -> Result<Vec<(String, Draft)>, ConvertError> {
    let rewriter = Rewriter { dataset, moved };
    let fields = header
        .fields()
        .filter(|(key, _)| !key.is_text("evalcases"))
        // Rows that were mapped are cases now.
        .filter(|(key, _)| {
            !(dataset.is_mapped() && (key.is_text("fields") || key.is_text("prompt")))
        })
        .map(|(key, value)| {
            let name = key.text().into_owned();
            let draft = match SIDECAR_FIELDS.field(&name) {
                Some(field) => rewriter.drafts(|drafts| drafts.value(value, field.shape)),
                None => Draft::from(value),
            };
            (name, draft)
        })
        .collect();
    moved.verify()?;
    Ok(fields)
}

/// Checks if there is anything besides the cases.
pub(super) fn has_dataset_fields(header: Node<'_>) -> bool {
    header.fields().any(|(key, _)| !key.is_text("evalcases"))
}

struct Rewriter<'d> {
    dataset: &'d Dataset,
    moved: &'d Moved,
}

impl Rewriter<'_> {
    fn drafts(&self, write: impl FnOnce(&EvaluatorDrafts<'_>) -> Draft) -> Draft {
        let files = &self.dataset.context().files;
        write(&EvaluatorDrafts {
            registry: self.dataset.context().definitions.evaluators,
            rewrite: &|text, written| self.moved.rewrite(text, written, files),
            default_cwd: self.moved.elsewhere().then(|| self.moved.old_folder()),
        })
    }

    fn field(&self, name: &str, value: Node<'_>) -> Draft {
        match CASE_FIELDS.field(name) {
            Some(field) => self.drafts(|drafts| drafts.value(value, field.shape)),
            None => Draft::from(value),
        }
    }

    /// Returns messages, or the content of one, with their file blocks rewritten. Anything else is
    /// structured data, and stays as it is.
    fn messages(&self, node: Node<'_>) -> Draft {
        let draft = |item| {
            if is_file_block(item) {
                self.file_block(item)
            } else {
                self.message(item)
            }
        };
        match node.kind() {
            NodeKind::Array if node.items().all(is_message) || node.items().all(is_block) => {
                Draft::Array(node.items().map(draft).collect())
            }
            NodeKind::Array => Draft::from(node),
            _ => self.message(node),
        }
    }

    fn message(&self, node: Node<'_>) -> Draft {
        if !is_message(node) {
            return Draft::from(node);
        }
        let fields = node.fields().map(|(key, value)| {
            let is_blocks = key.is_text("content") && value.kind() == NodeKind::Array;
            let draft = if is_blocks {
                let blocks = value.items().map(|block| {
                    if is_file_block(block) {
                        self.file_block(block)
                    } else {
                        Draft::from(block)
                    }
                });
                Draft::Array(blocks.collect())
            } else {
                Draft::from(value)
            };
            (key.text().into_owned(), draft)
        });
        Draft::Object(fields.collect())
    }

    fn file_block(&self, node: Node<'_>) -> Draft {
        let files = &self.dataset.context().files;
        let fields = node.fields().map(|(key, value)| {
            let written = value.text();
            let rewritten = key
                .is_text("value")
                .then(|| self.moved.rewrite(Text::File, &written, files))
                .flatten();
            let draft = rewritten.map_or_else(|| Draft::from(value), Draft::String);
            (key.text().into_owned(), draft)
        });
        Draft::Object(fields.collect())
    }
}

fn is_file_block(node: Node<'_>) -> bool {
    let kind = node.get("type");
    let value = node.get("value");
    kind.is_some_and(|kind| kind.is_text("file"))
        && value.is_some_and(|value| value.kind() == NodeKind::String)
}
