//! A reader of the parser's events, which resolves anchors and aliases.

use std::borrow::Cow;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::error::{InvalidYaml, invalid_escape};
use super::offsets::Offsets;
use super::scalar::scalar;
use crate::json::MAX_DEPTH;
use crate::tree::NodeKind;

/// Deepest nesting: a case of a suite is two levels down, and may be as deep as one on a line.
pub(super) const DEEPEST: usize = MAX_DEPTH + 2;

/// The key that merges the fields of other mappings.
pub(super) const MERGE: &str = "<<";

/// A value as parsed; children are indices, so an alias is the index of its anchor's value.
pub(super) struct Parsed<'s> {
    pub(super) span: Range<u32>,
    pub(super) value: ParsedValue<'s>,
}

pub(super) enum ParsedValue<'s> {
    Scalar(NodeKind, Cow<'s, str>),
    /// Text that YAML has a number for, such as `.inf` and `012.5`.
    NumberLike(Cow<'s, str>),
    /// `<<` without quotes: as a key it merges, anywhere else it is that text.
    Merge,
    Sequence(Vec<usize>),
    Mapping(Vec<(usize, usize)>),
}

pub(super) struct Reader<'s> {
    source: &'s str,
    parser: Parser<'s, StrInput<'s>>,
    pub(super) nodes: Vec<Parsed<'s>>,
    /// The value behind each anchor, once it is complete.
    anchors: std::collections::HashMap<usize, usize>,
    offsets: Offsets<'s>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s str) -> Self {
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

    pub(super) fn document(&mut self) -> Result<usize, InvalidYaml> {
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

pub(super) fn too_deep() -> String {
    format!("nested deeper than {DEEPEST} levels")
}
