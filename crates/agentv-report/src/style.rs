//! The abilities of the place that a text is written to.

use agentv_core::Status;

/// The abilities of a terminal or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// True if colours are wanted.
    pub colour: bool,
    /// The number of columns of a line.
    pub width: usize,
    /// True if it can show more than ASCII.
    pub unicode: bool,
}

/// The meaning of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Good,
    Nearly,
    Bad,
    Broken,
    Faint,
    Strong,
}

impl Paint {
    /// Returns the colour of a status.
    pub(crate) fn of(status: Status) -> Paint {
        match status {
            Status::Pass => Paint::Good,
            Status::Borderline => Paint::Nearly,
            Status::Fail => Paint::Bad,
            Status::Error => Paint::Broken,
            Status::Ungraded => Paint::Faint,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Good => "32",
            Paint::Nearly => "33",
            Paint::Bad => "31",
            Paint::Broken => "35",
            Paint::Faint => "2",
            Paint::Strong => "1",
        }
    }
}

impl Style {
    /// Returns the text in its colour, if colours are wanted.
    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        if !self.colour || paint == Paint::Plain || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", paint.code())
    }

    /// Returns the mark for text that was cut off.
    pub(crate) fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// Returns the sign of a negative number.
    pub(crate) fn minus(&self) -> &'static str {
        if self.unicode { "−" } else { "-" }
    }

    /// Returns the separator of figures.
    pub(crate) fn separator(&self) -> &'static str {
        if self.unicode { " · " } else { ", " }
    }
}
