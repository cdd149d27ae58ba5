//! Reads one YAML document into a [`Tree`].
//!
//! Plain scalars follow YAML 1.2's core schema, so `yes`, `on` and `2024-01-01` are strings, and so
//! is `012`: an id or a postcode keeps its zero. Aliases and merge keys (`<<`) are expanded, within
//! a budget that grows with the file, so that a short file cannot become a huge value.

use std::borrow::Cow;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};
use thiserror::Error;

use crate::json::{self, MAX_DEPTH};
use crate::surrogates;
use crate::tree::{NodeKind, Tree};
use crate::{Code, Problem};

/// Values that a document of any size may expand to, before its length counts.
const BASE_BUDGET: usize = 500_000;
/// Further values for each byte of the file: every honest value costs at least a byte.
const BUDGET_PER_BYTE: usize = 16;
/// Deepest nesting: a case of a suite is two levels down, and may be as deep as one on a line.
const DEEPEST: usize = MAX_DEPTH + 2;

/// The key that merges the fields of other mappings.
const MERGE: &str = "<<";

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
    escape: Option<Range<usize>>,
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
    fn new(reason: impl Into<String>, offset: u32) -> InvalidYaml {
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

/// Reads the one YAML document in `source` into `tree`. An empty document is `null`.
///
/// # Errors
/// Fails if it is not YAML, holds more than one document, nests too deeply, or expands too far.
pub fn parse(source: &str, tree: &mut Tree) -> Result<(), InvalidYaml> {
    read(source, tree)
}

/// The number of broken escapes that are always found, and of bytes that are read again for further ones.
const ALWAYS_FOUND: usize = 20;
const MOST_READ_AGAIN: usize = 64 << 20;

/// Reads a document as [`parse`] does, except that an escape of a surrogate is read as U+FFFD, and
/// [`Node::broken_escape`](crate::Node::broken_escape) finds it.
///
/// # Errors
/// Fails as [`parse`] does, and if there are very many such escapes.
pub fn parse_with_broken_escapes(source: &str, tree: &mut Tree) -> Result<(), InvalidYaml> {
    let mut repaired = Cow::Borrowed(source);
    let mut broken: Vec<BrokenEscape> = Vec::new();
    loop {
        let reason = match read(&repaired, tree) {
            Ok(()) => break,
            Err(reason) => reason,
        };
        let is_allowed =
            broken.len() < ALWAYS_FOUND || broken.len() * source.len() < MOST_READ_AGAIN;
        let Some(place) = reason.escape.clone().filter(|_| is_allowed) else {
            return Err(reason);
        };
        let replacement = surrogates::REPLACEMENT.repeat(place.len() / 6);
        repaired.to_mut().replace_range(place.clone(), &replacement);
        broken.push(BrokenEscape { place, reason });
    }
    tree.set_broken_escapes(source, broken);
    Ok(())
}

fn read(source: &str, tree: &mut Tree) -> Result<(), InvalidYaml> {
    tree.start(source);
    if u32::try_from(source.len()).is_err() {
        return Err(InvalidYaml::new("the file is larger than 4 GiB", 0));
    }
    // JSON is YAML, and JSON's escapes for characters beyond 16 bits are not YAML's.
    if source.trim_start().starts_with('{')
        && json::parse(source, tree).is_ok()
        && !tree.has_lone_surrogate
    {
        return Ok(());
    }
    tree.start(source);
    let mut reader = Reader::new(source);
    let root = reader.document()?;
    tree.may_repeat_keys = true;
    tree.deepest = DEEPEST;
    tree.may_overflow = true;
    tree.has_long_number = true;
    let budget = BASE_BUDGET.saturating_add(source.len().saturating_mul(BUDGET_PER_BYTE));
    // Offsets into expanded text are kept in 32 bits.
    let budget = budget.min(u32::MAX as usize);
    Flattener {
        nodes: &reader.nodes,
        tree,
        budget,
    }
    .value(root, 0)
}

/// A value as parsed; children are indices, so an alias is the index of its anchor's value.
struct Parsed<'s> {
    span: Range<u32>,
    value: ParsedValue<'s>,
}

enum ParsedValue<'s> {
    Scalar(NodeKind, Cow<'s, str>),
    /// Text that YAML has a number for, such as `.inf` and `012.5`.
    NumberLike(Cow<'s, str>),
    /// `<<` without quotes: as a key it merges, anywhere else it is that text.
    Merge,
    Sequence(Vec<usize>),
    Mapping(Vec<(usize, usize)>),
}

struct Reader<'s> {
    source: &'s str,
    parser: Parser<'s, StrInput<'s>>,
    nodes: Vec<Parsed<'s>>,
    /// The value behind each anchor, once it is complete.
    anchors: std::collections::HashMap<usize, usize>,
    offsets: Offsets<'s>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str) -> Self {
        Reader {
            source,
            parser: Parser::new_from_str(source),
            nodes: Vec::new(),
            anchors: std::collections::HashMap::new(),
            offsets: Offsets::new(source),
        }
    }

    fn next(&mut self) -> Result<(Event<'s>, Span), InvalidYaml> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(self.refused(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn refused(&mut self, error: &ScanError) -> InvalidYaml {
        let offset = self.offsets.byte(*error.marker());
        match error.info() {
            "recursion limit exceeded" => InvalidYaml::new(too_deep(), offset),
            reason if reason.contains("invalid Unicode character escape") => {
                invalid_escape(self.source, offset)
                    .unwrap_or_else(|| InvalidYaml::new(reason, offset))
            }
            reason => InvalidYaml::new(reason, offset),
        }
    }

    fn document(&mut self) -> Result<usize, InvalidYaml> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                Event::DocumentStart(_) if root.is_some() => {
                    let reason = "a second YAML document starts here; a file has one document";
                    return Err(InvalidYaml::new(reason, self.offsets.byte(span.start)));
                }
                Event::DocumentStart(_) => {
                    let (event, span) = self.next()?;
                    root = Some(self.node(event, span, 0)?);
                }
                Event::Alias(_)
                | Event::Scalar(..)
                | Event::SequenceStart(..)
                | Event::SequenceEnd
                | Event::MappingStart(..)
                | Event::MappingEnd => {}
            }
        }
        Ok(match root {
            Some(root) => root,
            None => self.push(0..0, ParsedValue::Scalar(NodeKind::Null, Cow::Borrowed(""))),
        })
    }

    fn push(&mut self, span: Range<u32>, value: ParsedValue<'s>) -> usize {
        self.nodes.push(Parsed { span, value });
        self.nodes.len() - 1
    }

    fn node(&mut self, event: Event<'s>, span: Span, depth: usize) -> Result<usize, InvalidYaml> {
        let start = self.offsets.byte(span.start);
        let opens = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
        if opens && depth >= DEEPEST {
            return Err(InvalidYaml::new(too_deep(), start));
        }
        let (anchor, index) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let end = self.offsets.byte(span.end).max(start);
                let value = if style == ScalarStyle::Plain && text == "<<" {
                    ParsedValue::Merge
                } else {
                    scalar(text, style, tag.as_deref())
                };
                (anchor, self.push(start..end, value))
            }
            Event::SequenceStart(anchor, _) => (anchor, self.sequence(start, depth)?),
            Event::MappingStart(anchor, _) => (anchor, self.mapping(start, depth)?),
            Event::Alias(anchor) => {
                let Some(&index) = self.anchors.get(&anchor) else {
                    let reason = "this alias refers to a value that contains it";
                    return Err(InvalidYaml::new(reason, start));
                };
                (0, index)
            }
            other => {
                let reason = format!("expected a value, found {other:?}");
                return Err(InvalidYaml::new(reason, start));
            }
        };
        if anchor != 0 {
            self.anchors.insert(anchor, index);
        }
        Ok(index)
    }

    fn sequence(&mut self, start: u32, depth: usize) -> Result<usize, InvalidYaml> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                let end = self.container_end(start, span);
                return Ok(self.push(start..end, ParsedValue::Sequence(items)));
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn mapping(&mut self, start: u32, depth: usize) -> Result<usize, InvalidYaml> {
        let mut fields = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                let end = self.container_end(start, span);
                return Ok(self.push(start..end, ParsedValue::Mapping(fields)));
            }
            let key_start = self.offsets.byte(span.start);
            let key = self.node(event, span, depth + 1)?;
            let value = &self.nodes[key].value;
            if matches!(value, ParsedValue::Sequence(_) | ParsedValue::Mapping(_)) {
                let reason = "a key must be plain text, not a list or a mapping";
                return Err(InvalidYaml::new(reason, key_start));
            }
            let (event, span) = self.next()?;
            fields.push((key, self.node(event, span, depth + 1)?));
        }
    }

    /// Removes the white space at the end of a block, which reaches up to the next token.
    fn container_end(&mut self, start: u32, span: Span) -> u32 {
        let end = self.offsets.byte(span.end).max(start);
        let text = &self.source[start as usize..end as usize];
        start + text.trim_end().len() as u32
    }
}

fn too_deep() -> String {
    format!("nested deeper than {DEEPEST} levels")
}

/// A conversion of the parser's character indices to bytes; cheap because indices only grow.
struct Offsets<'s> {
    source: &'s str,
    ascii: bool,
    chars: usize,
    bytes: usize,
}

impl<'s> Offsets<'s> {
    fn new(source: &'s str) -> Self {
        Offsets {
            source,
            ascii: source.is_ascii(),
            chars: 0,
            bytes: 0,
        }
    }

    fn byte(&mut self, marker: Marker) -> u32 {
        let wanted = marker.index();
        if self.ascii {
            return wanted.min(self.source.len()) as u32;
        }
        if wanted < self.chars {
            // Ends of blocks may lie behind; walk back over the few characters between.
            let back = self.chars - wanted;
            let before = &self.source[..self.bytes];
            let skipped: usize = before.chars().rev().take(back).map(char::len_utf8).sum();
            return (self.bytes - skipped) as u32;
        }
        let ahead = &self.source[self.bytes..];
        let passed: usize = ahead
            .chars()
            .take(wanted - self.chars)
            .map(char::len_utf8)
            .sum();
        self.bytes += passed;
        self.chars = wanted;
        self.bytes as u32
    }
}

/// A writer of parsed values into the tree, with aliases and merge keys expanded.
struct Flattener<'p, 's> {
    nodes: &'p [Parsed<'s>],
    tree: &'p mut Tree,
    budget: usize,
}

impl<'p, 's> Flattener<'p, 's> {
    fn value(&mut self, index: usize, depth: usize) -> Result<(), InvalidYaml> {
        let node = &self.nodes[index];
        match &node.value {
            ParsedValue::Scalar(kind, text) => {
                self.spend(index, text.len())?;
                self.tree.decoded_scalar(*kind, node.span.clone(), text);
            }
            ParsedValue::NumberLike(text) => {
                self.spend(index, text.len())?;
                let span = node.span.clone();
                self.tree.decoded_scalar(NodeKind::String, span, text);
                self.tree.mark_number_like();
            }
            ParsedValue::Merge => {
                self.spend(index, MERGE.len())?;
                self.tree
                    .decoded_scalar(NodeKind::String, node.span.clone(), MERGE);
            }
            ParsedValue::Sequence(items) => {
                self.enter(index, depth)?;
                let opened = self.tree.open(NodeKind::Array, node.span.start);
                for item in items {
                    self.value(*item, depth + 1)?;
                }
                self.tree.close(opened, node.span.end);
            }
            ParsedValue::Mapping(fields) => {
                self.enter(index, depth)?;
                let fields = self.merged(fields, depth)?;
                let opened = self.tree.open(NodeKind::Object, node.span.start);
                for (key, value) in &fields {
                    let (span, text) = self.key(*key);
                    self.spend(*key, text.len())?;
                    self.tree.decoded_scalar(NodeKind::String, span, text);
                    self.value(*value, depth + 1)?;
                }
                self.tree.close(opened, node.span.end);
            }
        }
        Ok(())
    }

    /// Takes the cost of one more value from the budget. A text costs its length; otherwise a short file
    /// could repeat a long one without end.
    fn spend(&mut self, index: usize, length: usize) -> Result<(), InvalidYaml> {
        match self.budget.checked_sub(1 + length) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => {
                let reason = "its aliases expand to too many values for a file of this size";
                Err(InvalidYaml::new(reason, self.nodes[index].span.start))
            }
        }
    }

    fn enter(&mut self, index: usize, depth: usize) -> Result<(), InvalidYaml> {
        if depth >= DEEPEST {
            return Err(InvalidYaml::new(too_deep(), self.nodes[index].span.start));
        }
        self.spend(index, 0)
    }

    fn key(&self, index: usize) -> (Range<u32>, &'p str) {
        let node = &self.nodes[index];
        match &node.value {
            ParsedValue::Scalar(_, text) | ParsedValue::NumberLike(text) => {
                (node.span.clone(), text)
            }
            ParsedValue::Merge => (node.span.clone(), MERGE),
            ParsedValue::Sequence(_) | ParsedValue::Mapping(_) => (node.span.clone(), ""),
        }
    }

    /// Returns the fields of a mapping with `<<` replaced by the merged fields: own keys win, and among
    /// several merged mappings the earlier.
    fn merged(
        &mut self,
        fields: &[(usize, usize)],
        depth: usize,
    ) -> Result<Vec<(usize, usize)>, InvalidYaml> {
        let (merges, mut own): (Vec<_>, Vec<_>) = fields
            .iter()
            .partition(|(key, _)| matches!(self.nodes[*key].value, ParsedValue::Merge));
        if merges.is_empty() {
            return Ok(own);
        }
        let mut known: std::collections::HashSet<&str> =
            own.iter().map(|(key, _)| self.key(*key).1).collect();
        for (key, value) in merges {
            let sources: &[usize] = match &self.nodes[value].value {
                ParsedValue::Sequence(items) => items,
                ParsedValue::Mapping(_)
                | ParsedValue::Scalar(..)
                | ParsedValue::NumberLike(_)
                | ParsedValue::Merge => &[value],
            };
            for source in sources {
                let ParsedValue::Mapping(inherited) = &self.nodes[*source].value else {
                    let reason = "`<<` takes a mapping or a list of mappings";
                    return Err(InvalidYaml::new(reason, self.nodes[key].span.start));
                };
                self.enter(key, depth)?;
                self.spend(key, inherited.len())?;
                let inherited = self.merged(inherited, depth + 1)?;
                let fresh = inherited
                    .into_iter()
                    .filter(|(key, _)| known.insert(self.key(*key).1));
                own.extend(fresh);
            }
        }
        Ok(own)
    }
}

/// Explains an escape that is half of a surrogate pair, at its own place.
fn invalid_escape(source: &str, offset: u32) -> Option<InvalidYaml> {
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

/// The prefix of the tags that YAML itself defines.
const CORE_TAG: &str = "tag:yaml.org,2002:";

/// Returns the value of a scalar, with its text in JSON's spelling.
fn scalar<'s>(text: Cow<'s, str>, style: ScalarStyle, tag: Option<&Tag>) -> ParsedValue<'s> {
    let name = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
    let core_tag = name.as_deref().and_then(|name| name.strip_prefix(CORE_TAG));
    // `!` alone says that the value is not to be resolved by its looks.
    let is_text = core_tag == Some("str") || name.as_deref() == Some("!");
    if is_text || (core_tag.is_none() && style != ScalarStyle::Plain) {
        return ParsedValue::Scalar(NodeKind::String, text);
    }
    let (kind, text) = match text.as_ref() {
        // The text stays, because as a key it is one.
        "" | "~" | "null" | "Null" | "NULL" => (NodeKind::Null, text),
        "true" | "True" | "TRUE" => (NodeKind::Bool, Cow::Borrowed("true")),
        "false" | "False" | "FALSE" => (NodeKind::Bool, Cow::Borrowed("false")),
        plain => match number(plain) {
            Some(number) => (NodeKind::Number, Cow::Owned(number)),
            None if is_number_like(plain) => return ParsedValue::NumberLike(text),
            None => (NodeKind::String, text),
        },
    };
    ParsedValue::Scalar(kind, text)
}

/// Checks if YAML has a number for a text that we do not read as one: JSON has no infinity, and a
/// fraction that starts with 0 may be a version, a date or a code.
fn is_number_like(plain: &str) -> bool {
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => true,
        ".nan" | ".NaN" | ".NAN" => unsigned == plain,
        _ => {
            let digits = unsigned.trim_start_matches('0');
            unsigned.starts_with('0')
                && digits.contains(['.', 'e', 'E'])
                && (number(digits).is_some() || number(&format!("0{digits}")).is_some())
        }
    }
}

/// Returns a plain scalar's number in JSON's spelling, or `None` if it is text.
fn number(plain: &str) -> Option<String> {
    let (sign, digits) = match plain.as_bytes().first()? {
        b'-' => ("-", &plain[1..]),
        b'+' => ("", &plain[1..]),
        _ => ("", plain),
    };
    if sign.is_empty() && digits.len() == plain.len() {
        let radix = match digits.get(..2) {
            Some("0x") => Some(16),
            Some("0o") => Some(8),
            _ => None,
        };
        if let Some(radix) = radix {
            let all_digits = digits[2..].chars().all(|digit| digit.is_digit(radix));
            let value = u64::from_str_radix(&digits[2..], radix).ok();
            return value.filter(|_| all_digits).map(|value| value.to_string());
        }
    }
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_none_or(str::is_empty) {
        return None;
    }
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if leading_zero || !is_digits(whole) || !fraction.is_none_or(is_digits) {
        return None;
    }
    let mut json = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if let Some(fraction) = fraction {
        json.push('.');
        json.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if unsigned.is_empty() || !is_digits(unsigned) {
            return None;
        }
        json.push('e');
        json.push_str(exponent);
    }
    Some(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn parsed(source: &str) -> Result<Value, InvalidYaml> {
        let mut tree = Tree::default();
        parse(source, &mut tree).map(|()| tree.root().to_value())
    }

    #[test]
    fn words_that_older_yaml_reads_as_something_else_are_strings() {
        let source = "[yes, no, on, off, 012, 1_000, 2024-01-01, 12:30, 0x, .nan, '5', \"true\", !!str 7, 01.5, e5, ., 0b1]";
        let expected = json!([
            "yes",
            "no",
            "on",
            "off",
            "012",
            "1_000",
            "2024-01-01",
            "12:30",
            "0x",
            ".nan",
            "5",
            "true",
            "7",
            "01.5",
            "e5",
            ".",
            "0b1"
        ]);
        assert_eq!(parsed(source).unwrap(), expected);
    }

    #[test]
    fn an_exclamation_mark_makes_text() {
        let source =
            "[! 12, ! true, ! a, !!str 12, !<tag:yaml.org,2002:str> 12, !own 12, !!int '12']";
        let expected = json!(["12", "true", "a", "12", "12", 12, 12]);
        assert_eq!(parsed(source).unwrap(), expected);
        assert_eq!(parsed("! 1: x").unwrap(), json!({"1": "x"}));
    }

    #[test]
    fn text_that_yaml_has_a_number_for_is_marked() {
        let source = "a: [.inf, -.INF, .nan, 012.5, 00.5, 012e3, -01.0]\nb: ['.inf', !!str .nan, 012, -.nan, 1.5, 01.2.3, 08:30, 0e1, 0.5, inf, ! 012.5]\n.inf: 1\nc: *x\n";
        let source = source.replace("c: *x", "c: &x 01.5\nd: *x");
        let mut tree = Tree::default();
        parse(&source, &mut tree).unwrap();
        let texts = |node: crate::Node<'_>| -> Vec<String> {
            let texts = node.number_like_texts();
            texts.map(|node| node.text().into_owned()).collect()
        };
        let root = tree.root();
        let marked = [".inf", "-.INF", ".nan", "012.5", "00.5", "012e3", "-01.0"];
        assert_eq!(texts(root.get("a").unwrap()), marked);
        assert_eq!(texts(root.get("b").unwrap()), [""; 0]);
        assert_eq!(texts(root.get("d").unwrap()), ["01.5"]);
        assert_eq!(texts(root).len(), marked.len() + 2);
    }

    #[test]
    fn an_escaped_surrogate_pair_gets_its_spelling_in_yaml() {
        let invalid = parsed("a: \"é\"\nb: \"x \\ud83d\\ude00\"").unwrap_err();
        assert_eq!(invalid.offset, 14);
        assert_eq!(
            invalid.hint.as_deref(),
            Some("write `\\U0001F600`, or the character itself: 😀")
        );
        let invalid = parsed("b: \"\\ude00\"").unwrap_err();
        assert!(
            invalid.reason.contains("`\\ude00` is half of"),
            "{invalid:?}"
        );
        assert_eq!(parsed("b: \"\\U0001F600\"").unwrap(), json!({"b": "😀"}));
        let invalid = parsed("{\"a\": \"\\ud800\"}").unwrap_err();
        assert_eq!(invalid.offset, 7);
    }

    #[test]
    fn numbers_booleans_and_nulls_are_those_of_the_core_schema() {
        let source = "[1, -2, +3, 0x1F, 0o17, 1.5, .5, 5., 1e3, -1.5E-2, True, FALSE, ~, null, ]";
        let expected = json!([
            1, -2, 3, 31, 15, 1.5, 0.5, 5.0, 1e3, -1.5e-2, true, false, null, null
        ]);
        assert_eq!(parsed(source).unwrap(), expected);
    }

    #[test]
    fn merge_keys_inherit_and_own_keys_win() {
        let source = "base: &b {x: 1, y: 2}\nmore: &m {<<: *b, z: 3}\nown: {y: 9, <<: [*m, *b]}";
        assert_eq!(
            parsed(source).unwrap()["own"],
            json!({"y": 9, "z": 3, "x": 1})
        );
    }

    #[test]
    fn positions_count_bytes_after_wide_characters() {
        let source = "é: 日本\nname: \"ü\"\n";
        let mut tree = Tree::default();
        parse(source, &mut tree).unwrap();
        let name = tree.root().get("name").unwrap();
        assert_eq!(&source[name.span()], "\"ü\"");
    }

    #[test]
    fn a_billion_laughs_ends_in_words() {
        let mut source = String::from("a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
        for level in 1..12 {
            let items = vec![format!("*a{}", level - 1); 9].join(",");
            source.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        let invalid = parsed(&source).unwrap_err();
        assert!(invalid.reason.contains("too many values"), "{invalid:?}");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (source, reason) in [
            (
                "a: &x [*x]",
                "this alias refers to a value that contains it",
            ),
            ("a: 1\n---\nb: 2", "a second YAML document"),
            ("? [a, b]\n: c", "a key must be plain text"),
            ("a: {<<: 5}", "`<<` takes a mapping"),
            (&"[".repeat(10_000), "nested deeper"),
            (&"- ".repeat(300), "nested deeper"),
        ] {
            let invalid = parsed(source).unwrap_err();
            assert!(invalid.reason.contains(reason), "{source:.20}: {invalid:?}");
        }
        assert_eq!(parsed("# nothing\n").unwrap(), Value::Null);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(source in "[\\[\\]{}\",:&*<\\-?!#|>' ab1\u{e9}\n]{0,60}") {
            let _ = parsed(&source);
        }
    }
}
