//! The key or value at the cursor.

use std::ops::Range;

use super::tree::{LooseEntry, LooseNode, LooseTree, LooseValue};

/// A step on the way from the document to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// The part of a field that the cursor is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpotKind {
    Key,
    Value,
}

/// The key or value at the cursor.
#[derive(Debug, Clone)]
pub(crate) struct Spot<'l> {
    /// The path to the value, or to the value of the key.
    pub(crate) path: Vec<Step>,
    pub(crate) kind: SpotKind,
    /// The text, without quotes.
    pub(crate) text: String,
    /// The place of the text, without quotes.
    pub(crate) span: Range<usize>,
    /// The quote around the text.
    pub(crate) quote: Option<char>,
    /// True for a key that has its colon.
    pub(crate) has_colon: bool,
    /// The object around it, if there is one.
    pub(crate) object: Option<&'l LooseNode>,
}

/// A letter that stands for the cursor in a text that is read for completion.
const CURSOR: char = '\u{f8ff}';

/// Returns a text in which something is written at the cursor, even if nothing is.
pub(crate) fn with_cursor(text: &str, offset: usize) -> String {
    let mut marked = String::with_capacity(text.len() + CURSOR.len_utf8());
    marked.push_str(&text[..offset]);
    marked.push(CURSOR);
    marked.push_str(&text[offset..]);
    marked
}

impl LooseTree {
    /// Returns the key or value at an offset.
    pub(crate) fn spot(&self, offset: usize) -> Option<Spot<'_>> {
        let mut search = Search {
            offset,
            path: Vec::new(),
        };
        search.node(&self.root, None)
    }
}

impl Spot<'_> {
    /// Returns what was written before the cursor in a text from [`with_cursor`], and the place of the whole
    /// word in the text without the mark.
    pub(crate) fn typed(&self) -> (&str, Range<usize>) {
        let typed = self.text.split(CURSOR).next().unwrap_or_default();
        let length = self.text.len() - CURSOR.len_utf8().min(self.text.len());
        (typed, self.span.start..self.span.start + length)
    }
}

struct Search {
    offset: usize,
    path: Vec<Step>,
}

impl Search {
    fn touches(&self, span: &Range<usize>) -> bool {
        span.start <= self.offset && self.offset <= span.end
    }

    fn node<'l>(&mut self, node: &'l LooseNode, object: Option<&'l LooseNode>) -> Option<Spot<'l>> {
        match &node.value {
            LooseValue::Nothing => None,
            LooseValue::Scalar { text, quote } => self.touches(&node.span).then(|| Spot {
                path: self.path.clone(),
                kind: SpotKind::Value,
                text: text.clone(),
                span: node.inner(),
                quote: *quote,
                has_colon: true,
                object,
            }),
            LooseValue::List(items) => {
                let at = items
                    .iter()
                    .rposition(|item| item.span.start <= self.offset)?;
                self.path.push(Step::Index(at));
                let found = self.node(&items[at], None);
                if found.is_none() {
                    self.path.pop();
                }
                found
            }
            LooseValue::Map(entries) => {
                let at = entries
                    .iter()
                    .rposition(|entry| entry.key.span.start <= self.offset)?;
                self.entry(&entries[at], node)
            }
        }
    }

    fn entry<'l>(&mut self, entry: &'l LooseEntry, object: &'l LooseNode) -> Option<Spot<'l>> {
        let name = entry.key.text().unwrap_or_default();
        self.path.push(Step::Key(name.to_owned()));
        if self.touches(&entry.key.span) {
            return Some(Spot {
                path: self.path.clone(),
                kind: SpotKind::Key,
                text: name.to_owned(),
                span: entry.key.inner(),
                quote: match &entry.key.value {
                    LooseValue::Scalar { quote, .. } => *quote,
                    LooseValue::Nothing | LooseValue::List(_) | LooseValue::Map(_) => None,
                },
                has_colon: entry.has_colon,
                object: Some(object),
            });
        }
        let found = self.node(&entry.value, Some(object));
        if found.is_none() {
            self.path.pop();
        }
        found
    }
}
