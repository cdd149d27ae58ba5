//! Diagnostics for people, editors and GitHub. A format is one file here.

mod github;
mod json;
mod text;

use std::io::{self, BufWriter, Write};

use agentv_syntax::{Diagnostic, Severity};

use crate::arguments::Format;
use crate::output::{has_colour, width_of};
use text::TextStyle;

/// Tells diagnostics in one format.
pub(crate) struct Teller {
    out: BufWriter<io::Stdout>,
    format: Format,
    style: TextStyle,
    /// Whether a case that is skipped is a problem, or the rest going on.
    skipping: bool,
}

impl Teller {
    /// Tells on standard output, for a command that was asked for problems.
    pub(crate) fn new(format: Format) -> Teller {
        Teller {
            out: BufWriter::new(io::stdout()),
            format,
            style: TextStyle::new(has_colour(&io::stdout()), width_of(&io::stdout())),
            skipping: false,
        }
    }

    /// Tells on standard error, for a command that uses the cases: one that cannot be used is
    /// skipped with a warning.
    pub(crate) fn for_loading() -> Teller {
        Teller {
            skipping: true,
            ..Teller::for_checking()
        }
    }

    /// Tells on standard error, for a command that needs every case.
    pub(crate) fn for_checking() -> Teller {
        Teller {
            style: TextStyle::new(has_colour(&io::stderr()), width_of(&io::stderr())),
            ..Teller::new(Format::Text)
        }
    }

    /// Tells one diagnostic on standard output.
    pub(crate) fn tell(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let told = match self.format {
            Format::Text => self
                .style
                .render(diagnostic, level(diagnostic, self.skipping)),
            Format::Json => json::render(diagnostic),
            Format::Github => github::render(diagnostic),
        };
        self.out.write_all(told.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Tells one diagnostic on standard error.
    pub(crate) fn tell_error(&self, diagnostic: &Diagnostic) {
        let told = self
            .style
            .render(diagnostic, level(diagnostic, self.skipping));
        let _ = writeln!(io::stderr(), "{told}");
    }

    /// Ends with a sentence, on standard output where that is for people.
    pub(crate) fn finish(&mut self, sentence: &str, on_stdout: bool) -> io::Result<()> {
        if on_stdout {
            writeln!(self.out, "{sentence}")?;
        }
        self.out.flush()?;
        if !on_stdout {
            let _ = writeln!(io::stderr(), "{sentence}");
        }
        Ok(())
    }
}

/// How a diagnostic is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    /// The case is skipped and the rest goes on.
    Skipped,
}

fn level(diagnostic: &Diagnostic, skipping: bool) -> Level {
    match diagnostic.severity() {
        Severity::Fatal => Level::Error,
        Severity::Error if skipping => Level::Skipped,
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    }
}
