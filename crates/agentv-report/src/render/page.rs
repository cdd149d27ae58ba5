//! Lines of labelled figures and rows, laid out for a width.

use crate::style::{Paint, Style};
use crate::text::{cut, padded, width};

/// Below this many columns labels and reasons take lines of their own.
const NARROW: usize = 50;
/// The columns of a label.
const LABEL: usize = 13;
/// The blanks before a row.
const INDENT: usize = 2;
/// Narrower is written as if it were this wide.
const NARROWEST: usize = 20;

/// A piece of text in one colour, not broken between lines.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) paint: Paint,
}

impl Piece {
    pub(crate) fn new(paint: Paint, text: impl Into<String>) -> Piece {
        Piece {
            text: text.into(),
            paint,
        }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Piece {
        Piece::new(Paint::Plain, text)
    }
}

/// One row of a list: a figure, what it is of, and what there is to say about it.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) figure: Piece,
    pub(crate) name: String,
    pub(crate) remark: Option<String>,
}

/// A text in the making.
#[derive(Debug)]
pub(crate) struct Page {
    style: Style,
    text: String,
}

impl Page {
    pub(crate) fn new(style: Style) -> Page {
        let style = Style {
            width: style.width.max(NARROWEST),
            ..style
        };
        Page {
            style,
            text: String::new(),
        }
    }

    /// The text, without empty lines at its end.
    pub(crate) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        self.text
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Where figures start.
    fn indent(&self) -> usize {
        if self.is_narrow() { INDENT } else { LABEL }
    }

    fn is_narrow(&self) -> bool {
        self.style.width < NARROW
    }

    /// A sentence, broken between words.
    pub(crate) fn paragraph(&mut self, paint: Paint, sentence: &str) {
        self.wrapped(0, paint, sentence);
    }

    /// A sentence after a label, broken between words.
    pub(crate) fn sentence(&mut self, label: &str, paint: Paint, sentence: &str) {
        let indent = self.label(label);
        self.wrapped(indent, paint, sentence);
    }

    /// Words from `indent` on; each further line starts there too.
    fn wrapped(&mut self, indent: usize, paint: Paint, sentence: &str) {
        let style = self.style;
        let room = style.width.saturating_sub(indent).max(1);
        let mut line = String::new();
        for word in sentence.split(' ') {
            if !line.is_empty() && width(&line) + 1 + width(word) > room {
                self.text.push_str(&style.paint(paint, &line));
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n(' ', indent));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&cut(word, room, style));
        }
        self.text.push_str(&style.paint(paint, &line));
        self.text.push('\n');
    }

    /// An empty line between parts.
    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Figures after a label, on as many lines as they need.
    pub(crate) fn figures(&mut self, label: &str, pieces: &[Piece]) {
        let indent = self.label(label);
        self.flow(indent, pieces);
    }

    /// Figures below those of a label.
    pub(crate) fn more_figures(&mut self, pieces: &[Piece]) {
        let indent = self.indent();
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.flow(indent, pieces);
    }

    /// Figures without a label, as far in as rows are.
    pub(crate) fn indented(&mut self, pieces: &[Piece]) {
        self.text.extend(std::iter::repeat_n(' ', INDENT));
        self.flow(INDENT, pieces);
    }

    /// Pieces with separators, from `indent` on; each further line starts there too.
    pub(crate) fn flow(&mut self, indent: usize, pieces: &[Piece]) {
        let style = self.style;
        let separator = style.separator();
        let room = style.width.saturating_sub(indent).max(1);
        let mut used = 0;
        for piece in pieces {
            let text = cut(&piece.text, room, style);
            if used > 0 && used + width(separator) + width(&text) > room {
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n(' ', indent));
                used = 0;
            } else if used > 0 {
                self.text.push_str(&style.paint(Paint::Faint, separator));
                used += width(separator);
            }
            self.text.push_str(&style.paint(piece.paint, &text));
            used += width(&text);
        }
        self.text.push('\n');
    }

    /// Something to copy after a label: never cut, on a line of its own where it does not fit.
    pub(crate) fn verbatim(&mut self, label: &str, text: &str) {
        let indent = self.label(label);
        if indent + width(text) > self.style.width && indent == LABEL {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str("\n  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Writes a label; says from which column on its figures stand.
    fn label(&mut self, label: &str) -> usize {
        let label = cut(label, self.style.width, self.style);
        if self.is_narrow() {
            self.text.push_str(&self.style.paint(Paint::Strong, &label));
            self.text.push_str("\n  ");
        } else {
            let label = padded(&label, LABEL);
            self.text.push_str(&self.style.paint(Paint::Strong, &label));
        }
        self.indent()
    }

    /// A list under its title. Names and remarks are cut to what there is room for.
    pub(crate) fn rows(&mut self, title: &str, rows: &[Row]) {
        let style = self.style;
        let title = cut(title, style.width, style);
        self.text.push_str(&style.paint(Paint::Strong, &title));
        self.text.push('\n');
        let widest = |of: fn(&Row) -> &str| rows.iter().map(|row| width(of(row))).max();
        let figures = widest(|row| &row.figure.text).unwrap_or(0);
        let names = widest(|row| &row.name).unwrap_or(0);
        for row in rows {
            self.row(row, figures, names);
        }
    }

    fn row(&mut self, row: &Row, figures: usize, names: usize) {
        let style = self.style;
        let start = INDENT + figures + 2;
        let room = style.width.saturating_sub(start);
        let blanks = figures - width(&row.figure.text) + INDENT;
        self.text.extend(std::iter::repeat_n(' ', blanks));
        let figure = cut(&row.figure.text, style.width - INDENT, style);
        self.text.push_str(&style.paint(row.figure.paint, &figure));
        // A remark needs room beside the name to say anything.
        let remark = row.remark.as_deref().filter(|remark| !remark.is_empty());
        let name_columns = match remark {
            Some(_) if !self.is_narrow() => names.min(room * 2 / 5),
            _ => room,
        };
        if room > 0 {
            let name = cut(&row.name, name_columns, style);
            let name = match remark {
                Some(_) if !self.is_narrow() => padded(&name, name_columns),
                _ => name,
            };
            self.text.push_str("  ");
            self.text.push_str(&name);
        }
        if let Some(remark) = remark {
            self.remark(remark, start, name_columns);
        }
        self.text.push('\n');
    }

    /// A remark beside the name, or below it where it is narrow.
    fn remark(&mut self, remark: &str, start: usize, name_columns: usize) {
        let indent = if self.is_narrow() {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', INDENT + 2));
            INDENT + 2
        } else {
            self.text.push_str("  ");
            start + name_columns + 2
        };
        let remark = cut(remark, self.style.width.saturating_sub(indent), self.style);
        self.text.push_str(&self.style.paint(Paint::Faint, &remark));
    }
}
