//! What the place can show that a text is written for.

use agentv_core::Status;

/// What a terminal, or a file in its place, can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether colours are wanted.
    pub colour: bool,
    /// How many columns a line has.
    pub width: usize,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
}

/// What a piece of text says by its colour.
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
    /// The colour of a status.
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
    /// The text in its colour, if there is colour.
    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        if !self.colour || paint == Paint::Plain || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", paint.code())
    }

    /// What stands where something was cut off.
    pub(crate) fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// What stands before a number below zero.
    pub(crate) fn minus(&self) -> &'static str {
        if self.unicode { "−" } else { "-" }
    }

    /// What stands between figures.
    pub(crate) fn separator(&self) -> &'static str {
        if self.unicode { " · " } else { ", " }
    }
}
