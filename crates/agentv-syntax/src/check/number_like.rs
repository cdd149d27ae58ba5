//! Texts that look like numbers.

use crate::code::Code;
use crate::problem::Problem;
use crate::tree::Node;

/// Number of texts that are reported per value.
const MOST_REPORTED: usize = 100;

/// Adds a warning for every value in `node` that YAML has a number for, but that is read as text, up to a
/// hundred. A value that already has a problem gets no other.
pub fn check_number_like(node: Node<'_>, problems: &mut Vec<Problem>) {
    for text in node.number_like_texts().take(MOST_REPORTED) {
        let span = text.span();
        if problems.iter().all(|problem| problem.span != span) {
            problems.push(warning(text).at(node.path_to(text)));
        }
    }
}

fn warning(node: Node<'_>) -> Problem {
    let text = node.text();
    let message = format!("`{text}` is read as a string, not as a number");
    let hint = match without_leading_zeros(&text) {
        Some(number) => format!("write {number} for the number, or \"{text}\" for the string"),
        None => format!("write \"{text}\" for the string; JSON has no such number"),
    };
    Problem::warning(Code::NumberLike, node.span(), message).hint(hint)
}

/// Returns a number without the zeros that make it text; `None` if it is infinite, or none at all.
pub(super) fn without_leading_zeros(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = digits.strip_prefix('0')?.trim_start_matches('0');
    let zero = if rest.starts_with(|first: char| first.is_ascii_digit()) {
        ""
    } else {
        "0"
    };
    Some(format!("{sign}{zero}{rest}"))
}
