//! Advice on what to write instead.

use crate::registry::Registry;
use crate::shape::{Form, Shape, Text};
use crate::suggest::nearest;
use crate::tree::{Node, NodeKind};

/// Returns advice for an object that has the name of a kind, or nearly one, as a key that is not a
/// shorthand.
pub(super) fn tag_hint(registry: &Registry, key: &str) -> Option<String> {
    let tag = registry.tag;
    let Some(kind) = registry.kind(key) else {
        let near = nearest(key, registry.names())?;
        return Some(format!("did you mean `{near}`?"));
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
    nearest(written, known).map(|name| format!("did you mean `{name}`?"))
}

/// Suggests quotes for a number or boolean in place of a string, and for `{WORD}`, which YAML reads as
/// an object.
pub(super) fn quote_hint(node: Node<'_>, shape: &Shape) -> Option<String> {
    let takes_text = shape.forms.iter().any(
        |form| matches!(form.written(), Form::Text(text) if !matches!(text, Text::Reference(_))),
    );
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

/// Checks if the shape takes a number, and the value is a word that is a number to YAML only.
pub(super) fn is_boundless_number(node: Node<'_>, shape: &Shape) -> bool {
    let mut forms = shape.forms.iter();
    let takes_number = forms.any(|form| matches!(form.written(), Form::Number { .. }));
    takes_number && node.kind() == NodeKind::String && {
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
