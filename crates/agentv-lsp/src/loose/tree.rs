//! The outline of a text.

use std::ops::Range;

use super::block::BlockReader;
use super::flow::FlowReader;

/// The outline of a YAML document or of a line of JSON, as far as it can be understood.
#[derive(Debug)]
pub(crate) struct LooseTree {
    pub(crate) root: LooseNode,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LooseNode {
    pub(crate) span: Range<usize>,
    pub(crate) value: LooseValue,
}

/// The content of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LooseValue {
    /// Nothing was written yet.
    Nothing,
    /// A text as written, without quotes, and its quote.
    Scalar {
        text: String,
        quote: Option<char>,
    },
    List(Vec<LooseNode>),
    Map(Vec<LooseEntry>),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LooseEntry {
    pub(crate) key: LooseNode,
    pub(crate) value: LooseNode,
    /// False while the user writes the key.
    pub(crate) has_colon: bool,
}

impl LooseTree {
    /// Reads a YAML document.
    pub(crate) fn of_yaml(text: &str) -> LooseTree {
        LooseTree {
            root: BlockReader::new(text).document(),
        }
    }

    /// Reads one line of JSON Lines, which begins at `start` of the text.
    pub(crate) fn of_line(text: &str, line: Range<usize>) -> LooseTree {
        LooseTree {
            root: FlowReader::new(text, line.start, line.end).value().0,
        }
    }
}

impl LooseNode {
    pub(super) fn nothing(at: usize) -> LooseNode {
        LooseNode {
            span: at..at,
            value: LooseValue::Nothing,
        }
    }

    /// Returns the text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            LooseValue::Scalar { text, .. } => Some(text),
            LooseValue::Nothing | LooseValue::List(_) | LooseValue::Map(_) => None,
        }
    }

    /// Returns the place of a scalar without its quotes.
    pub(crate) fn inner(&self) -> Range<usize> {
        match &self.value {
            LooseValue::Scalar {
                quote: Some(_),
                text,
            } => self.span.start + 1..self.span.start + 1 + text.len(),
            LooseValue::Scalar { quote: None, .. }
            | LooseValue::Nothing
            | LooseValue::List(_)
            | LooseValue::Map(_) => self.span.clone(),
        }
    }

    pub(crate) fn entries(&self) -> &[LooseEntry] {
        match &self.value {
            LooseValue::Map(entries) => entries,
            LooseValue::Nothing | LooseValue::Scalar { .. } | LooseValue::List(_) => &[],
        }
    }

    pub(crate) fn items(&self) -> &[LooseNode] {
        match &self.value {
            LooseValue::List(items) => items,
            LooseValue::Nothing | LooseValue::Scalar { .. } | LooseValue::Map(_) => &[],
        }
    }

    /// Returns the value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&LooseNode> {
        let mut entries = self.entries().iter();
        let entry = entries.find(|entry| entry.key.text() == Some(name))?;
        Some(&entry.value)
    }
}
