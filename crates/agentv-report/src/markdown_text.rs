//! Foreign texts in Markdown, without any effect.

use crate::text::{clip, one_line};

/// An invisible separator of characters.
const NOTHING: char = '\u{200b}';

/// Returns a text as code of at most this many bytes, in which nothing has an effect: no markup, no
/// HTML, no link, no mention. Not for table cells.
pub(crate) fn code(text: &str, bytes: usize) -> String {
    span(&cut(text, bytes))
}

/// Returns the same for a table cell, where a bar would end the cell even in code.
pub(crate) fn code_in_cell(text: &str, bytes: usize) -> String {
    let text = cut(text, bytes);
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '|' {
            // A backslash in front would escape the bar's backslash, and the bar would end the
            // cell.
            if escaped.ends_with('\\') {
                escaped.push(NOTHING);
            }
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    span(&escaped)
}

/// Returns the text on one line, with a mark if its end was cut off.
fn cut(text: &str, bytes: usize) -> String {
    // A text may be long and consist mostly of blanks.
    let line = one_line(clip(text, bytes.saturating_mul(8)));
    let clipped = clip(&line, bytes);
    if clipped.len() < line.len() {
        format!("{clipped}…")
    } else {
        line
    }
}

/// Returns a code span whose fence is longer than any run of backticks in it.
fn span(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let runs = text.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    // A backtick next to the fence would lengthen it; renderers remove one blank on both sides.
    let blank = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{blank}{text}{blank}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_takes_effect() {
        assert_eq!(
            code("@all see #1 <b>x</b>\n# y", 80),
            "`@all see #1 <b>x</b> # y`"
        );
        assert_eq!(code("a ``b`` c", 80), "```a ``b`` c```");
        assert_eq!(code("`", 80), "`` ` ``");
        assert_eq!(code(" \n", 80), "(empty)");
        assert_eq!(code_in_cell("a|b", 80), "`a\\|b`");
        assert_eq!(code_in_cell("a\\|b", 80), "`a\\\u{200b}\\|b`");
        assert_eq!(code("a|b", 80), "`a|b`");
        assert_eq!(code("abcdef", 3), "`abc…`");
    }
}
