//! A set of values that must not be written anywhere.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use memchr::memmem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::append_json;

/// Values that must not be written anywhere: not to a record, a report, a log or the screen.
///
/// ```
/// use agentv_core::Secrets;
///
/// let mut secrets = Secrets::default();
/// assert!(secrets.add("sk-0123456789"));
/// assert!(!secrets.add("short"));
/// assert_eq!(secrets.redact("Bearer sk-0123456789 was refused"), "Bearer [REDACTED] was refused");
/// ```
#[derive(Clone, Default)]
pub struct Secrets {
    /// Sorted, each once.
    values: Vec<String>,
    /// The same values, escaped as in JSON strings, and as in JSON within JSON strings.
    in_json: Vec<String>,
    /// Finds `values`, all in one pass.
    in_text: OnceLock<Option<AhoCorasick>>,
    /// Finds `in_json`.
    in_json_text: OnceLock<Option<AhoCorasick>>,
}

impl PartialEq for Secrets {
    fn eq(&self, other: &Secrets) -> bool {
        self.values == other.values
    }
}

impl Eq for Secrets {}

impl Secrets {
    /// Shorter values are not hidden: they would be found everywhere.
    pub const SHORTEST: usize = 8;
    /// The replacement for a secret.
    pub const REPLACEMENT: &str = "[REDACTED]";

    /// Adds a value, and the secret lines of a value with several lines. Returns false if it is too
    /// short to be hidden.
    pub fn add(&mut self, value: &str) -> bool {
        if value.chars().count() < Self::SHORTEST {
            return false;
        }
        self.hide(value);
        // A key of several lines is often printed line by line, or indented.
        let lines = value.lines().map(str::trim);
        let lines = lines.filter(|line| line.len() < value.len() && Self::looks_secret(line));
        lines.for_each(|line| self.hide(line));
        true
    }

    fn hide(&mut self, value: &str) {
        insert(&mut self.values, value.to_owned());
        let mut escaped = value.to_owned();
        for _ in 0..3 {
            insert(&mut self.in_json, escaped.clone());
            escaped = in_json_string(&escaped);
        }
        (self.in_text, self.in_json_text) = Default::default();
    }

    /// Adds all values of `other`.
    pub fn extend(&mut self, other: &Secrets) {
        for value in &other.values {
            self.hide(value);
        }
    }

    /// Returns true if there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the text with every secret replaced.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let found = self.in_text.get_or_init(|| finder(&self.values));
        let mut bytes = replaced(text.as_bytes(), found.as_ref());
        let whole = redact_cut(bytes.as_deref().unwrap_or(text.as_bytes()), &self.values);
        bytes = whole.or(bytes);
        match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(redacted) => Cow::Owned(redacted),
            None => Cow::Borrowed(text),
        }
    }

    /// Replaces every secret in JSON, however it is escaped there. Returns true if there was any.
    pub fn redact_json(&self, json: &mut Vec<u8>) -> bool {
        if self.is_empty() {
            return false;
        }
        let found = self.in_json_text.get_or_init(|| finder(&self.in_json));
        let mut redacted = replaced(json, found.as_ref());
        let whole = redact_cut(redacted.as_deref().unwrap_or(json), &self.in_json);
        redacted = whole.or(redacted);
        let is_found = redacted.is_some();
        if let Some(redacted) = redacted {
            *json = redacted;
        }
        is_found
    }

    /// Returns a copy of a record without secrets; `None` if it has none.
    pub fn redact_record<T: Serialize + DeserializeOwned>(&self, record: &T) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        // A record consists of texts and finite numbers, which JSON can represent.
        let mut json = Vec::with_capacity(1024);
        let _ = append_json(&mut json, record);
        if !self.redact_json(&mut json) {
            return None;
        }
        // The secret may occur in the syntax too, such as in a number.
        serde_json::from_slice(&json).ok().or_else(|| {
            let mut value = serde_json::to_value(record).ok()?;
            self.redact_value(&mut value);
            serde_json::from_value(value).ok()
        })
    }

    /// Replaces every secret in the texts of a value, except in the names of fields, which keep the
    /// value readable.
    pub fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                let mut bytes = std::mem::take(text).into_bytes();
                self.redact_json(&mut bytes);
                *text = String::from_utf8(bytes).unwrap_or_else(|_| Self::REPLACEMENT.to_owned());
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(fields) => fields
                .values_mut()
                .for_each(|field| self.redact_value(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The number of bytes of all values from which an automaton is chosen that is quick to build.
const LARGE: usize = 16 << 10;

/// Returns a finder of all values in one pass, which prefers the longest at each place; `None` if there
/// are none.
fn finder(values: &[String]) -> Option<AhoCorasick> {
    let builder = &mut AhoCorasick::builder();
    let builder = builder.match_kind(MatchKind::LeftmostLongest);
    // The fastest automaton takes seconds to build for a value of 100 kB.
    if values.iter().map(String::len).sum::<usize>() > LARGE {
        builder.kind(Some(AhoCorasickKind::ContiguousNFA));
    }
    // Building fails only beyond gigabytes of values.
    (!values.is_empty()).then(|| builder.build(values).ok())?
}

/// Returns the text with every value replaced; `None` if it has none.
fn replaced(text: &[u8], finder: Option<&AhoCorasick>) -> Option<Vec<u8>> {
    let finder = finder?;
    finder.find(text)?;
    let mut redacted = Vec::with_capacity(text.len());
    let mut done = 0;
    for found in finder.find_iter(text) {
        redacted.extend_from_slice(&text[done..found.start()]);
        redacted.extend_from_slice(Secrets::REPLACEMENT.as_bytes());
        done = found.end();
    }
    redacted.extend_from_slice(&text[done..]);
    Some(redacted)
}

/// The mark for the omitted rest of a text.
const LEFT_OUT: &str = "…";

/// Returns the text without the parts of secrets at the place where it was cut; `None` if there are
/// none.
fn redact_cut(text: &[u8], values: &[String]) -> Option<Vec<u8>> {
    let mut redacted = Vec::new();
    let mut done = 0;
    for at in memmem::find_iter(text, LEFT_OUT) {
        let (before, after) = (&text[done..at], &text[at + LEFT_OUT.len()..]);
        let parts = |part_at: fn(&str, usize) -> &str, stands: &dyn Fn(&[u8]) -> bool| {
            let of_value = |value: &String| {
                let mut lengths = (Secrets::SHORTEST..value.len()).rev();
                lengths.find(|&length| stands(part_at(value, length).as_bytes()))
            };
            values.iter().filter_map(of_value).max().unwrap_or(0)
        };
        let begun = parts(beginning, &|part| {
            !part.is_empty() && before.ends_with(part)
        });
        let ended = parts(end, &|part| !part.is_empty() && after.starts_with(part));
        if begun + ended == 0 {
            continue;
        }
        redacted.extend_from_slice(&before[..before.len() - begun]);
        let shown = |part: usize| if part > 0 { Secrets::REPLACEMENT } else { "" };
        for piece in [shown(begun), LEFT_OUT, shown(ended)] {
            redacted.extend_from_slice(piece.as_bytes());
        }
        done = at + LEFT_OUT.len() + ended;
    }
    (done > 0).then(|| [&redacted, &text[done..]].concat())
}

/// Returns this many bytes from the start; nothing if that splits a character.
fn beginning(value: &str, length: usize) -> &str {
    value.get(..length).unwrap_or_default()
}

/// Returns this many bytes from the end; nothing if that splits a character.
fn end(value: &str, length: usize) -> &str {
    value.get(value.len() - length..).unwrap_or_default()
}

fn insert(values: &mut Vec<String>, value: String) {
    if let Err(place) = values.binary_search(&value) {
        values.insert(place, value);
    }
}

/// Returns the text as it is written between the quotes of a JSON string.
fn in_json_string(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Shows the number of secrets, and none of them.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_secret_is_found_in_json_and_in_json_within_it() {
        let secret = "a\"b\\c\nd–e";
        let mut secrets = Secrets::default();
        assert!(secrets.add(secret));
        let inner = json!({"key": secret}).to_string();
        for value in [json!([secret]), json!([inner]), json!({secret: 1})] {
            let mut text = value.to_string().into_bytes();
            assert!(secrets.redact_json(&mut text), "{value}");
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains("d–e"), "{text}");
            serde_json::from_str::<serde_json::Value>(&text).unwrap();
        }
    }

    #[test]
    fn in_a_value_texts_are_replaced_and_numbers_and_names_are_not() {
        let mut secrets = Secrets::default();
        secrets.add("00000000");
        let inner = json!({"key": "00000000"}).to_string();
        let mut value = json!({"00000000": 100_000_000, "a": ["x 00000000", inner]});
        secrets.redact_value(&mut value);
        let expected = json!({
            "00000000": 100_000_000, "a": ["x [REDACTED]", r#"{"key":"[REDACTED]"}"#]
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn the_rest_of_a_secret_in_truncated_text_is_replaced() {
        let mut secrets = Secrets::default();
        secrets.add("sk-0123–456789");
        for (text, expected) in [
            ("key sk-0123–45…", "key [REDACTED]…"),
            ("…23–456789 was refused", "…[REDACTED] was refused"),
            ("a sk-0123–4…3–456789 b…", "a [REDACTED]…[REDACTED] b…"),
            ("sk-0123…", "sk-0123…"),
            ("…", "…"),
        ] {
            assert_eq!(secrets.redact(text), expected);
            let mut json = json!([text]).to_string().into_bytes();
            secrets.redact_json(&mut json);
            assert_eq!(
                String::from_utf8(json).unwrap(),
                json!([expected]).to_string()
            );
        }
    }

    #[test]
    fn the_secret_lines_of_a_secret_are_hidden_each() {
        let mut secrets = Secrets::default();
        secrets.add("-----BEGIN KEY-----\r\nMIIEvQIBADANBgkq\n  hkiG9w0BAQEFAA\nend\n");
        let shown = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n> hkiG9w0BAQEFAA\n> end";
        let expected = "-----BEGIN KEY-----\n[REDACTED]\n> [REDACTED]\n> end";
        assert_eq!(secrets.redact(shown), expected);
    }

    #[test]
    fn the_longer_of_two_secrets_goes_first() {
        let mut secrets = Secrets::default();
        secrets.add("12345678");
        secrets.add("12345678-abc");
        assert_eq!(secrets.redact("<12345678-abc>"), "<[REDACTED]>");
    }

    #[test]
    fn secrets_are_not_shown_for_debugging() {
        let mut secrets = Secrets::default();
        secrets.add("12345678");
        assert_eq!(format!("{secrets:?}"), "Secrets(1)");
    }
}
