//! A parsed document as one flat list of values, each with its place in the source.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Number, Value};

use crate::check::snake_case;
use crate::draft::is_inexact;
use crate::surrogates;
use crate::yaml::BrokenEscape;

/// A parsed document and its text. One tree can be filled again and again without allocating.
#[derive(Debug, Default)]
pub struct Tree {
    source: String,
    entries: Vec<Entry>,
    /// Texts that differ from the source: YAML scalars after folding and unescaping.
    decoded: String,
    /// The place of an entry's text in `decoded`; as long as `entries`, or empty.
    decoded_texts: Vec<(u32, u32)>,
    /// Is false only if no object has a key twice.
    pub(crate) may_repeat_keys: bool,
    /// The deepest nesting of arrays and objects.
    pub(crate) deepest: usize,
    /// Is true if some number is larger than a double can hold.
    pub(crate) may_overflow: bool,
    /// Is true if some number may have more digits than 64 bits hold.
    pub(crate) has_long_number: bool,
    /// Is true if some string has half of a surrogate pair.
    pub(crate) has_lone_surrogate: bool,
    /// The entries that YAML has numbers for, but that are read as text, in order.
    number_like: Vec<u32>,
    /// The escapes of YAML that stand for no character.
    broken_escapes: Vec<BrokenEscape>,
}

/// The kind of a value, in JSON's terms. Both formats are read into these.
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
    /// Returns the kind with its article, as in `found a string`.
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

/// The place and encoding of a scalar's text.
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

/// The place of a value. Small, because there is one for every value and key of a file.
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
    /// Returns the document's value.
    ///
    /// # Panics
    /// Panics if nothing was parsed into the tree.
    pub fn root(&self) -> Node<'_> {
        assert!(!self.entries.is_empty(), "an empty tree has no root");
        Node {
            tree: self,
            index: 0,
        }
    }

    /// Returns the text that was parsed.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the number of values and keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Checks if nothing was parsed.
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
        self.has_lone_surrogate = false;
        self.number_like.clear();
        self.broken_escapes.clear();
    }

    /// Sets the text that was parsed, and the escapes in it that were read as U+FFFD.
    pub(crate) fn set_broken_escapes(&mut self, source: &str, escapes: Vec<BrokenEscape>) {
        self.source.clear();
        self.source.push_str(source);
        self.broken_escapes = escapes;
    }

    /// Returns the escapes that were read as U+FFFD.
    pub fn broken_escapes(&self) -> &[BrokenEscape] {
        &self.broken_escapes
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

    /// Marks the value that was read last as text that looks like a number.
    pub(crate) fn mark_number_like(&mut self) {
        let last = self.entries.len().saturating_sub(1);
        self.number_like.push(last as u32);
    }

    /// Returns the end of the value that was read last.
    pub(crate) fn end(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.end as usize)
    }

    /// Opens an array or object; values pushed before [`Tree::close`] are inside it.
    #[inline]
    pub(crate) fn open(&mut self, kind: NodeKind, start: u32) -> usize {
        self.scalar(kind, Stored::Bare, start..start);
        self.entries.len() - 1
    }

    /// Checks if the object that was opened there has an earlier key equal to its newest one, or one with
    /// escapes, which could be equal.
    #[cold]
    pub(crate) fn has_key(&self, opened: usize, source: &[u8], key: &[u8]) -> bool {
        let newest = self.entries.len() - 1;
        let mut at = opened + 1;
        while at < newest {
            #[cfg(test)]
            COMPARED_KEYS.set(COMPARED_KEYS.get() + 1);
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

#[cfg(test)]
thread_local! {
    /// The number of keys that were compared with a new one, in this thread.
    pub(crate) static COMPARED_KEYS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
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

    /// Returns the whole text that the value is a part of.
    pub fn source(self) -> &'t str {
        self.tree.source()
    }

    /// Returns the kind of the value.
    #[inline]
    pub fn kind(self) -> NodeKind {
        self.entry().kind
    }

    /// Returns the value's place in the source, in bytes.
    pub fn span(self) -> Range<usize> {
        let entry = self.entry();
        entry.start as usize..entry.end as usize
    }

    /// Checks if the value is `null`, which in an optional field means "not given".
    pub fn is_null(self) -> bool {
        self.kind() == NodeKind::Null
    }

    /// Returns the text of a string, number or boolean; empty for everything else.
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
                // The lexer has accepted the escapes, so only half of a surrogate pair can fail; if
                // anything else did, the text as written is the honest answer.
                let decoded = serde_json::from_str(quoted)
                    .or_else(|_| serde_json::from_str(&surrogates::replaced(quoted)));
                return decoded.map_or(Cow::Borrowed(quoted), Cow::Owned);
            }
        })
    }

    /// Returns the text if it needs no decoding, for comparing many names with it.
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

    /// Returns a string as it is written, quotes and escapes included. Equal ones have equal texts. `None`
    /// for other values, and for strings of YAML that had to be decoded.
    pub fn as_written(self) -> Option<&'t [u8]> {
        let entry = self.entry();
        match entry.stored {
            Stored::Quoted | Stored::Escaped => {
                let source = self.tree.source.as_bytes();
                source.get(entry.start as usize..entry.end as usize)
            }
            Stored::Bare | Stored::Decoded => None,
        }
    }

    /// Returns the text, if the value is a string.
    pub fn as_str(self) -> Option<Cow<'t, str>> {
        (self.kind() == NodeKind::String).then(|| self.text())
    }

    /// Checks if the value is a string or key with exactly this text.
    #[inline(always)]
    pub fn is_text(self, text: &str) -> bool {
        match self.plain() {
            Some(plain) => same_name(plain, text.as_bytes()),
            // An escape is a character, so the text is not empty.
            None => !text.is_empty() && self.is_decoded(text),
        }
    }

    #[cold]
    fn is_decoded(self, text: &str) -> bool {
        self.text() == text
    }

    /// Returns the value, if it is a number.
    pub fn as_f64(self) -> Option<f64> {
        (self.kind() == NodeKind::Number)
            .then(|| self.text().parse().ok())
            .flatten()
    }

    /// Returns the value, if it is a boolean.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == NodeKind::Bool).then(|| self.is_text("true"))
    }

    /// Returns the number of elements of an array, or of fields of an object.
    pub fn len(self) -> usize {
        match self.kind() {
            NodeKind::Array => self.items().count(),
            NodeKind::Object => self.fields().count(),
            NodeKind::Null | NodeKind::Bool | NodeKind::Number | NodeKind::String => 0,
        }
    }

    /// Checks if there is nothing inside.
    pub fn is_empty(self) -> bool {
        self.entry().next == self.index + 1
    }

    /// Returns the entries inside, if the value is of that kind.
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

    /// Returns the elements of an array; nothing for other values.
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

    /// Returns the keys and values of an object in the order written; nothing for other values.
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

    /// Returns the value of a field, `null` included; `None` if the object has no such key.
    pub fn get(self, key: &str) -> Option<Node<'t>> {
        self.fields()
            .find_map(|(name, value)| name.is_text(key).then_some(value))
    }

    /// Returns the value of an optional field: an explicit `null` is the same as none.
    pub fn given(self, key: &str) -> Option<Node<'t>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// Returns the value of an optional field, which may be written in `camelCase`.
    pub fn given_in_any_case(self, key: &str) -> Option<Node<'t>> {
        self.given(key).or_else(|| {
            let mut fields = self.fields();
            let (_, value) = fields.find(|(name, _)| snake_case(&name.text()) == key)?;
            Some(value).filter(|value| !value.is_null())
        })
    }

    /// Returns the first key that this object has a second time.
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

    /// Checks if some object of the document may have a key twice. Never wrong when it says no.
    pub fn may_repeat_keys(self) -> bool {
        self.tree.may_repeat_keys
    }

    /// Returns the first number in this value that no double can hold.
    pub fn overflowing_number(self) -> Option<Node<'t>> {
        self.overflowing_numbers().next()
    }

    /// Returns the numbers in this value that no double can hold.
    pub fn overflowing_numbers(self) -> impl Iterator<Item = Node<'t>> {
        self.nodes_if(self.tree.may_overflow)
            .filter(|node| node.kind() == NodeKind::Number)
            .filter(|node| !node.as_f64().is_some_and(f64::is_finite))
    }

    /// Returns the whole numbers in this value whose last digits computing would lose.
    pub fn inexact_numbers(self) -> impl Iterator<Item = Node<'t>> {
        let is_rounded = |node: &Node<'_>| {
            let text = node.text();
            let is_whole = !text.contains(['.', 'e', 'E']);
            is_whole && is_inexact(&text)
        };
        self.nodes_if(self.tree.has_long_number)
            .filter(|node| node.kind() == NodeKind::Number)
            .filter(is_rounded)
    }

    /// Returns this value and all in it, with their keys, if any of them can be of interest.
    fn nodes_if(self, is_possible: bool) -> impl Iterator<Item = Node<'t>> {
        let end = if is_possible {
            self.entry().next
        } else {
            self.index
        };
        (self.index..end).map(move |index| self.at(index))
    }

    /// Returns the first string in this value with half of a surrogate pair, and the place of that half
    /// in the source.
    pub fn lone_surrogate(self) -> Option<(Node<'t>, Range<usize>)> {
        self.lone_surrogates().next()
    }

    /// Returns the strings in this value with half of a surrogate pair, each with the place of its first
    /// half in the source.
    pub fn lone_surrogates(self) -> impl Iterator<Item = (Node<'t>, Range<usize>)> {
        self.nodes_if(self.tree.has_lone_surrogate)
            .filter(|node| node.entry().stored == Stored::Escaped)
            .filter_map(move |node| {
                let Range { start, end } = node.span();
                let half = surrogates::first_lone(&self.tree.source[start..end])?;
                Some((node, start + half.start..start + half.end))
            })
    }

    /// Returns the strings and keys in this value that have an escape of YAML that stands for no
    /// character, each with its first such escape.
    pub fn broken_escapes(self) -> impl Iterator<Item = (Node<'t>, &'t BrokenEscape)> {
        let escapes = &self.tree.broken_escapes;
        let texts = self.nodes_if(!escapes.is_empty());
        let texts = texts.filter(|node| node.kind() == NodeKind::String);
        texts.filter_map(move |node| {
            let span = node.span();
            let inside = |escape: &&BrokenEscape| span.contains(&escape.place.start);
            Some((node, escapes.iter().find(inside)?))
        })
    }

    /// Returns the values in this value that YAML has numbers for, but that are read as text, such as
    /// `.inf` and `012.5`.
    pub fn number_like_texts(self) -> impl Iterator<Item = Node<'t>> {
        let marked = &self.tree.number_like;
        let before = |end: u32| marked.partition_point(|index| *index < end);
        let inside = &marked[before(self.index)..before(self.entry().next)];
        inside.iter().map(move |index| self.at(*index))
    }

    /// Returns the deepest nesting of arrays and objects in this value.
    pub fn depth(self) -> usize {
        // The ends of the containers that are open.
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

    /// Checks if the whole document is so flat that no value of it can be deeper than `limit`.
    pub fn is_surely_within(self, limit: usize) -> bool {
        self.tree.deepest <= limit
    }

    /// Returns every object in this value, itself included, in the order written.
    pub fn objects(self) -> impl Iterator<Item = Node<'t>> {
        (self.index..self.entry().next)
            .map(move |index| self.at(index))
            .filter(|node| node.kind() == NodeKind::Object)
    }

    /// Returns the path from this value to one inside it, such as `a.b[0]`; empty for itself.
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

    /// Returns the path from this value to the smallest one inside it whose place contains `span`; `None`
    /// if it is not inside this value.
    pub fn path_at(self, span: &Range<usize>) -> Option<String> {
        let holds = |node: Node<'_>| {
            let own = node.span();
            own.start <= span.start && span.end <= own.end
        };
        if !holds(self) {
            return None;
        }
        let mut path = String::new();
        let mut at = self;
        loop {
            let item = at.items().enumerate().find(|(_, item)| holds(*item));
            let field = at.fields().find(|(_, value)| holds(*value));
            at = match (item, field) {
                (Some((index, item)), _) => {
                    path.push_str(&format!("[{index}]"));
                    item
                }
                (None, Some((key, value))) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&key.text());
                    value
                }
                (None, None) => return Some(path),
            };
        }
    }

    /// Returns the value without positions.
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

    /// Returns an object's fields without positions; empty for other values.
    pub fn to_map(self) -> Map<String, Value> {
        self.fields()
            .map(|(key, value)| (key.text().into_owned(), value.to_value()))
            .collect()
    }

    fn to_number(self) -> Option<Number> {
        serde_json::from_str(&self.text()).ok()
    }
}

/// The number of slots that names fall into.
pub(crate) const NAME_SLOTS: usize = 64;

/// Returns a number below [`NAME_SLOTS`] that equal names share. The factors keep the fields of cases apart.
#[inline(always)]
pub(crate) fn name_slot(name: &[u8]) -> usize {
    let (Some(first), Some(last)) = (name.first(), name.last()) else {
        return 0;
    };
    (usize::from(*first) + usize::from(*last) * 3 + name.len() * 17) % NAME_SLOTS
}

/// Compares two names; quicker than calling the system's comparison for short ones.
#[inline]
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    /// Compares the first and the last bytes, which may overlap.
    #[inline]
    fn same_ends<const N: usize>(a: &[u8], b: &[u8]) -> bool {
        a.first_chunk::<N>() == b.first_chunk::<N>() && a.last_chunk::<N>() == b.last_chunk::<N>()
    }
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        0..=1 => a.first() == b.first(),
        2..=3 => same_ends::<2>(a, b),
        4..=7 => same_ends::<4>(a, b),
        8..=16 => same_ends::<8>(a, b),
        _ => a == b,
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}@{:?}", self.to_value(), self.span())
    }
}
