//! Foreign texts on one line of output: nothing moves the cursor, and the width is limited.

use agentv_core::is_obeyed;
use unicode_width::UnicodeWidthStr;

use crate::Style;

/// Returns the number of columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Returns the text on one line: runs of white space become a space, and everything that controls a
/// terminal (control characters, marks that change the direction of writing) is removed.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_whitespace() {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !is_obeyed(letter) {
            line.push(letter);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Returns the text in at most `columns` columns, with an ellipsis if it was cut.
pub(crate) fn cut(text: &str, columns: usize, style: Style) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let ellipsis = style.ellipsis();
    let Some(room) = columns.checked_sub(width(ellipsis)) else {
        return ".".repeat(columns);
    };
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        // Measured as a whole: combined characters have another width than their parts.
        if width(&kept) > room {
            kept.pop();
            break;
        }
    }
    kept.truncate(kept.trim_end().len());
    kept + ellipsis
}

/// Returns the start of a text in at most `bytes` bytes, ending between characters.
pub(crate) fn clip(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Returns the start of a text on one line, in about `bytes` bytes, with an ellipsis if it was cut.
pub fn excerpt(text: &str, bytes: usize) -> String {
    if text.len() <= bytes && is_plain_line(text) {
        return text.to_owned();
    }
    let line = one_line(clip(text, 2 * bytes));
    if line.len() <= bytes && text.len() <= 2 * bytes {
        return line;
    }
    clip(&line, bytes).trim_end().to_owned() + "…"
}

/// Checks if a text is what [`one_line`] makes of it, for the most common texts.
fn is_plain_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_space_at_end = bytes.first() == Some(&b' ') || bytes.last() == Some(&b' ');
    !has_space_at_end
        && bytes.iter().all(|byte| (b' '..=b'~').contains(byte))
        && !bytes.windows(2).any(|pair| pair == b"  ")
}

/// Returns the text padded with spaces to `columns` columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    let mut padded = text.to_owned();
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STYLE: Style = Style {
        colour: false,
        width: 80,
        unicode: true,
    };

    #[test]
    fn a_long_text_is_shortened_to_one_line() {
        assert_eq!(excerpt("a\n b\u{202e}", 200), "a b");
        let long = excerpt(&"é\n".repeat(1_000), 200);
        assert!(long.ends_with('…') && long.len() <= 203, "{long}");
        assert_eq!(excerpt(&"x".repeat(200), 200).len(), 200);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(
            one_line(" a\r\n\tb \x1b[31mred\x07\u{202e} "),
            "a b [31mred"
        );
    }

    #[test]
    fn wide_letters_are_cut_by_columns() {
        assert_eq!(cut("日本語の回答", 12, STYLE), "日本語の回答");
        assert_eq!(cut("日本語の回答", 8, STYLE), "日本語…");
        assert_eq!(cut("abcdef", 2, STYLE), "a…");
        assert_eq!(cut("abc", 0, STYLE), "");
        let ascii = Style {
            unicode: false,
            ..STYLE
        };
        assert_eq!(cut("abcdef", 5, ascii), "ab...");
        assert_eq!(cut("abcdef", 2, ascii), "..");
    }

    proptest! {
        #[test]
        fn a_cut_text_is_never_too_wide(text in "\\PC{0,40}", columns in 0usize..30) {
            prop_assert!(width(&cut(&text, columns, STYLE)) <= columns);
            prop_assert!(width(&cut(&one_line(&text), columns, STYLE)) <= columns);
        }
    }
}
