//! Texts of others in Markdown: shown as they are, with no effect.

use crate::text::one_line;

/// What stands between letters and is not seen.
const NOTHING: char = '\u{200b}';

/// The text as code, of which nothing takes effect: no markup, no link, no mention, no reference.
/// For everywhere but the cells of tables.
pub(crate) fn code(text: &str) -> String {
    span(&one_line(text))
}

/// The same for the cell of a table.
pub(crate) fn code_in_cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
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

/// A code span, its fence longer than any run of backticks in it; nothing of nothing.
fn span(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
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
            code("@all see #1 <b>x</b>\n# y"),
            "`@all see #1 <b>x</b> # y`"
        );
        assert_eq!(code("a ``b`` c"), "```a ``b`` c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(" \n"), "");
        assert_eq!(code_in_cell("a|b"), "`a\\|b`");
        assert_eq!(code_in_cell("a\\|b"), "`a\\\u{200b}\\|b`");
        assert_eq!(code("a|b"), "`a|b`");
    }
}
