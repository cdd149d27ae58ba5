//! Texts of others in Markdown: shown as they are, with no effect.

use crate::text::{clip, one_line};

/// What stands between letters and is not seen.
const NOTHING: char = '\u{200b}';

/// A text in at most so many bytes as code, of which nothing takes effect: no markup, no HTML, no link,
/// no mention. For everywhere but the cells of tables.
pub(crate) fn code(text: &str, bytes: usize) -> String {
    span(&cut(text, bytes))
}

/// The same for the cell of a table, where a bar would end the cell even in code.
pub(crate) fn code_in_cell(text: &str, bytes: usize) -> String {
    let text = cut(text, bytes);
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '|' {
            // A backslash before would be taken for the one that escapes, and the bar for a border.
            if escaped.ends_with('\\') {
                escaped.push(NOTHING);
            }
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    span(&escaped)
}

/// The text on one line, with a mark where its end is left out.
fn cut(text: &str, bytes: usize) -> String {
    // A text may be long, and all of it but its beginning only blanks.
    let line = one_line(clip(text, bytes.saturating_mul(8)));
    let clipped = clip(&line, bytes);
    match clipped.len() < line.len() {
        true => format!("{clipped}…"),
        false => line,
    }
}

/// A code span, its fence longer than any run of backticks in it.
fn span(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let runs = text.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    // Next to the fence a backtick would lengthen it; a blank on both sides is taken away again.
    let blank = match text.starts_with('`') || text.ends_with('`') {
        true => " ",
        false => "",
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
