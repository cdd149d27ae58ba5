//! Texts of others in Markdown.

use crate::text::{clip, one_line};

/// A text in at most so many bytes as a code span. Nothing in a code span takes effect: no markup, no
/// HTML, no link, no mention.
pub(super) fn span(text: &str, bytes: usize) -> String {
    // A text may be long, and all of it but its beginning only blanks.
    let line = one_line(clip(text, bytes * 8));
    let clipped = clip(&line, bytes);
    let cut = if clipped.len() < line.len() {
        "…"
    } else {
        ""
    };
    if clipped.is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(clipped) + 1);
    // One blank on each side is not shown, and keeps a backtick from joining the fence.
    let needs_blanks = clipped.starts_with('`') || clipped.ends_with('`') && cut.is_empty();
    let blank = if needs_blanks { " " } else { "" };
    format!("{fence}{blank}{clipped}{cut}{blank}{fence}")
}

/// The same in a cell of a table, where a bar would end the cell even in a code span.
pub(super) fn cell(text: &str, bytes: usize) -> String {
    span(&text.replace('|', "│"), bytes)
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|letter| letter != '`').map(str::len);
    runs.max().unwrap_or(0)
}
