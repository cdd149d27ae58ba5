//! Advice on what to write instead.

use super::number_like::without_leading_zeros;
use crate::registry::Registry;
use crate::shape::{Form, Shape, Text};
use crate::suggest::{self, nearest};
use crate::tree::{Node, NodeKind};

/// Returns advice for an object that has the name of a kind, or nearly one, as a key that is not a
/// shorthand.
pub(super) fn tag_hint(registry: &Registry, key: &str) -> Option<String> {
    let tag = registry.tag;
    let Some(kind) = registry.kind(key) else {
        let near = nearest(key, registry.names())?;
        return Some(suggest::did_you_mean(near));
    };
    Some(match kind.shorthand {
        Some(option) => format!(
            "the short form `{key}: …` must be alone; with other fields, write `{tag}: {key}` and `{option}: …`"
        ),
        None => format!("write `{tag}: {key}` and its fields next to it"),
    })
}

pub(super) fn did_you_mean<'k>(
    written: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<String> {
    nearest(written, known).map(suggest::did_you_mean)
}

/// Suggests quotes for a number or boolean in place of a string, and for `{WORD}`, which YAML reads as
/// an object.
pub(super) fn quote_hint(node: Node<'_>, shape: &Shape) -> Option<String> {
    // A path is hardly ever a number or a boolean.
    let is_free = |text: &Text| {
        !matches!(
            text,
            Text::Reference(_) | Text::File | Text::Folder | Text::FolderToCopy
        )
    };
    let mut forms = shape.forms.iter();
    let takes_text = forms.any(|form| matches!(form.written(), Form::Text(text) if is_free(text)));
    let written = match node.kind() {
        NodeKind::Number | NodeKind::Bool => node.text().into_owned(),
        NodeKind::Object => format!("{{{}}}", only_key(node)?.text()),
        _ => return None,
    };
    takes_text.then(|| format!("put it in quotes: \"{written}\""))
}

/// Returns the key of an object that is written as `{WORD}`.
fn only_key(node: Node<'_>) -> Option<Node<'_>> {
    let mut fields = node.fields();
    let (key, value) = fields.next()?;
    (value.is_null() && fields.next().is_none()).then_some(key)
}

/// Suggests the number without leading zeros, which make it text.
pub(super) fn zeros_hint(node: Node<'_>, shape: &Shape) -> Option<String> {
    node.number_like_texts().next()?;
    let number = without_leading_zeros(&node.text()).filter(|_| takes_number(shape))?;
    Some(format!("write it without a leading zero: {number}"))
}

fn takes_number(shape: &Shape) -> bool {
    let mut forms = shape.forms.iter();
    forms.any(|form| matches!(form.written(), Form::Number { .. }))
}

/// Checks if the shape takes a number, and the value is a word that is a number to YAML only.
pub(super) fn is_boundless_number(node: Node<'_>, shape: &Shape) -> bool {
    takes_number(shape) && node.kind() == NodeKind::String && {
        let text = node.text().to_ascii_lowercase();
        let word = text.trim_start_matches(['+', '-']);
        matches!(word, ".nan" | ".inf" | "nan" | "inf" | "infinity")
    }
}

pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

pub(super) fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}
