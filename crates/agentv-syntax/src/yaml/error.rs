//! The reasons why a text is not a YAML document that we can read.

use std::ops::Range;

use thiserror::Error;

use crate::{Code, Problem, surrogates};

/// The reason why a text is not a YAML document that we can read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct InvalidYaml {
    /// The reason, without a position.
    pub reason: String,
    /// The place, in bytes from the start.
    pub offset: usize,
    /// Advice, if there is any.
    pub hint: Option<String>,
    /// The place of an escape that stands for no character, if that is the reason.
    pub(super) escape: Option<Range<usize>>,
}

/// An escape in a string that stands for no character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenEscape {
    /// The place in the source.
    pub place: Range<usize>,
    /// The reason why it stands for none.
    pub reason: InvalidYaml,
}

impl InvalidYaml {
    pub(super) fn new(reason: impl Into<String>, offset: u32) -> InvalidYaml {
        InvalidYaml {
            reason: reason.into(),
            offset: offset as usize,
            hint: None,
            escape: None,
        }
    }

    /// Returns the problem that makes the file unusable.
    pub fn problem(self) -> Problem {
        let span = self.offset..self.offset + 1;
        let message = format!("Invalid YAML: {}", self.reason);
        Problem {
            hint: self.hint,
            ..Problem::fatal(Code::InvalidYaml, span, message)
        }
    }
}

/// Explains an escape that is half of a surrogate pair, at its own place.
pub(super) fn invalid_escape(source: &str, offset: u32) -> Option<InvalidYaml> {
    let rest = &source[offset as usize..];
    let place = |at: usize| offset + at as u32;
    let lone = surrogates::first_lone(rest).map(|half| half.start);
    if let Some((pair, letter)) = surrogates::first_pair(rest)
        && lone.is_none_or(|lone| pair.start < lone)
    {
        let reason = format!(
            "`{}` is a surrogate pair, which YAML does not have",
            &rest[pair.clone()]
        );
        let hint = format!(
            "write `\\U{:08X}`, or the character itself: {letter}",
            u32::from(letter)
        );
        return Some(InvalidYaml {
            hint: Some(hint),
            escape: Some(offset as usize + pair.start..offset as usize + pair.end),
            ..InvalidYaml::new(reason, place(pair.start))
        });
    }
    let start = lone?;
    let escape = &rest[start..start + 6];
    let reason = format!("`{escape}` is half of a surrogate pair, which is not a character");
    let start = offset as usize + start;
    Some(InvalidYaml {
        escape: Some(start..start + escape.len()),
        hint: Some("write the character itself".to_owned()),
        ..InvalidYaml::new(reason, start as u32)
    })
}
