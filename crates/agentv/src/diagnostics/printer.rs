//! A printer of diagnostics.

use std::io::{self, BufWriter, Write};

use agentv_syntax::{Diagnostic, Severity};

use super::text::TextStyle;
use super::{github, json};
use crate::arguments::Format;
use crate::if_read::IfRead;
use crate::output::{has_colour, is_quiet, width_of};

/// A printer of diagnostics in one format.
pub(crate) struct DiagnosticPrinter {
    out: BufWriter<IfRead<io::Stdout>>,
    format: Format,
    style: TextStyle,
    /// Set if a case with an error is skipped with a warning, and the others are used.
    skipping: bool,
}

impl DiagnosticPrinter {
    /// Creates a printer on standard output, for a command whose result is the problems.
    pub(crate) fn new(format: Format) -> DiagnosticPrinter {
        DiagnosticPrinter {
            out: BufWriter::new(IfRead(io::stdout())),
            format,
            style: TextStyle::new(has_colour(&io::stdout()), width_of(&io::stdout())),
            skipping: false,
        }
    }

    /// Creates a printer on standard error, for a command that skips cases with errors.
    pub(crate) fn for_loading() -> DiagnosticPrinter {
        DiagnosticPrinter {
            skipping: true,
            ..DiagnosticPrinter::for_checking()
        }
    }

    /// Creates a printer on standard error, for a command that needs every case.
    pub(crate) fn for_checking() -> DiagnosticPrinter {
        DiagnosticPrinter {
            style: TextStyle::new(has_colour(&io::stderr()), width_of(&io::stderr())),
            ..DiagnosticPrinter::new(Format::Text)
        }
    }

    /// Prints a diagnostic on standard output.
    pub(crate) fn print(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let text = match self.format {
            Format::Text => self
                .style
                .render(diagnostic, level(diagnostic, self.skipping)),
            Format::Json => json::render(diagnostic),
            Format::Github => github::render(diagnostic),
        };
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Prints a diagnostic on standard error. If the user wants only errors, a skipped case is one, and
    /// warnings are not printed.
    pub(crate) fn print_error(&self, diagnostic: &Diagnostic) {
        let level = match level(diagnostic, self.skipping) {
            Level::Warning if is_quiet() => return,
            Level::Skipped if is_quiet() => Level::SkippedByError,
            level => level,
        };
        let text = self.style.render(diagnostic, level);
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Prints a last sentence, on standard output or on standard error.
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

/// The title of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Error,
    Warning,
    /// A warning that the case is skipped.
    Skipped,
    /// An error because of which the case is skipped.
    SkippedByError,
}

fn level(diagnostic: &Diagnostic, skipping: bool) -> Level {
    match diagnostic.severity() {
        Severity::Fatal => Level::Error,
        Severity::Error if skipping => Level::Skipped,
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    }
}
