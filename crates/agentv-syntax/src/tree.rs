//! A parsed document as one flat list of values, each with its place in the source.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Number, Value};

/// A parsed document. Holds offsets only, so one tree can be filled again and again without
/// allocating: [`Tree::root`] joins it with the source it was parsed from.
#[derive(Debug, Default)]
pub struct Tree {
    entries: Vec<Entry>,
    /// Texts that do not stand in the source as they are: YAML scalars after folding, unescaping.
    decoded: String,
}

/// What a value is, in JSON's terms. Both formats read into these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the six kinds of JSON value")]
pub enum NodeKind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl NodeKind {
    /// The kind with its article, as messages put it: `found a string`.
    pub fn described(self) -> &'static str {
        match self {
            NodeKind::Null => "null",
            NodeKind::Bool => "a boolean",
            NodeKind::Number => "a number",
            NodeKind::String => "a string",
            NodeKind::Array => "an array",
            NodeKind::Object => "an object",
        }
    }
}

/// Where a scalar's text is, and how to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// In the source, as it is.
    Source,
    /// In the source, with JSON escapes.
    Escaped,
    /// In the tree's own buffer.
    Decoded,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: NodeKind,
    stored: Stored,
    /// The whole value in the source, quotes and brackets included.
    start: u32,
    end: u32,
    /// A scalar's text; a container keeps its number of children in `text_start`.
    text_start: u32,
    text_end: u32,
    /// The entry that follows this value and everything in it.
    next: u32,
}

impl Tree {
    /// The document's value. `source` must be the text that this tree was parsed from.
    ///
    /// # Panics
    /// If nothing was parsed into the tree.
    pub fn root<'t>(&'t self, source: &'t str) -> Node<'t> {
        assert!(!self.entries.is_empty(), "an empty tree has no root");
        Node {
            tree: self,
            source,
            index: 0,
        }
    }

    /// How many values and keys the document has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was parsed.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.decoded.clear();
    }

    pub(crate) fn scalar(
        &mut self,
        kind: NodeKind,
        stored: Stored,
        span: Range<u32>,
        text: Range<u32>,
    ) {
        self.entries.push(Entry {
            kind,
            stored,
            start: span.start,
            end: span.end,
            text_start: text.start,
            text_end: text.end,
            next: self.entries.len() as u32 + 1,
        });
    }

    pub(crate) fn decoded_scalar(&mut self, kind: NodeKind, span: Range<u32>, text: &str) {
        let start = self.decoded.len() as u32;
        self.decoded.push_str(text);
        self.scalar(
            kind,
            Stored::Decoded,
            span,
            start..self.decoded.len() as u32,
        );
    }

    /// Opens an array or object; what is pushed until [`Tree::close`] is inside it.
    pub(crate) fn open(&mut self, kind: NodeKind, start: u32) -> usize {
        self.scalar(kind, Stored::Source, start..start, 0..0);
        self.entries.len() - 1
    }

    pub(crate) fn close(&mut self, opened: usize, end: u32, children: u32) {
        let next = self.entries.len() as u32;
        let entry = &mut self.entries[opened];
        entry.end = end;
        entry.text_start = children;
        entry.next = next;
    }
}

/// One value of a document: cheap to copy, borrows from the tree and its source.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    source: &'t str,
    index: u32,
}

impl<'t> Node<'t> {
    #[inline]
    fn entry(self) -> &'t Entry {
        &self.tree.entries[self.index as usize]
    }

    fn at(self, index: u32) -> Node<'t> {
        Node { index, ..self }
    }

    /// What the value is.
    #[inline]
    pub fn kind(self) -> NodeKind {
        self.entry().kind
    }

    /// The value's place in the source, in bytes.
    pub fn span(self) -> Range<usize> {
        let entry = self.entry();
        entry.start as usize..entry.end as usize
    }

    /// Whether the value is `null`, which in an optional field means "not given".
    pub fn is_null(self) -> bool {
        self.kind() == NodeKind::Null
    }

    /// The text of a string, number or boolean; empty for everything else.
    pub fn text(self) -> Cow<'t, str> {
        match self.plain_text() {
            Some(text) => Cow::Borrowed(text),
            None => {
                let entry = self.entry();
                let quoted = &self.source[entry.start as usize..entry.end as usize];
                // The lexer has accepted the escapes, so this cannot fail; if it did, the text as
                // written is the honest answer.
                serde_json::from_str(quoted).map_or(Cow::Borrowed(quoted), Cow::Owned)
            }
        }
    }

    /// The text where it needs no unescaping.
    fn plain_text(self) -> Option<&'t str> {
        let entry = self.entry();
        let text = entry.text_start as usize..entry.text_end as usize;
        match (entry.kind, entry.stored) {
            (NodeKind::Array | NodeKind::Object | NodeKind::Null, _) => Some(""),
            (_, Stored::Source) => Some(&self.source[text]),
            (_, Stored::Decoded) => Some(&self.tree.decoded[text]),
            (_, Stored::Escaped) => None,
        }
    }

    /// The text, if the value is a string.
    pub fn as_str(self) -> Option<Cow<'t, str>> {
        (self.kind() == NodeKind::String).then(|| self.text())
    }

    /// Whether the value is a string or key with exactly this text.
    #[inline]
    pub fn is_text(self, text: &str) -> bool {
        let entry = self.entry();
        let bytes = match entry.stored {
            Stored::Source => self.source.as_bytes(),
            Stored::Decoded => self.tree.decoded.as_bytes(),
            Stored::Escaped => return self.text() == text,
        };
        // Lengths first: most keys that are compared differ in it.
        (entry.text_end - entry.text_start) as usize == text.len()
            && bytes.get(entry.text_start as usize..entry.text_end as usize)
                == Some(text.as_bytes())
    }

    /// The value, if it is a number.
    pub fn as_f64(self) -> Option<f64> {
        (self.kind() == NodeKind::Number)
            .then(|| self.text().parse().ok())
            .flatten()
    }

    /// The value, if it is a boolean.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == NodeKind::Bool).then(|| self.is_text("true"))
    }

    /// The number of elements of an array, or of fields of an object.
    pub fn len(self) -> usize {
        match self.kind() {
            NodeKind::Array | NodeKind::Object => self.entry().text_start as usize,
            NodeKind::Null | NodeKind::Bool | NodeKind::Number | NodeKind::String => 0,
        }
    }

    /// Whether there is nothing inside.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The elements of an array; nothing for other values.
    pub fn items(self) -> impl Iterator<Item = Node<'t>> {
        let count = if self.kind() == NodeKind::Array {
            self.len()
        } else {
            0
        };
        let mut next = self.index + 1;
        (0..count).map(move |_| {
            let item = self.at(next);
            next = item.entry().next;
            item
        })
    }

    /// The keys and values of an object in the order written; nothing for other values.
    pub fn fields(self) -> impl Iterator<Item = (Node<'t>, Node<'t>)> {
        let count = if self.kind() == NodeKind::Object {
            self.len()
        } else {
            0
        };
        let mut next = self.index + 1;
        (0..count).map(move |_| {
            let key = self.at(next);
            let value = self.at(next + 1);
            next = value.entry().next;
            (key, value)
        })
    }

    /// The value of a field, `null` included; `None` where the object has no such key.
    pub fn get(self, key: &str) -> Option<Node<'t>> {
        self.fields()
            .find_map(|(name, value)| name.is_text(key).then_some(value))
    }

    /// The value of an optional field: an explicit `null` is the same as leaving it out.
    pub fn given(self, key: &str) -> Option<Node<'t>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// The text where it needs no decoding, for comparing many names with it.
    #[inline]
    pub fn plain(self) -> Option<&'t [u8]> {
        let entry = self.entry();
        let text = entry.text_start as usize..entry.text_end as usize;
        match entry.stored {
            Stored::Source => self.source.as_bytes().get(text),
            Stored::Decoded => self.tree.decoded.as_bytes().get(text),
            Stored::Escaped => None,
        }
    }

    /// The key that stands a second time in this object, if there is one.
    pub fn repeated_key(self) -> Option<Node<'t>> {
        // Below this, comparing every pair beats hashing.
        const PAIRWISE: usize = 16;
        let count = self.len();
        if self.kind() != NodeKind::Object || count < 2 {
            return None;
        }
        if count > PAIRWISE {
            return self.repeated_among_many();
        }
        let mut marks = [0_u64; PAIRWISE];
        for (at, (key, _)) in self.fields().enumerate() {
            let Some(text) = key.plain() else {
                return self.repeated_among_many();
            };
            let mark = fingerprint(text);
            if marks[..at].contains(&mark) {
                return self.repeated_among_many();
            }
            marks[at] = mark;
        }
        None
    }

    fn repeated_among_many(self) -> Option<Node<'t>> {
        let mut seen = std::collections::HashSet::with_capacity(self.len());
        self.fields()
            .map(|(key, _)| key)
            .find(|key| !seen.insert(key.text()))
    }

    /// Every object in this value, itself included, in the order written.
    pub fn objects(self) -> impl Iterator<Item = Node<'t>> {
        (self.index..self.entry().next)
            .map(move |index| self.at(index))
            .filter(|node| node.kind() == NodeKind::Object)
    }

    /// The path from this value to one inside it, such as `a.b[0]`; empty for itself.
    pub fn path_to(self, inner: Node<'_>) -> String {
        let holds = |node: Node<'_>| (node.index..node.entry().next).contains(&inner.index);
        let mut path = String::new();
        let mut at = self;
        'down: while at.index != inner.index {
            for (index, item) in at.items().enumerate() {
                if holds(item) {
                    path.push_str(&format!("[{index}]"));
                    at = item;
                    continue 'down;
                }
            }
            for (key, value) in at.fields() {
                if key.index == inner.index || holds(value) {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&key.text());
                    at = value;
                    if key.index == inner.index {
                        return path;
                    }
                    continue 'down;
                }
            }
            break;
        }
        path
    }

    /// The value without positions.
    pub fn to_value(self) -> Value {
        match self.kind() {
            NodeKind::Null => Value::Null,
            NodeKind::Bool => Value::Bool(self.is_text("true")),
            NodeKind::Number => self.to_number().map_or(Value::Null, Value::Number),
            NodeKind::String => Value::String(self.text().into_owned()),
            NodeKind::Array => self.items().map(Node::to_value).collect(),
            NodeKind::Object => Value::Object(self.to_map()),
        }
    }

    /// An object's fields without positions; empty for other values.
    pub fn to_map(self) -> Map<String, Value> {
        self.fields()
            .map(|(key, value)| (key.text().into_owned(), value.to_value()))
            .collect()
    }

    fn to_number(self) -> Option<Number> {
        serde_json::from_str(&self.text()).ok()
    }
}

/// A number that equal texts share, and different ones rarely: its length, beginning and end.
#[inline]
fn fingerprint(text: &[u8]) -> u64 {
    let length = text.len() as u64;
    match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            let first = u64::from_le_bytes(*first);
            let last = u64::from_le_bytes(*last);
            first ^ last.rotate_left(29) ^ (length << 57)
        }
        _ => text
            .iter()
            .fold(length, |mark, byte| (mark << 8) | u64::from(*byte)),
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}@{:?}", self.to_value(), self.span())
    }
}
