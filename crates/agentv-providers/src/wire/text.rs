//! JSON strings to the byte, including halves of surrogate pairs.
//!
//! A vendor may escape a character outside the basic plane as two halves (`\ud83d\ude00`), and a stream
//! may be cut between them. So the pieces are kept as bytes, with a half as the three bytes that UTF-8
//! would have for it, and the whole becomes text at the end.

use std::borrow::Cow;
use std::fmt;

use agentv_syntax::Tree;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::answer::DEEPEST;

/// A JSON string as bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chars<'a>(pub(crate) Cow<'a, [u8]>);

impl<'de: 'a, 'a> Deserialize<'de> for Chars<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Chars<'a>, D::Error> {
        deserializer.deserialize_bytes(CharsVisitor)
    }
}

struct CharsVisitor;

impl<'de> Visitor<'de> for CharsVisitor {
    type Value = Chars<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Chars<'de>, E> {
        Ok(Chars(Cow::Borrowed(bytes)))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Chars<'de>, E> {
        Ok(Chars(Cow::Owned(bytes.to_vec())))
    }

    fn visit_str<E>(self, text: &str) -> Result<Chars<'de>, E> {
        Ok(Chars(Cow::Owned(text.as_bytes().to_vec())))
    }
}

impl Chars<'_> {
    /// Reads a value if it is a string.
    ///
    /// # Errors
    /// If the string is not valid JSON.
    pub(crate) fn of(value: &RawValue) -> Result<Option<Chars<'_>>, serde_json::Error> {
        if value.get().starts_with('"') {
            serde_json::from_str(value.get()).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// A value of the vendor that is kept beside the answer. Half of a surrogate pair becomes U+FFFD, and a
/// value that is nested too deep becomes null: neither spoils the answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Kept(pub(crate) Value);

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kept, D::Error> {
        let written = <&RawValue>::deserialize(deserializer)?;
        Ok(Kept(kept(written).unwrap_or_default()))
    }
}

/// Reads a value that is kept beside the answer; `None` if it is nested too deep.
pub(crate) fn kept(written: &RawValue) -> Option<Value> {
    let text = written.get();
    let value = serde_json::from_str(text).ok();
    value.or_else(|| with_halves(text))
}

/// Returns the text of collected bytes. Two halves that meet become their character, and a half that
/// stays alone becomes U+FFFD, the character for what is no text.
pub(crate) fn text_of(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => with_surrogates(error.as_bytes()),
    }
}

fn with_surrogates(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        if let Some(half) = surrogate(rest) {
            let other = surrogate(&rest[HALF..]);
            match char::decode_utf16([half].into_iter().chain(other)).next() {
                Some(Ok(character)) => {
                    text.push(character);
                    rest = &rest[HALF * character.len_utf16()..];
                }
                _ => {
                    text.push(char::REPLACEMENT_CHARACTER);
                    rest = &rest[HALF..];
                }
            }
            continue;
        }
        let end = (1..rest.len()).find(|at| surrogate(&rest[*at..]).is_some());
        let (plain, after) = rest.split_at(end.unwrap_or(rest.len()));
        text.push_str(&String::from_utf8_lossy(plain));
        rest = after;
    }
    text
}

/// The bytes of one half.
const HALF: usize = 3;

/// Returns the half of a pair with which the bytes begin.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, ..] => {
            let high = u16::from(*second & 0x3f) << 6;
            Some(0xd000 | high | u16::from(*third & 0x3f))
        }
        _ => None,
    }
}

/// Reads JSON with halves of surrogate pairs, which become U+FFFD; `None` if it is no JSON, or too deep.
pub(crate) fn with_halves(text: &str) -> Option<Value> {
    let mut tree = Tree::default();
    agentv_syntax::json::parse(text, &mut tree).ok()?;
    let root = tree.root();
    (root.depth() <= DEEPEST).then(|| root.to_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[&str]) -> String {
        let mut bytes = Vec::new();
        for piece in pieces {
            let chars: Chars<'_> = serde_json::from_str(piece).unwrap();
            bytes.extend_from_slice(&chars.0);
        }
        text_of(bytes)
    }

    #[test]
    fn halves_of_a_pair_meet_wherever_they_are_cut() {
        assert_eq!(joined(&[r#""a\ud83d\ude00b""#]), "a😀b");
        assert_eq!(joined(&[r#""a\ud83d""#, r#""\ude00b""#]), "a😀b");
    }

    #[test]
    fn a_half_that_stays_alone_is_replaced() {
        assert_eq!(joined(&[r#""é\ud83d x""#]), "é\u{fffd} x");
        assert_eq!(joined(&[r#""\ude00\ud83d""#]), "\u{fffd}\u{fffd}");
        assert_eq!(joined(&[r#""\ud83d\ud83d\ude00""#]), "\u{fffd}😀");
    }

    #[test]
    fn other_text_is_kept_to_the_byte() {
        assert_eq!(joined(&[r#""  \u0000\t é ""#]), "  \0\t é ");
    }
}
