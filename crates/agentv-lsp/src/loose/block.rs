//! Reads YAML by its indentation.

use super::flow::FlowReader;
use super::tree::{LooseEntry, LooseNode, LooseValue};

/// A line that is not blank, or the rest of one after `- `.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// The column of its first letter.
    indent: usize,
    /// The place of its first letter.
    start: usize,
    /// The place of its end.
    end: usize,
}

/// A reader that never fails. Each line is a key, an item or a piece of text, and its indentation says what it
/// belongs to.
pub(super) struct BlockReader<'t> {
    text: &'t str,
    lines: Vec<Line>,
    at: usize,
}

impl<'t> BlockReader<'t> {
    pub(super) fn new(text: &'t str) -> BlockReader<'t> {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim_end();
            let indent = content.len() - content.trim_start().len();
            let written = &content[indent..];
            let is_marker = indent == 0 && (written == "---" || written == "...");
            if !written.is_empty() && !written.starts_with('#') && !is_marker {
                lines.push(Line {
                    indent,
                    start: start + indent,
                    end: start + content.len(),
                });
            }
            start += line.len();
        }
        BlockReader { text, lines, at: 0 }
    }

    pub(super) fn document(mut self) -> LooseNode {
        let mut root = LooseNode::nothing(0);
        // Whatever is indented less than the first line still belongs to the document.
        while let Some(line) = self.lines.get(self.at).copied() {
            let part = self.block(line.indent, 0);
            match (&mut root.value, part.value) {
                (LooseValue::Map(entries), LooseValue::Map(more)) => entries.extend(more),
                (LooseValue::Nothing, value) => root.value = value,
                _ => {}
            }
        }
        root.span = 0..self.text.len();
        root
    }

    fn content(&self, line: Line) -> &'t str {
        &self.text[line.start..line.end]
    }

    /// Reads the lines that have at least this indentation, from the current one. Reads one line at least.
    fn block(&mut self, indent: usize, depth: usize) -> LooseNode {
        const DEEPEST: usize = 200;
        let Some(line) = self.lines.get(self.at).copied() else {
            return LooseNode::nothing(self.text.len());
        };
        let content = self.content(line);
        if depth > DEEPEST {
            self.at += 1;
            return LooseNode::nothing(line.start);
        }
        if is_item(content) {
            self.list(indent, depth)
        } else if key_length(content).is_some() {
            self.map(indent, depth)
        } else if content.starts_with(['{', '[', '"', '\'']) {
            self.flow(line.start, indent.saturating_sub(1))
        } else {
            self.words(indent, depth)
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> LooseNode {
        let start = self.lines[self.at].start;
        let mut items = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            if line.indent != indent || !is_item(self.content(line)) {
                break;
            }
            let content = self.content(line);
            let rest = content[1..].trim_start();
            if rest.is_empty() || rest.starts_with('#') {
                self.at += 1;
                items.push(self.nested(line.end, indent, false, depth));
                continue;
            }
            let shift = content.len() - rest.len();
            self.lines[self.at] = Line {
                indent: line.indent + shift,
                start: line.start + shift,
                end: line.end,
            };
            items.push(self.block(line.indent + shift, depth + 1));
        }
        let end = items.last().map_or(start, |item| item.span.end);
        LooseNode {
            span: start..end.max(start),
            value: LooseValue::List(items),
        }
    }

    fn map(&mut self, indent: usize, depth: usize) -> LooseNode {
        let start = self.lines[self.at].start;
        let mut entries = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            let content = self.content(line);
            if line.indent != indent || is_item(content) {
                break;
            }
            self.at += 1;
            entries.push(match key_length(content) {
                Some(length) => self.entry(line, length, depth),
                None => {
                    self.skip_deeper(line.indent);
                    unfinished_key(content, line)
                }
            });
        }
        let end = entries
            .last()
            .map_or(start, |entry| entry.value.span.end.max(entry.key.span.end));
        LooseNode {
            span: start..end,
            value: LooseValue::Map(entries),
        }
    }

    /// Reads a field whose key has this length. The current line is the one after it.
    fn entry(&mut self, line: Line, length: usize, depth: usize) -> LooseEntry {
        let content = self.content(line);
        let key = scalar(&content[..length], line.start);
        let after = line.start + length + 1;
        let rest = self.text[after..line.end].trim_start();
        let value_start = line.end - rest.len();
        let value = match rest.chars().next() {
            None | Some('#') => {
                let place = if rest.is_empty() { line.end } else { after };
                self.nested(place, line.indent, true, depth)
            }
            Some('|' | '>') => self.block_text(value_start, line),
            Some('{' | '[' | '"' | '\'') => {
                self.at -= 1;
                self.flow(value_start, line.indent)
            }
            Some(_) => {
                let text = without_comment(rest);
                self.skip_deeper(line.indent);
                scalar(text, value_start)
            }
        };
        LooseEntry {
            key,
            value,
            has_colon: true,
        }
    }

    /// Reads the value of a key or an item that has nothing on its own line.
    fn nested(&mut self, place: usize, indent: usize, is_key: bool, depth: usize) -> LooseNode {
        let Some(next) = self.lines.get(self.at).copied() else {
            return LooseNode::nothing(place);
        };
        let is_list_of_key = is_key && next.indent == indent && is_item(self.content(next));
        if next.indent > indent || is_list_of_key {
            let node = self.block(next.indent, depth + 1);
            self.skip_deeper(if is_list_of_key { usize::MAX } else { indent });
            return node;
        }
        LooseNode::nothing(place)
    }

    /// Reads a text in a block (`|` or `>`).
    fn block_text(&mut self, start: usize, key: Line) -> LooseNode {
        let end = self.end_of_deeper(key);
        self.skip_deeper(key.indent);
        LooseNode {
            span: start..end,
            value: LooseValue::Scalar {
                text: self.text[start..end].to_owned(),
                quote: None,
            },
        }
    }

    /// Reads a value in flow style. It ends, at the latest, before a line that is not deeper than its key.
    fn flow(&mut self, start: usize, indent: usize) -> LooseNode {
        let limit = self.lines[self.at + 1..]
            .iter()
            .find(|line| line.indent <= indent)
            .map_or(self.text.len(), |line| {
                let before = &self.text[..line.start];
                before.rfind('\n').map_or(0, |at| at + 1)
            });
        let (node, end) = FlowReader::new(self.text, start, limit).value();
        self.at += 1;
        while self.lines.get(self.at).is_some_and(|line| line.start < end) {
            self.at += 1;
        }
        self.skip_deeper(indent);
        node
    }

    /// Reads words that are neither a key nor an item: a text, or a key that the user is writing.
    fn words(&mut self, indent: usize, depth: usize) -> LooseNode {
        let line = self.lines[self.at];
        let next = self.lines.get(self.at + 1);
        let next_is_key = next
            .is_some_and(|next| next.indent == indent && key_length(self.content(*next)).is_some());
        if next_is_key {
            return self.map(indent, depth);
        }
        self.at += 1;
        let node = scalar(without_comment(self.content(line)), line.start);
        self.skip_deeper(indent);
        node
    }

    fn skip_deeper(&mut self, indent: usize) {
        while self
            .lines
            .get(self.at)
            .is_some_and(|line| line.indent > indent)
        {
            self.at += 1;
        }
    }

    fn end_of_deeper(&self, key: Line) -> usize {
        let deeper = self.lines[self.at..].iter();
        let last = deeper.take_while(|line| line.indent > key.indent).last();
        last.map_or(key.end, |line| line.end)
    }
}

fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// Returns the length of the key that a line begins with, before its colon.
fn key_length(content: &str) -> Option<usize> {
    if let Some(quote) = content
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''))
    {
        let end = content[1..].find(quote)? + 2;
        let rest = content[end..].trim_start();
        let is_key = rest == ":" || rest.starts_with(": ");
        return (is_key && rest.len() == content.len() - end).then_some(end);
    }
    if content.starts_with(['{', '[', '#', '|', '>']) {
        return None;
    }
    content.match_indices(':').find_map(|(at, _)| {
        let after = &content[at + 1..];
        let ends = after.is_empty() || after.starts_with(char::is_whitespace);
        ends.then_some(at)
    })
}

fn without_comment(text: &str) -> &str {
    let end = text.find(" #").unwrap_or(text.len());
    text[..end].trim_end()
}

fn scalar(written: &str, start: usize) -> LooseNode {
    let quote = written
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''));
    let text = match quote {
        Some(quote) => written[1..].strip_suffix(quote).unwrap_or(&written[1..]),
        None => written,
    };
    LooseNode {
        span: start..start + written.len(),
        value: LooseValue::Scalar {
            text: text.to_owned(),
            quote,
        },
    }
}

fn unfinished_key(content: &str, line: Line) -> LooseEntry {
    LooseEntry {
        key: scalar(content, line.start),
        value: LooseNode::nothing(line.end),
        has_colon: false,
    }
}
