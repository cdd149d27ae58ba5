//! Similar errors, counted together in bounded memory.

use std::collections::BTreeMap;

use agentv_core::{Stage, TrialError};

use super::ErrorGroup;
use crate::text::clip;

/// The number of kinds of messages that are distinguished.
const KINDS: usize = 1_000;
/// The number of kinds that are reported.
const MOST_GROUPS: usize = 5;
/// The number of bytes that are kept of a message.
const LONGEST: usize = 240;
/// The number of digits that make a word an identifier rather than a part of the message.
const DIGITS_OF_AN_IDENTIFIER: usize = 5;

/// The number of errors by message.
///
/// If there are more than [`KINDS`] kinds, the shortest are kept. A kind that is among the shortest
/// at the end always was, so its count is complete and does not depend on the order of addition.
#[derive(Debug, Clone, Default)]
pub(super) struct ErrorFold {
    counts: BTreeMap<Kind, u64>,
}

/// Shortest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    length: usize,
    message: String,
    stage: Stage,
}

impl ErrorFold {
    pub(super) fn add(&mut self, error: &TrialError) {
        let message = kind_of(&error.message);
        let kind = Kind {
            length: message.len(),
            message,
            stage: error.stage,
        };
        *self.counts.entry(kind).or_default() += 1;
        if self.counts.len() > KINDS {
            self.counts.pop_last();
        }
    }

    /// Returns the most frequent ones; equally frequent ones sorted by length.
    pub(super) fn finish(&self) -> Vec<ErrorGroup> {
        let mut kinds: Vec<_> = self.counts.iter().collect();
        kinds.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| a.cmp(b)));
        let most_frequent = kinds.into_iter().take(MOST_GROUPS);
        most_frequent
            .map(|(kind, count)| ErrorGroup {
                stage: kind.stage,
                message: kind.message.clone(),
                count: *count,
            })
            .collect()
    }
}

/// Returns the part of a message that its kind has in common: its first and last line, without
/// identifiers and long numbers.
///
/// A failing program usually says first what it was doing, and last what went wrong.
fn kind_of(message: &str) -> String {
    let says_something = |line: &&str| line.contains(char::is_alphanumeric);
    let mut lines = message.lines().map(str::trim).filter(says_something);
    let first = lines.next().unwrap_or_default();
    match lines.next_back() {
        Some(last) => {
            let (first, last) = (clip(first, LONGEST / 2), clip(last, LONGEST / 2));
            without_identifiers(&format!("{first} … {last}"))
        }
        None => without_identifiers(clip(first, LONGEST)),
    }
}

fn without_identifiers(line: &str) -> String {
    let mut kind = String::with_capacity(line.len());
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let mut rest = line;
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        kind.push_str(if digits < DIGITS_OF_AN_IDENTIFIER {
            word
        } else {
            "…"
        });
        let next = after.find(is_part).unwrap_or(after.len());
        kind.push_str(&after[..next]);
        rest = &after[next..];
    }
    kind.truncate(kind.trim_end().len());
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str) -> TrialError {
        TrialError {
            stage: Stage::Target,
            message: message.to_owned(),
        }
    }

    #[test]
    fn messages_that_differ_in_an_identifier_are_of_one_kind() {
        assert_eq!(
            kind_of("HTTP 429: slow down (request req_011CSHoEeqs5C35)\n{\n}\n"),
            "HTTP 429: slow down (request …)"
        );
        assert_eq!(
            kind_of("connect 127.0.0.1:54321 é timed out after 30.5 s"),
            "connect 127.0.0.1:… é timed out after 30.5 s"
        );
        assert_eq!(kind_of(""), "");
    }

    #[test]
    fn any_number_of_kinds_is_counted_in_bounded_memory_and_any_order() {
        let letters = |index: usize| "x".repeat(index % 90) + &"y".repeat(index / 90);
        let mut messages: Vec<String> = (0..3_000).map(letters).collect();
        messages.extend(std::iter::repeat_n("slow down".to_owned(), 500));
        let fold = |messages: &mut dyn Iterator<Item = &String>| {
            let mut fold = ErrorFold::default();
            messages.for_each(|message| fold.add(&error(message)));
            assert!(fold.counts.len() <= KINDS);
            fold.finish()
        };
        let forwards = fold(&mut messages.iter());
        assert_eq!(forwards, fold(&mut messages.iter().rev()));
        assert_eq!(
            (forwards[0].message.as_str(), forwards[0].count),
            ("slow down", 500)
        );
    }
}
