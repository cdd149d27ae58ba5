//! Reads one JSON text into a [`Tree`].
//!
//! No maintained parser gives every value its position without allocating for it, so the lexer is
//! ours. It accepts exactly what `serde_json` accepts (a property test and a fuzz target compare them),
//! except that it also accepts numbers that no double can hold, and halves of surrogate pairs. Both are
//! JSON, and problems of one value only. The reason for a refusal is always `serde_json`'s own.

use serde::de::IgnoredAny;
use serde_json::Value;
use thiserror::Error;

use crate::surrogates;
use crate::tree::{NodeKind, Stored, Tree, name_slot};

/// Deepest nesting of arrays and objects, the same as `serde_json`'s.
pub const MAX_DEPTH: usize = 127;

/// Characters of a whole number that 64 bits surely hold.
const LONGEST_EXACT: usize = 18;

/// The reason why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct InvalidJson {
    /// The parser's reason, without a position.
    pub reason: String,
    /// The place where it gave up, in bytes from the start.
    pub offset: usize,
    /// Is true if the text ended before the value did.
    pub unfinished: bool,
}

/// Reads `source`, one JSON value with nothing but white space around it, into `tree`.
///
/// # Errors
/// Fails if it is not JSON; `tree` then holds nothing of use.
pub fn parse(source: &str, tree: &mut Tree) -> Result<(), InvalidJson> {
    tree.start(source);
    let bytes = source.as_bytes();
    let read = if has_controls(bytes) {
        Lexer::<true> { bytes, tree }.document()
    } else {
        Lexer::<false> { bytes, tree }.document()
    };
    read.ok_or_else(|| explain(source, tree.end()))
}

/// Asks `serde_json` what is wrong with a text that the lexer refused.
fn explain(source: &str, stopped_at: usize) -> InvalidJson {
    // Ignoring the value first keeps memory flat on a huge line with an error at its end.
    let error = serde_json::from_str::<IgnoredAny>(source)
        .err()
        .or_else(|| serde_json::from_str::<Value>(&surrogates::replaced(source)).err());
    let Some(error) = error else {
        return InvalidJson {
            reason: "not a JSON value".to_owned(),
            offset: stopped_at,
            unfinished: false,
        };
    };
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    InvalidJson {
        reason: text.strip_suffix(&position).unwrap_or(&text).to_owned(),
        offset: offset_of(source, error.line(), error.column()),
        unfinished: error.is_eof(),
    }
}

fn offset_of(source: &str, line: usize, column: usize) -> usize {
    let line_start: usize = source
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let offset = (line_start + column.saturating_sub(1)).min(source.len());
    source.floor_char_boundary(offset)
}

/// Reads one thing at `at` per method, and returns the place after it; `None` if it is not there.
///
/// `CONTROLS` is false if the text has no control character, so that strings end at quotes only.
struct Lexer<'s, 't, const CONTROLS: bool> {
    bytes: &'s [u8],
    tree: &'t mut Tree,
}

impl<const CONTROLS: bool> Lexer<'_, '_, CONTROLS> {
    fn document(&mut self) -> Option<()> {
        // Offsets are kept in 32 bits.
        u32::try_from(self.bytes.len()).ok()?;
        let (first, at) = self.token(0)?;
        let end = self.value(first, at, 0)?;
        self.token(end).is_none().then_some(())
    }

    /// Returns the first byte from `at` on that is not white space, and its place.
    #[inline(always)]
    fn token(&self, mut at: usize) -> Option<(u8, usize)> {
        loop {
            let byte = *self.bytes.get(at)?;
            // One comparison decides for nearly every byte.
            if byte > b' ' || !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some((byte, at));
            }
            at += 1;
        }
    }

    #[inline]
    fn peek(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn value(&mut self, first: u8, at: usize, depth: usize) -> Option<usize> {
        match first {
            b'"' => self.string(at).map(|(end, _)| end),
            b'{' if depth < MAX_DEPTH => self.object(at, depth + 1),
            b'[' if depth < MAX_DEPTH => self.array(at, depth + 1),
            b't' => self.word(at, b"true", NodeKind::Bool),
            b'f' => self.word(at, b"false", NodeKind::Bool),
            b'n' => self.word(at, b"null", NodeKind::Null),
            b'-' | b'0'..=b'9' => self.number(at),
            _ => None,
        }
    }

    /// Reads a value, without a call if it is a string, as most are.
    #[inline(always)]
    fn member(&mut self, first: u8, at: usize, depth: usize) -> Option<usize> {
        if first == b'"' {
            return self.string(at).map(|(end, _)| end);
        }
        self.value(first, at, depth)
    }

    fn object(&mut self, at: usize, depth: usize) -> Option<usize> {
        self.tree.deepest = self.tree.deepest.max(depth);
        let opened = self.tree.open(NodeKind::Object, at as u32);
        let mut marks = Marks::default();
        let (mut next, mut at) = self.token(at + 1)?;
        while next != b'}' {
            if next != b'"' {
                return None;
            }
            let (key_end, stored) = self.string(at)?;
            // Escaped, a key could equal any other.
            let key = self.bytes.get(at + 1..key_end - 1)?;
            if stored != Stored::Quoted || marks.add(key) && self.may_have_key(opened, key) {
                self.tree.may_repeat_keys = true;
            }
            let (colon, colon_at) = self.token(key_end)?;
            if colon != b':' {
                return None;
            }
            let (first, value_at) = self.token(colon_at + 1)?;
            let end = self.member(first, value_at, depth)?;
            (next, at) = self.separator(end, b'}')?;
        }
        self.tree.close(opened, at as u32 + 1);
        Some(at + 1)
    }

    fn array(&mut self, at: usize, depth: usize) -> Option<usize> {
        self.tree.deepest = self.tree.deepest.max(depth);
        let opened = self.tree.open(NodeKind::Array, at as u32);
        let (mut next, mut at) = self.token(at + 1)?;
        while next != b']' {
            let end = self.member(next, at, depth)?;
            (next, at) = self.separator(end, b']')?;
        }
        self.tree.close(opened, at as u32 + 1);
        Some(at + 1)
    }

    /// Finds what follows an element: the closing bracket, or the next element after a comma.
    #[inline(always)]
    fn separator(&self, at: usize, close: u8) -> Option<(u8, usize)> {
        let (byte, at) = self.token(at)?;
        if byte == close {
            return Some((close, at));
        }
        if byte != b',' {
            return None;
        }
        // A comma promises another element.
        self.token(at + 1).filter(|(next, _)| *next != close)
    }

    /// Checks if the object that was opened there may have an earlier key like its newest one.
    #[cold]
    fn may_have_key(&self, opened: usize, key: &[u8]) -> bool {
        // Going through many values for each key would be quadratic. Saying yes is always allowed: the
        // keys are then compared in another way.
        const MOST_COMPARED: usize = 256;
        self.tree.len() - opened > MOST_COMPARED || self.tree.has_key(opened, self.bytes, key)
    }

    fn word(&mut self, at: usize, word: &[u8], kind: NodeKind) -> Option<usize> {
        if !self.bytes[at..].starts_with(word) {
            return None;
        }
        let end = at + word.len();
        self.tree.scalar(kind, Stored::Bare, at as u32..end as u32);
        Some(end)
    }

    #[inline(always)]
    fn string(&mut self, at: usize) -> Option<(usize, Stored)> {
        let stop = self.plain_end(at + 1)?;
        // Nearly every string ends here; the others have escapes, or something that is not allowed.
        let (end, stored) = if self.peek(stop) == Some(b'"') {
            (stop + 1, Stored::Quoted)
        } else {
            (self.rest_of_string(stop)?, Stored::Escaped)
        };
        self.tree
            .scalar(NodeKind::String, stored, at as u32..end as u32);
        Some((end, stored))
    }

    /// Reads from the first escape to behind the closing quote.
    #[cold]
    fn rest_of_string(&mut self, mut at: usize) -> Option<usize> {
        loop {
            at = match self.peek(at)? {
                b'"' => return Some(at + 1),
                b'\\' => self.escape(at + 1)?,
                _ => return None,
            };
            at = self.plain_end(at)?;
        }
    }

    /// Finds the first byte that is not simply part of a string: a quote, a backslash, a control
    /// character, or the end.
    #[inline(always)]
    fn plain_end(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        if CONTROLS {
            return Some(at + plain_prefix(rest));
        }
        // Short strings end within two words, where a call would cost more than it saves.
        if let Some((words, _)) = rest.split_first_chunk::<16>() {
            let (words, _) = words.as_chunks::<8>();
            for (index, word) in words.iter().enumerate() {
                let stops = quotes_and_backslashes(u64::from_le_bytes(*word));
                if stops != 0 {
                    return Some(at + index * 8 + stops.trailing_zeros() as usize / 8);
                }
            }
            let far = memchr::memchr2(b'"', b'\\', &rest[16..]);
            return Some(far.map_or(self.bytes.len(), |far| at + 16 + far));
        }
        Some(at + plain_prefix(rest))
    }

    fn escape(&mut self, at: usize) -> Option<usize> {
        match self.peek(at)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
            b'u' => {
                let unit = self.hex4(at + 1)?;
                if matches!(unit, 0xD800..=0xDBFF) && self.is_second_half(at + 5) {
                    return Some(at + 11);
                }
                self.tree.has_lone_surrogate |= matches!(unit, 0xD800..=0xDFFF);
                Some(at + 5)
            }
            _ => None,
        }
    }

    fn is_second_half(&self, at: usize) -> bool {
        let is_escape = self.bytes[at..].starts_with(b"\\u");
        is_escape && matches!(self.hex4(at + 2), Some(0xDC00..=0xDFFF))
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |value, digit| {
            Some(value << 4 | char::from(*digit).to_digit(16)?)
        })
    }

    fn number(&mut self, start: usize) -> Option<usize> {
        let mut at = start;
        if self.peek(at) == Some(b'-') {
            at += 1;
        }
        at = match self.peek(at)? {
            b'0' => at + 1,
            _ => self.digits(at)?,
        };
        if self.peek(at) == Some(b'.') {
            at = self.digits(at + 1)?;
        }
        let mut has_exponent = false;
        if let Some(b'e' | b'E') = self.peek(at) {
            has_exponent = true;
            at += 1;
            if let Some(b'+' | b'-') = self.peek(at) {
                at += 1;
            }
            at = self.digits(at)?;
        }
        // Only these can be out of a double's range. It is JSON all the same, so the lexer leaves the
        // decision about such a number to its callers.
        if has_exponent || at - start > 300 {
            self.tree.may_overflow |= !is_finite(&self.bytes[start..at]);
        }
        self.tree.has_long_number |= at - start > LONGEST_EXACT;
        self.tree
            .scalar(NodeKind::Number, Stored::Bare, start as u32..at as u32);
        Some(at)
    }

    fn digits(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while let Some(b'0'..=b'9') = self.peek(at) {
            at += 1;
        }
        (at > start).then_some(at)
    }
}

fn is_finite(number: &[u8]) -> bool {
    std::str::from_utf8(number)
        .ok()
        .and_then(|text| text.parse::<f64>().ok())
        .is_some_and(f64::is_finite)
}

/// The keys of one object, reduced to a bit each that equal keys share.
#[derive(Default)]
struct Marks(u64);

impl Marks {
    /// Adds a key and returns if it may have been there already. Never wrong when it says no.
    #[inline(always)]
    fn add(&mut self, key: &[u8]) -> bool {
        let bit = 1 << name_slot(key);
        let seen = self.0 & bit != 0;
        self.0 |= bit;
        seen
    }
}

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);

/// Marks (at least) the first zero byte.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

/// Marks (at least) the first quote and the first backslash.
fn quotes_and_backslashes(word: u64) -> u64 {
    zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')))
}

/// Counts the leading bytes that are neither a quote, nor a backslash, nor a control character.
fn plain_prefix(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stops = quotes_and_backslashes(word) | controls;
        if stops != 0 {
            return index * 8 + stops.trailing_zeros() as usize / 8;
        }
    }
    let at = words.len() * 8;
    let rest = bytes[at..]
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    rest.map_or(bytes.len(), |rest| at + rest)
}

/// Checks for control characters, many bytes at a time: if there are none, strings end at quotes.
fn has_controls(bytes: &[u8]) -> bool {
    const WIDTH: usize = 64;
    let Some(last) = bytes.last_chunk::<WIDTH>() else {
        return bytes.iter().any(|byte| *byte < 0x20);
    };
    // The last bytes may be looked at twice, which is cheaper than one by one.
    let mut least = *last;
    for chunk in bytes.as_chunks::<WIDTH>().0 {
        for (least, byte) in least.iter_mut().zip(chunk) {
            *least = (*least).min(*byte);
        }
    }
    least.iter().any(|byte| *byte < 0x20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::COMPARED_KEYS;
    use proptest::prelude::*;

    fn parsed(source: &str) -> Result<Value, InvalidJson> {
        let mut tree = Tree::default();
        parse(source, &mut tree).map(|()| tree.root().to_value())
    }

    fn agrees_with_serde_json(source: &str) {
        match (parsed(source), serde_json::from_str::<Value>(source)) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{source}"),
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) if error.to_string().starts_with("number out of range") => {}
            (Ok(_), Err(error)) if error.to_string().contains("hex escape") => {
                let mut tree = Tree::default();
                parse(source, &mut tree).unwrap();
                let (_, half) = tree.root().lone_surrogate().unwrap();
                let half = source[half].to_ascii_lowercase();
                assert!(half.starts_with("\\ud"), "{source}");
                agrees_with_serde_json(&surrogates::replaced(source));
            }
            (ours, theirs) => panic!("{source:?}: ours {ours:?}, serde_json {theirs:?}"),
        }
    }

    #[test]
    fn accepts_and_refuses_what_serde_json_does() {
        for source in [
            "",
            " ",
            "{}",
            "[]",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "nul",
            "truex",
            "01",
            "-",
            "-0",
            "1.",
            "1.5e",
            "1e5",
            "1E+400",
            "-1e-400",
            ".5",
            "+1",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\u00zz\"",
            "\"\\x\"",
            "\"a\tb\"",
            "\"\u{7f}\"",
            "\"abc",
            "{\"a\":1} x",
            "[1 2]",
            "\u{feff}{}",
            "\"\\udc00\"",
            "[\"\\ud83d\", \"\\ud83d\\u0041\", \"\\ud83d\\n\"]",
            "{\"\\ude00\\ud83d\": 1}",
            "\"0123456\\n89abcdef\"",
            "123456789012345678901234567890",
            "{\"a\":{\"b\":[null,true]}}",
        ] {
            agrees_with_serde_json(source);
        }
    }

    #[test]
    fn nesting_ends_where_serde_json_ends_it() {
        for depth in [1, 126, 127, 128, 129, 10_000] {
            agrees_with_serde_json(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
            agrees_with_serde_json(&format!(
                "{}1{}",
                "{\"a\":".repeat(depth),
                "}".repeat(depth)
            ));
        }
    }

    #[test]
    fn the_reason_is_the_parsers_with_its_place() {
        let invalid = parsed(r#"{"id": "é" "x": 1}"#).unwrap_err();
        assert_eq!(invalid.reason, "expected `,` or `}`");
        assert_eq!(invalid.offset, 12);
        assert!(!invalid.unfinished);
        assert!(parsed(r#"{"id": "#).unwrap_err().unfinished);
    }

    #[test]
    fn the_comparisons_of_keys_do_not_grow_with_their_number() {
        let compared = |count: usize| {
            let keys: Vec<String> = (0..count).map(|key| format!("\"k{key:06}\": 1")).collect();
            let before = COMPARED_KEYS.get();
            let mut tree = Tree::default();
            parse(&format!("{{{}}}", keys.join(",")), &mut tree).unwrap();
            assert!(tree.root().repeated_key().is_none());
            COMPARED_KEYS.get() - before
        };
        let few = compared(1_000);
        assert!(few > 0);
        assert_eq!(compared(100_000), few);
    }

    #[test]
    fn half_of_a_surrogate_pair_is_found_and_read_as_the_replacement_character() {
        let source = r#"{"a": "\ud83d\ude00", "b": ["x\ud83d"]}"#;
        let mut tree = Tree::default();
        parse(source, &mut tree).unwrap();
        let (node, half) = tree.root().lone_surrogate().unwrap();
        assert_eq!(tree.root().path_to(node), "b[0]");
        assert_eq!(&source[half], "\\ud83d");
        assert_eq!(node.text(), "x\u{fffd}");
        assert!(tree.root().get("a").unwrap().lone_surrogate().is_none());
        // The reason for a refusal is the real one.
        let deep = format!("{}\"\\ud83d\"", "[".repeat(200));
        let closed = format!("{deep}{}", "]".repeat(200));
        assert!(parsed(&closed).unwrap_err().reason.contains("recursion"));
    }

    proptest! {
        #[test]
        fn any_string_of_surrogate_halves_is_read(source in "\"(\\\\u(d83d|de00|D800|0041|dfff)|\\\\\\\\|x){0,6}\"") {
            agrees_with_serde_json(&source);
        }

        #[test]
        fn any_text_is_read_as_serde_json_reads_it(source in "[\\[\\]{}\",:\\\\ut0-9.eE+\\- a\u{1}é\n]{0,40}") {
            agrees_with_serde_json(&source);
        }

        #[test]
        fn any_string_comes_back(text in "\\PC*") {
            let source = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(parsed(&source).unwrap(), Value::String(text));
        }

        #[test]
        fn plain_prefix_is_the_position_of_the_first_special_byte(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let slow = bytes.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)).unwrap_or(bytes.len());
            prop_assert_eq!(plain_prefix(&bytes), slow);
        }
    }
}
