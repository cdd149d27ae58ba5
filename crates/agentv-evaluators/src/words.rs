//! Findings in words, none longer than a line or two.

use std::borrow::Cow;
use std::io;

use agentv_core::{Evaluation, PassThreshold, Score};
use serde_json::Value;

/// The maximum number of characters that a finding quotes.
const LONGEST_QUOTE: usize = 100;
/// The maximum number of hits, and of misses, of one evaluator.
const MOST_FINDINGS: usize = 50;

/// Returns the start of a text, with `…` if something was cut off.
pub(crate) fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Quotes a text for a finding: in backticks, on one line, cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len().min(LONGEST_QUOTE) + 2);
    quoted.push('`');
    for letter in cut(text, LONGEST_QUOTE).chars() {
        if letter.is_control() {
            quoted.extend(letter.escape_default());
        } else {
            quoted.push(letter);
        }
    }
    quoted.push('`');
    quoted
}

/// Returns a value as compact JSON, cut if it is long.
pub(crate) fn shown(value: &Value) -> String {
    let mut start = Start(Vec::new());
    // The writer fails once it is full, which ends the serialization early.
    let _ = serde_json::to_writer(&mut start, value);
    let text = String::from_utf8_lossy(&start.0);
    let is_cut_inside_a_letter = text.ends_with(char::REPLACEMENT_CHARACTER);
    let text = if is_cut_inside_a_letter && start.0.len() >= Start::MOST {
        text.trim_end_matches(char::REPLACEMENT_CHARACTER)
    } else {
        &text
    };
    cut(text, LONGEST_QUOTE).into_owned()
}

/// A writer that keeps the first bytes, enough to quote the widest letters.
struct Start(Vec<u8>);

impl Start {
    const MOST: usize = 4 * LONGEST_QUOTE + 4;
}

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = Start::MOST - self.0.len();
        let taken = room.min(bytes.len());
        self.0.extend_from_slice(&bytes[..taken]);
        // A write of 0 bytes ends `write_all` with an error.
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Formats a measured number without noise digits.
pub(crate) fn figure(number: f64) -> String {
    const DIGITS: f64 = 1e6;
    let rounded = (number * DIGITS).round() / DIGITS;
    let shown = if rounded.is_finite() { rounded } else { number };
    // A number that would be rounded to 0 is shown as it is.
    if shown == 0.0 { number } else { shown }.to_string()
}

/// Formats a score. One just below a threshold never reads as if it reached it.
pub(crate) fn shown_score(score: Score, threshold: PassThreshold) -> String {
    let shown = score.rounded(6, threshold);
    let shown = shown.trim_end_matches('0').trim_end_matches('.');
    shown.to_owned()
}

/// The hits and misses that an evaluator collects.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    hits: Vec<String>,
    misses: Vec<String>,
    omitted_hits: usize,
    omitted_misses: usize,
}

impl Findings {
    /// Adds a finding. `words` is called only if there is room for it.
    pub(crate) fn add(&mut self, is_hit: bool, words: impl FnOnce() -> String) {
        let (listed, omitted) = if is_hit {
            (&mut self.hits, &mut self.omitted_hits)
        } else {
            (&mut self.misses, &mut self.omitted_misses)
        };
        if listed.len() < MOST_FINDINGS {
            listed.push(words());
        } else {
            *omitted += 1;
        }
    }

    /// Returns the evaluation with this score and the findings.
    pub(crate) fn evaluation(mut self, score: Score) -> Evaluation {
        let rest = |omitted: usize| format!("and {omitted} more");
        if self.omitted_hits > 0 {
            self.hits.push(rest(self.omitted_hits));
        }
        if self.omitted_misses > 0 {
            self.misses.push(rest(self.omitted_misses));
        }
        Evaluation {
            hits: self.hits,
            misses: self.misses,
            ..Evaluation::of(score)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quotes_are_short_and_on_one_line() {
        assert_eq!(quoted("a\nb"), r"`a\nb`");
        assert_eq!(quoted(&"ä".repeat(101)), format!("`{}…`", "ä".repeat(100)));
    }

    #[test]
    fn a_large_value_is_cut_between_letters() {
        let long = json!("😀".repeat(1_000_000));
        assert_eq!(shown(&long), format!("\"{}…", "😀".repeat(99)));
        assert_eq!(shown(&json!({"a": [1, 2.5]})), r#"{"a":[1,2.5]}"#);
    }

    #[test]
    fn figures_have_no_noise_and_never_vanish() {
        assert_eq!(figure(0.1 + 0.2), "0.3");
        assert_eq!(figure(0.000_000_01), "0.00000001");
        assert_eq!(figure(1500.0), "1500");
    }

    #[test]
    fn a_long_list_of_findings_is_counted_beyond_the_first_fifty() {
        let mut findings = Findings::default();
        for number in 0..60 {
            findings.add(false, || number.to_string());
        }
        let misses = findings.evaluation(Score::ZERO).misses;
        assert_eq!(misses.len(), 51);
        assert_eq!(misses[50], "and 10 more");
    }
}
