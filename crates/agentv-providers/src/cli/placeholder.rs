//! The placeholders of a command.

/// The words that a command may have in braces.
pub(crate) const PLACEHOLDERS: &[&str] = &[
    "PROMPT",
    "PROMPT_FILE",
    "GUIDELINES",
    "EVAL_ID",
    "ATTEMPT",
    "FILES",
    "OUTPUT_FILE",
];

/// The words that `files_format` may have in braces.
pub(super) const FILE_PLACEHOLDERS: &[&str] = &["path", "basename"];

/// A part of a text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text that is used as it is.
    Text(String),
    /// A placeholder, without its braces.
    Placeholder(&'static str),
}

/// Splits a text at the placeholders of `known`.
pub(super) fn pieces(text: &str, known: &'static [&'static str]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text_from = 0;
    for (at, _) in text.match_indices('{') {
        let Some(word) = placeholder_at(text, at, known) else {
            continue;
        };
        if at > text_from {
            pieces.push(Piece::Text(text[text_from..at].to_owned()));
        }
        pieces.push(Piece::Placeholder(word));
        text_from = at + word.len() + 2;
    }
    if text_from < text.len() {
        pieces.push(Piece::Text(text[text_from..].to_owned()));
    }
    pieces
}

/// Returns the placeholder that begins at byte `at`.
pub(super) fn placeholder_at(
    text: &str,
    at: usize,
    known: &'static [&'static str],
) -> Option<&'static str> {
    let word = braced_at(text, at)?;
    known.iter().copied().find(|known| *known == word)
}

/// Returns the words in capitals that a text has in braces and that are not placeholders, each once.
pub(crate) fn unknown_placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let braced = text
        .match_indices('{')
        .filter_map(|(at, _)| braced_at(text, at));
    for word in braced {
        if is_capitals(word) && !PLACEHOLDERS.contains(&word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Returns the word in the braces that begin at byte `at`. `${NAME}` belongs to the shell, and
/// `${{ NAME }}` to the environment.
fn braced_at(text: &str, at: usize) -> Option<&str> {
    let rest = text[at..].strip_prefix('{')?;
    if text[..at].ends_with(['$', '{']) {
        return None;
    }
    rest.split_once('}').map(|(word, _)| word)
}

fn is_capitals(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_uppercase())
        && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
