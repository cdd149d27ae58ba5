//! Lines of labelled figures and rows, laid out for a given width.

use crate::style::{Paint, Style};
use crate::text::{cut, padded, width};

/// The width below which labels and reasons get their own lines.
const NARROW: usize = 50;
/// The width of a label.
const LABEL: usize = 13;
/// The indentation of a row.
const INDENT: usize = 2;
/// The smallest width of a page.
const NARROWEST: usize = 20;

/// A piece of text in one colour, which is not broken between lines.
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

/// A row of a list: a figure, its subject, and a remark.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) figure: Piece,
    pub(crate) name: String,
    pub(crate) remark: Option<String>,
}

/// A text under construction.
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

    /// Returns the text, without empty lines at its end.
    pub(crate) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        self.text
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Returns the column at which figures start.
    fn indent(&self) -> usize {
        if self.is_narrow() { INDENT } else { LABEL }
    }

    fn is_narrow(&self) -> bool {
        self.style.width < NARROW
    }

    /// Writes a sentence, wrapped at words.
    pub(crate) fn paragraph(&mut self, paint: Paint, sentence: &str) {
        self.wrapped(0, paint, sentence);
    }

    /// Writes a sentence after a label, wrapped at words.
    pub(crate) fn sentence(&mut self, label: &str, paint: Paint, sentence: &str) {
        let indent = self.label(label);
        self.wrapped(indent, paint, sentence);
    }

    /// Writes words from the column `indent`, on as many lines as needed.
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

    /// Writes one line, as it is.
    pub(crate) fn line(&mut self, indent: usize, paint: Paint, line: &str) {
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(&self.style.paint(paint, line));
        self.text.push('\n');
    }

    /// Writes an empty line between parts.
    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Writes figures after a label, on as many lines as they need.
    pub(crate) fn figures(&mut self, label: &str, pieces: &[Piece]) {
        let indent = self.label(label);
        self.flow(indent, pieces);
    }

    /// Writes figures below those of a label.
    pub(crate) fn more_figures(&mut self, pieces: &[Piece]) {
        let indent = self.indent();
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.flow(indent, pieces);
    }

    /// Writes figures without a label, indented like rows.
    pub(crate) fn indented(&mut self, pieces: &[Piece]) {
        self.text.extend(std::iter::repeat_n(' ', INDENT));
        self.flow(INDENT, pieces);
    }

    /// Writes pieces with separators from the column `indent`, on as many lines as needed.
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

    /// Writes a text to copy after a label: never cut, on its own line if it does not fit.
    pub(crate) fn verbatim(&mut self, label: &str, text: &str) {
        let indent = self.label(label);
        if indent + width(text) > self.style.width && indent == LABEL {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str("\n  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Writes a label and returns the column of its figures.
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

    /// Writes a list under its title. Names and remarks are cut to fit.
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
        // A remark needs enough room beside the name.
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

    /// Writes a remark beside the name, or below it if there is little room.
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
