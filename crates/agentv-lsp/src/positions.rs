//! Converts between offsets in a text and the positions that editors use.

use std::ops::Range;

use gen_lsp_types::{Position, Range as LspRange};

/// The unit of a column, as agreed with the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// Returns the length of a text in units.
    pub(crate) fn length(self, text: &str) -> u32 {
        let length = match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.chars().map(char::len_utf16).sum(),
        };
        u32::try_from(length).unwrap_or(u32::MAX)
    }

    /// Returns the offset of a column in a line, at most the length of the line.
    pub(crate) fn offset_in_line(self, line: &str, column: u32) -> usize {
        let mut left = column as usize;
        for (at, letter) in line.char_indices() {
            let width = match self {
                Encoding::Utf8 => letter.len_utf8(),
                Encoding::Utf16 => letter.len_utf16(),
            };
            if left < width {
                return at;
            }
            left -= width;
        }
        line.len()
    }

    /// Returns the offset of a position. A position after the end of its line is the end of that line.
    pub(crate) fn offset(self, text: &str, position: Position) -> usize {
        let Some(start) = start_of_line(text, position.line) else {
            return text.len();
        };
        start + self.offset_in_line(line_at(text, start), position.character)
    }

    /// Returns the offsets of a range. The text before the range is read once.
    pub(crate) fn offsets(self, text: &str, range: LspRange) -> Range<usize> {
        let Some(first) = start_of_line(text, range.start.line) else {
            return text.len()..text.len();
        };
        let start = first + self.offset_in_line(line_at(text, first), range.start.character);
        let end = Position {
            line: range.end.line.saturating_sub(range.start.line),
            character: range.end.character,
        };
        start..(first + self.offset(&text[first..], end)).max(start)
    }

    /// Returns the position of an offset.
    pub(crate) fn position(self, text: &str, offset: usize) -> Position {
        let before = &text[..text.floor_char_boundary(offset.min(text.len()))];
        let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |at| at + 1);
        let line = memchr::memchr_iter(b'\n', before.as_bytes()).count();
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            character: self.length(&before[start..]),
        }
    }

    /// Returns the range of a span.
    pub(crate) fn range(self, text: &str, span: &Range<usize>) -> LspRange {
        LspRange {
            start: self.position(text, span.start),
            end: self.position(text, span.end.max(span.start)),
        }
    }
}

/// Returns the offset of the beginning of a line, counted from 0; `None` if there are not that many.
pub(crate) fn start_of_line(text: &str, line: u32) -> Option<usize> {
    if line == 0 {
        return Some(0);
    }
    let mut breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    breaks.nth(line as usize - 1).map(|at| at + 1)
}

/// Returns the line that begins at an offset, without its end.
pub(crate) fn line_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
    rest[..end].strip_suffix('\r').unwrap_or(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_the_units_that_were_agreed_on() {
        let text = "ab\nä😀x\r\nend";
        let x = text.find('x').unwrap();
        assert_eq!(
            Encoding::Utf16.position(text, x),
            Position {
                line: 1,
                character: 3
            }
        );
        assert_eq!(
            Encoding::Utf8.position(text, x),
            Position {
                line: 1,
                character: 6
            }
        );
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (offset, _) in text.char_indices().filter(|(_, letter)| *letter != '\r') {
                if text[offset..].starts_with('\n') && offset > 2 {
                    continue;
                }
                assert_eq!(
                    encoding.offset(text, encoding.position(text, offset)),
                    offset
                );
            }
        }
        let beyond = Position {
            line: 1,
            character: 99,
        };
        assert_eq!(Encoding::Utf16.offset(text, beyond), x + 1);
    }

    #[test]
    fn the_offsets_of_a_range_are_those_of_its_ends() {
        let text = "ab\nä😀x\r\n\nend";
        let places: Vec<Position> = (0..6)
            .flat_map(|line| (0..5).map(move |character| Position { line, character }))
            .collect();
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (start, end) in places
                .iter()
                .flat_map(|start| places.iter().map(move |end| (start, end)))
            {
                if (start.line, start.character) > (end.line, end.character) {
                    continue;
                }
                let range = LspRange {
                    start: *start,
                    end: *end,
                };
                let separately = encoding.offset(text, *start)..encoding.offset(text, *end);
                assert_eq!(encoding.offsets(text, range), separately, "{range:?}");
            }
        }
    }
}
