//! Control characters made visible.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns true if a terminal or a text layout would obey a character instead of showing it:
/// control characters, and marks that change the writing direction or break lines.
///
/// ```
/// use agentv_core::is_obeyed;
///
/// assert!(is_obeyed('\x1b') && is_obeyed('\u{9b}') && is_obeyed('\u{202e}'));
/// assert!(!is_obeyed('a') && !is_obeyed('ש') && !is_obeyed('é'));
/// ```
pub fn is_obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Returns the text with every such character, except line breaks and tabs, escaped as in JSON:
/// `\u001b`. Within JSON the value stays the same.
///
/// ```
/// use agentv_core::visible;
///
/// assert_eq!(visible("a\n\x1b[2J"), "a\n\\u001b[2J");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |letter: char| is_obeyed(letter) && !matches!(letter, '\n' | '\t');
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match is_hidden(letter) {
            // Writing to a text does not fail.
            true => drop(write!(shown, "\\u{:04x}", u32::from(letter))),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}
