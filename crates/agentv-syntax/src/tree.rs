//! A parsed document as one flat list of values, each with its place in the source.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Number, Value};

/// A parsed document and its text. One tree can be filled again and again without allocating.
#[derive(Debug, Default)]
pub struct Tree {
    source: String,
    entries: Vec<Entry>,
    /// Texts that do not stand in the source as they are: YAML scalars after folding, unescaping.
    decoded: String,
    /// Where in `decoded` the text of an entry is; as long as `entries`, or empty.
    decoded_texts: Vec<(u32, u32)>,
    /// Whether some object may have a key twice. Never wrong when it says no.
    pub(crate) may_repeat_keys: bool,
    /// How many arrays and objects stand in each other at the deepest place.
    pub(crate) deepest: usize,
    /// Whether some number is larger than a double can hold.
    pub(crate) may_overflow: bool,
    /// Whether some number may have more digits than 64 bits hold.
    pub(crate) has_long_number: bool,
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
    /// In the source, the whole of the value.
    Bare,
    /// In the source, between quotes.
    Quoted,
    /// In the source, between quotes and with JSON escapes.
    Escaped,
    /// In the tree's own buffer.
    Decoded,
}

/// A value's place. Small, because there is one for every value and key of a file.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The whole value in the source, quotes and brackets included.
    start: u32,
    end: u32,
    /// The entry that follows this value and everything in it.
    next: u32,
    kind: NodeKind,
    stored: Stored,
}

impl Tree {
    /// The document's value.
    ///
    /// # Panics
    /// If nothing was parsed into the tree.
    pub fn root(&self) -> Node<'_> {
        assert!(!self.entries.is_empty(), "an empty tree has no root");
        Node {
            tree: self,
            index: 0,
        }
    }

    /// The text that was parsed.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How many values and keys the document has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was parsed.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Makes room for the values of `source`.
    pub(crate) fn start(&mut self, source: &str) {
        self.source.clear();
        self.source.push_str(source);
        self.entries.clear();
        self.decoded.clear();
        self.decoded_texts.clear();
        self.may_repeat_keys = false;
        self.deepest = 0;
        self.may_overflow = false;
        self.has_long_number = false;
    }

    #[inline]
    pub(crate) fn scalar(&mut self, kind: NodeKind, stored: Stored, span: Range<u32>) {
        self.entries.push(Entry {
            start: span.start,
            end: span.end,
            next: self.entries.len() as u32 + 1,
            kind,
            stored,
        });
    }

    pub(crate) fn decoded_scalar(&mut self, kind: NodeKind, span: Range<u32>, text: &str) {
        let start = self.decoded.len() as u32;
        self.decoded.push_str(text);
        self.decoded_texts.resize(self.entries.len(), (0, 0));
        self.decoded_texts.push((start, self.decoded.len() as u32));
        self.scalar(kind, Stored::Decoded, span);
    }

    /// Opens an array or object; what is pushed until [`Tree::close`] is inside it.
    #[inline]
    pub(crate) fn open(&mut self, kind: NodeKind, start: u32) -> usize {
        self.scalar(kind, Stored::Bare, start..start);
        self.entries.len() - 1
    }

    /// Whether the object that was opened there has a key like its newest one, or one with escapes,
    /// which could be like it.
    #[cold]
    pub(crate) fn has_key(&self, opened: usize, source: &[u8], key: &[u8]) -> bool {
        let newest = self.entries.len() - 1;
        let mut at = opened + 1;
        while at < newest {
            let entry = &self.entries[at];
            let text = source.get(entry.start as usize + 1..entry.end as usize - 1);
            if entry.stored == Stored::Escaped || text == Some(key) {
                return true;
            }
            at = self.entries[at + 1].next as usize;
        }
        false
    }

    #[inline]
    pub(crate) fn close(&mut self, opened: usize, end: u32) {
        let next = self.entries.len() as u32;
        let entry = &mut self.entries[opened];
        entry.end = end;
        entry.next = next;
    }
}

/// One value of a document: cheap to copy, borrows from the tree and its source.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
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
        let entry = self.entry();
        if matches!(
            entry.kind,
            NodeKind::Array | NodeKind::Object | NodeKind::Null
        ) {
            return Cow::Borrowed("");
        }
        let (start, end) = (entry.start as usize, entry.end as usize);
        Cow::Borrowed(match entry.stored {
            Stored::Bare => &self.tree.source[start..end],
            Stored::Quoted => &self.tree.source[start + 1..end - 1],
            Stored::Decoded => {
                let (start, end) = self.tree.decoded_texts[self.index as usize];
                &self.tree.decoded[start as usize..end as usize]
            }
            Stored::Escaped => {
                let quoted = &self.tree.source[start..end];
                // The lexer has accepted the escapes, so this cannot fail; if it did, the text as
                // written is the honest answer.
                return serde_json::from_str(quoted).map_or(Cow::Borrowed(quoted), Cow::Owned);
            }
        })
    }

    /// The text where it needs no decoding, for comparing many names with it.
    #[inline]
    pub fn plain(self) -> Option<&'t [u8]> {
        let entry = self.entry();
        let (start, end) = (entry.start as usize, entry.end as usize);
        match entry.stored {
            Stored::Bare => self.tree.source.as_bytes().get(start..end),
            Stored::Quoted => self.tree.source.as_bytes().get(start + 1..end - 1),
            Stored::Decoded => {
                let (start, end) = self.tree.decoded_texts[self.index as usize];
                let decoded = self.tree.decoded.as_bytes();
                decoded.get(start as usize..end as usize)
            }
            Stored::Escaped => None,
        }
    }

    /// The text, if the value is a string.
    pub fn as_str(self) -> Option<Cow<'t, str>> {
        (self.kind() == NodeKind::String).then(|| self.text())
    }

    /// Whether the value is a string or key with exactly this text.
    #[inline]
    pub fn is_text(self, text: &str) -> bool {
        match self.plain() {
            Some(plain) => same_name(plain, text.as_bytes()),
            None => self.text() == text,
        }
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
            NodeKind::Array => self.items().count(),
            NodeKind::Object => self.fields().count(),
            NodeKind::Null | NodeKind::Bool | NodeKind::Number | NodeKind::String => 0,
        }
    }

    /// Whether there is nothing inside.
    pub fn is_empty(self) -> bool {
        self.entry().next == self.index + 1
    }

    /// The entries inside, of an array or object of that kind only.
    #[inline]
    fn inside(self, kind: NodeKind) -> Range<u32> {
        let entry = self.entry();
        let end = if entry.kind == kind {
            entry.next
        } else {
            self.index + 1
        };
        self.index + 1..end
    }

    /// The elements of an array; nothing for other values.
    #[inline]
    pub fn items(self) -> impl Iterator<Item = Node<'t>> {
        let Range { mut start, end } = self.inside(NodeKind::Array);
        std::iter::from_fn(move || {
            (start < end).then(|| {
                let item = self.at(start);
                start = item.entry().next;
                item
            })
        })
    }

    /// The keys and values of an object in the order written; nothing for other values.
    #[inline]
    pub fn fields(self) -> impl Iterator<Item = (Node<'t>, Node<'t>)> {
        let Range { mut start, end } = self.inside(NodeKind::Object);
        std::iter::from_fn(move || {
            (start < end).then(|| {
                let key = self.at(start);
                let value = self.at(start + 1);
                start = value.entry().next;
                (key, value)
            })
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

    /// The key that stands a second time in this object, if there is one.
    pub fn repeated_key(self) -> Option<Node<'t>> {
        // Below this, comparing every pair beats hashing.
        const PAIRWISE: usize = 16;
        let keys = || self.fields().map(|(key, _)| key);
        if self.len() > PAIRWISE {
            let mut seen = std::collections::HashSet::new();
            return keys().find(|key| !seen.insert(key.text()));
        }
        let same = |a: Node<'_>, b: Node<'_>| match (a.plain(), b.plain()) {
            (Some(a), Some(b)) => a == b,
            _ => a.text() == b.text(),
        };
        keys()
            .enumerate()
            .find(|(at, key)| keys().take(*at).any(|earlier| same(earlier, *key)))
            .map(|(_, key)| key)
    }

    /// Whether some object of the document may have a key twice. Never wrong when it says no.
    pub fn may_repeat_keys(self) -> bool {
        self.tree.may_repeat_keys
    }

    /// A number in this value that no double can hold, if there is one.
    pub fn overflowing_number(self) -> Option<Node<'t>> {
        if !self.tree.may_overflow {
            return None;
        }
        (self.index..self.entry().next)
            .map(|index| self.at(index))
            .filter(|node| node.kind() == NodeKind::Number)
            .find(|node| !node.as_f64().is_some_and(f64::is_finite))
    }

    /// A whole number in this value whose last digits would be lost in computing, if there is one.
    pub fn inexact_number(self) -> Option<Node<'t>> {
        if !self.tree.has_long_number {
            return None;
        }
        let is_inexact = |node: &Node<'_>| {
            let text = node.text();
            let is_whole = !text.contains(['.', 'e', 'E']);
            is_whole && text.parse::<u64>().is_err() && text.parse::<i64>().is_err()
        };
        (self.index..self.entry().next)
            .map(|index| self.at(index))
            .filter(|node| node.kind() == NodeKind::Number)
            .find(is_inexact)
    }

    /// How many arrays and objects stand in each other here, at the deepest place.
    pub fn depth(self) -> usize {
        // The entries behind which the containers that are open now end.
        let mut open: Vec<u32> = Vec::new();
        let mut deepest = 0;
        for index in self.index..self.entry().next {
            while open.last().is_some_and(|end| *end <= index) {
                open.pop();
            }
            let entry = &self.tree.entries[index as usize];
            if matches!(entry.kind, NodeKind::Array | NodeKind::Object) {
                open.push(entry.next);
                deepest = deepest.max(open.len());
            }
        }
        deepest
    }

    /// Whether the whole document is so flat that no value of it can be deeper than `limit`.
    pub fn is_surely_within(self, limit: usize) -> bool {
        self.tree.deepest <= limit
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

/// Whether two names are equal; quicker than calling the system's comparison for short ones.
#[inline]
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.first_chunk::<8>(), b.first_chunk::<8>()) {
        (Some(first_a), Some(first_b)) if a.len() <= 16 => {
            first_a == first_b && a.last_chunk::<8>() == b.last_chunk::<8>()
        }
        (Some(_), Some(_)) => a == b,
        _ => a.iter().zip(b).all(|(a, b)| a == b),
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}@{:?}", self.to_value(), self.span())
    }
}
