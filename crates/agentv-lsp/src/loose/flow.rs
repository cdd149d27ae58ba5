//! Reads values in brackets, braces and quotes: JSON, and the flow style of YAML.

use super::tree::{LooseEntry, LooseNode, LooseValue};

/// A reader that never fails: what has no end, ends at the limit.
pub(super) struct FlowReader<'t> {
    text: &'t str,
    at: usize,
    limit: usize,
}

impl<'t> FlowReader<'t> {
    pub(super) fn new(text: &'t str, start: usize, limit: usize) -> FlowReader<'t> {
        FlowReader {
            text,
            at: start,
            limit,
        }
    }

    /// Reads the value at the current place. Returns the place after it, too.
    pub(super) fn value(&mut self) -> (LooseNode, usize) {
        let node = self.value_within(0);
        (node, self.at)
    }

    fn value_within(&mut self, depth: usize) -> LooseNode {
        const DEEPEST: usize = 200;
        self.skip_blanks();
        match self.peek() {
            Some('{') if depth < DEEPEST => self.map(depth),
            Some('[') if depth < DEEPEST => self.list(depth),
            Some('"' | '\'') => self.quoted(),
            Some(',' | '}' | ']' | ':') | None => LooseNode::nothing(self.at),
            Some(_) => self.plain(false, depth),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..self.limit].chars().next()
    }

    fn advance(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn skip_blanks(&mut self) {
        while let Some(letter) = self.peek() {
            if letter == '#' && self.text[..self.at].ends_with([' ', '\n', '\t']) {
                let rest = &self.text[self.at..self.limit];
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if letter.is_whitespace() {
                self.advance();
            } else {
                break;
            }
        }
    }

    fn list(&mut self, depth: usize) -> LooseNode {
        let start = self.at;
        self.advance();
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => break,
                Some(']') => {
                    self.advance();
                    break;
                }
                Some(',' | ':' | '}') => self.advance(),
                Some(_) => items.push(self.value_within(depth + 1)),
            }
        }
        LooseNode {
            span: start..self.at,
            value: LooseValue::List(items),
        }
    }

    fn map(&mut self, depth: usize) -> LooseNode {
        let start = self.at;
        self.advance();
        let mut entries = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => break,
                Some('}') => {
                    self.advance();
                    break;
                }
                Some(',' | ']' | '{' | '[' | ':') => self.advance(),
                Some(_) => entries.push(self.entry(depth)),
            }
        }
        LooseNode {
            span: start..self.at,
            value: LooseValue::Map(entries),
        }
    }

    fn entry(&mut self, depth: usize) -> LooseEntry {
        let key = match self.peek() {
            Some('"' | '\'') => self.quoted(),
            _ => self.plain(true, depth + 1),
        };
        self.skip_blanks();
        let has_colon = self.peek() == Some(':');
        let value = if has_colon {
            self.advance();
            let after = self.at;
            match self.value_within(depth + 1) {
                // The place of a value that is yet to come is right after the colon and its blank.
                LooseNode {
                    value: LooseValue::Nothing,
                    ..
                } => LooseNode::nothing(after),
                node => node,
            }
        } else {
            LooseNode::nothing(self.at)
        };
        LooseEntry {
            key,
            value,
            has_colon,
        }
    }

    /// Reads a text in quotes. A text without end ends with its line.
    fn quoted(&mut self) -> LooseNode {
        let start = self.at;
        let quote = self.peek().unwrap_or('"');
        self.advance();
        let inner = self.at;
        let mut end = None;
        while let Some(letter) = self.peek() {
            if letter == '\\' && quote == '"' {
                self.advance();
            } else if letter == '\n' {
                break;
            } else if letter == quote {
                end = Some(self.at);
                self.advance();
                // In YAML, two single quotes are one.
                if quote == '\'' && self.peek() == Some('\'') {
                    end = None;
                } else {
                    break;
                }
            }
            self.advance();
        }
        let end = end.unwrap_or(self.at).min(self.at);
        LooseNode {
            span: start..self.at,
            value: LooseValue::Scalar {
                text: self.text[inner..end].to_owned(),
                quote: Some(quote),
            },
        }
    }

    /// Reads a text without quotes.
    fn plain(&mut self, is_key: bool, depth: usize) -> LooseNode {
        let start = self.at;
        while let Some(letter) = self.peek() {
            let rest = &self.text[self.at + letter.len_utf8()..self.limit];
            let ends_key = letter == ':'
                && (is_key || rest.is_empty() || rest.starts_with(char::is_whitespace));
            let ends_item = depth > 0 && matches!(letter, ',' | '}' | ']');
            if letter == '\n' || ends_key || ends_item {
                break;
            }
            self.advance();
        }
        let text = self.text[start..self.at].trim_end();
        LooseNode {
            span: start..start + text.len(),
            value: LooseValue::Scalar {
                text: text.to_owned(),
                quote: None,
            },
        }
    }
}
