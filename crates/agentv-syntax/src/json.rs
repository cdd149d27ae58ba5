//! One JSON text into a [`Tree`].
//!
//! No maintained parser gives every value its position without allocating for it, so the lexer is
//! ours. It accepts what `serde_json` accepts, and nothing else (a property test and a fuzz target
//! hold them against each other), but for numbers that no double can hold; the reason of a refusal
//! is always `serde_json`'s own.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::tree::{NodeKind, Stored, Tree};

/// Deepest nesting of arrays and objects, the same as `serde_json`'s.
pub const MAX_DEPTH: usize = 127;

/// Characters of a whole number that 64 bits surely hold.
const LONGEST_EXACT: usize = 18;

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The parser's reason, without a position.
    pub reason: String,
    /// Where it gave up, in bytes from the start.
    pub offset: usize,
    /// Whether the text ended before the value did.
    pub unfinished: bool,
}

/// Reads `source`, one JSON value with nothing but white space around it, into `tree`.
///
/// # Errors
/// When it is not JSON; `tree` then holds nothing of use.
pub fn parse(source: &str, tree: &mut Tree) -> Result<(), Invalid> {
    tree.start(source);
    let mut lexer = Lexer {
        bytes: source.as_bytes(),
        at: 0,
        tree,
    };
    lexer.document().ok_or_else(|| {
        let stopped_at = lexer.at.min(source.len());
        explain(source, stopped_at)
    })
}

/// Asks `serde_json` what is wrong with a text that the lexer refused.
fn explain(source: &str, stopped_at: usize) -> Invalid {
    // Ignoring the value first keeps memory flat on a huge line with an error at its end.
    let error = serde_json::from_str::<IgnoredAny>(source)
        .err()
        .or_else(|| serde_json::from_str::<Value>(source).err());
    let Some(error) = error else {
        return Invalid {
            reason: "not a JSON value".to_owned(),
            offset: stopped_at,
            unfinished: false,
        };
    };
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    Invalid {
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

/// Each method reads one thing at `at` and answers `None` when it is not there.
struct Lexer<'s, 't> {
    bytes: &'s [u8],
    at: usize,
    tree: &'t mut Tree,
}

impl Lexer<'_, '_> {
    fn document(&mut self) -> Option<()> {
        // Offsets are kept in 32 bits.
        u32::try_from(self.bytes.len()).ok()?;
        let first = self.token()?;
        self.value(first, 0)?;
        self.token().is_none().then_some(())
    }

    /// The next byte that is not white space, not taken yet.
    #[inline]
    fn token(&mut self) -> Option<u8> {
        loop {
            let byte = self.peek()?;
            // One comparison tells what nearly every byte is.
            if byte > b' ' || !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn value(&mut self, first: u8, depth: usize) -> Option<()> {
        match first {
            b'"' => self.string().map(|_| ()),
            b'{' if depth < MAX_DEPTH => self.object(depth + 1),
            b'[' if depth < MAX_DEPTH => self.array(depth + 1),
            b't' => self.word(b"true", NodeKind::Bool),
            b'f' => self.word(b"false", NodeKind::Bool),
            b'n' => self.word(b"null", NodeKind::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.tree.deepest = self.tree.deepest.max(depth);
        let opened = self.tree.open(NodeKind::Object, self.at as u32);
        self.at += 1;
        let mut marks = Marks::default();
        let mut next = self.token()?;
        while next != b'}' {
            if next != b'"' {
                return None;
            }
            let key_start = self.at;
            let maybe_repeated = match self.string()? {
                Stored::Quoted => {
                    let key = &self.bytes[key_start + 1..self.at - 1];
                    marks.add(key) && self.tree.has_key(opened, self.bytes, key)
                }
                // Escaped, it could equal any other.
                _ => true,
            };
            self.tree.may_repeat_keys |= maybe_repeated;
            if self.token()? != b':' {
                return None;
            }
            self.at += 1;
            let first = self.token()?;
            self.value(first, depth)?;
            next = self.separator(b'}')?;
        }
        self.at += 1;
        self.tree.close(opened, self.at as u32);
        Some(())
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.tree.deepest = self.tree.deepest.max(depth);
        let opened = self.tree.open(NodeKind::Array, self.at as u32);
        self.at += 1;
        let mut next = self.token()?;
        while next != b']' {
            self.value(next, depth)?;
            next = self.separator(b']')?;
        }
        self.at += 1;
        self.tree.close(opened, self.at as u32);
        Some(())
    }

    /// What comes after an element: the closing bracket, or a comma and then the next element.
    #[inline]
    fn separator(&mut self, close: u8) -> Option<u8> {
        let byte = self.token()?;
        if byte == close {
            return Some(close);
        }
        if byte != b',' {
            return None;
        }
        self.at += 1;
        // A comma promises another element.
        self.token().filter(|next| *next != close)
    }

    fn word(&mut self, word: &[u8], kind: NodeKind) -> Option<()> {
        if !self.bytes[self.at..].starts_with(word) {
            return None;
        }
        let start = self.at as u32;
        self.at += word.len();
        self.tree.scalar(kind, Stored::Bare, start..self.at as u32);
        Some(())
    }

    #[inline(always)]
    fn string(&mut self) -> Option<Stored> {
        let start = self.at;
        let rest = self.bytes.get(start + 1..)?;
        let length = plain_prefix(rest);
        // Nearly every string ends here; the others have escapes, or something that is not allowed.
        let stored = if rest.get(length) == Some(&b'"') {
            self.at = start + length + 2;
            Stored::Quoted
        } else {
            self.at = start + 1 + length;
            self.rest_of_string()?;
            Stored::Escaped
        };
        let span = start as u32..self.at as u32;
        self.tree.scalar(NodeKind::String, stored, span);
        Some(stored)
    }

    /// Goes on from the first escape to behind the closing quote.
    #[cold]
    fn rest_of_string(&mut self) -> Option<()> {
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => {
                    self.at += 1;
                    self.escape()?;
                }
                _ => return None,
            }
            self.at += plain_prefix(self.bytes.get(self.at..)?);
        }
    }

    fn escape(&mut self) -> Option<()> {
        let letter = self.peek()?;
        self.at += 1;
        match letter {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => match self.hex4()? {
                0xDC00..=0xDFFF => None,
                0xD800..=0xDBFF => {
                    if !self.bytes[self.at..].starts_with(b"\\u") {
                        return None;
                    }
                    self.at += 2;
                    matches!(self.hex4()?, 0xDC00..=0xDFFF).then_some(())
                }
                _ => Some(()),
            },
            _ => None,
        }
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |value, digit| {
            Some(value << 4 | char::from(*digit).to_digit(16)?)
        })
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        let mut has_exponent = false;
        if let Some(b'e' | b'E') = self.peek() {
            has_exponent = true;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        // Only these can be out of a double's range. It is JSON all the same, so what becomes of
        // such a number is not for the lexer to say.
        if has_exponent || self.at - start > 300 {
            self.tree.may_overflow |= !self.is_finite(start);
        }
        self.tree.has_long_number |= self.at - start > LONGEST_EXACT;
        self.tree
            .scalar(NodeKind::Number, Stored::Bare, start as u32..self.at as u32);
        Some(())
    }

    fn is_finite(&self, start: usize) -> bool {
        std::str::from_utf8(&self.bytes[start..self.at])
            .ok()
            .and_then(|text| text.parse::<f64>().ok())
            .is_some_and(f64::is_finite)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

/// The keys of one object, reduced to a bit each that equal keys share.
#[derive(Default)]
struct Marks {
    bits: u64,
}

impl Marks {
    /// Adds a key and says whether it may have been there already. Never wrong when it says no.
    #[inline]
    fn add(&mut self, key: &[u8]) -> bool {
        let (Some(first), Some(last)) = (key.first(), key.last()) else {
            return true;
        };
        let (first, last) = (u32::from(*first), u32::from(*last));
        let bit = 1 << ((first * 3 + last * 5 + key.len() as u32 * 11) % 64);
        let seen = self.bits & bit != 0;
        self.bits |= bit;
        seen
    }
}

/// How many leading bytes are neither a quote, nor a backslash, nor a control character.
#[inline]
fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    /// Marks (at least) the first zero byte.
    fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word & HIGHS
    }
    let mut at = 0;
    // Eight bytes at a time: content is mostly long strings.
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quotes = zeros(word ^ (ONES * u64::from(b'"')));
        let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stops = quotes | backslashes | controls;
        if stops != 0 {
            return at + stops.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes[at..]
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    at + rest.unwrap_or(bytes.len() - at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(source: &str) -> Result<Value, Invalid> {
        let mut tree = Tree::default();
        parse(source, &mut tree).map(|()| tree.root().to_value())
    }

    fn agrees_with_serde_json(source: &str) {
        match (parsed(source), serde_json::from_str::<Value>(source)) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{source}"),
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) if error.to_string().starts_with("number out of range") => {}
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

    proptest! {
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
