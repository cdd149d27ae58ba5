//! Output: results go to standard output, everything else to standard error.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use agentv_core::visible;
use agentv_report::Style;

use crate::escaping_writer::EscapingWriter;
use crate::if_read::IfRead;

/// Checks if a stream shows colours.
pub(crate) fn has_colour(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !set("NO_COLOR") && !set("CI") && !dumb
}

/// Returns the columns of a terminal; `None` for anything else.
pub(crate) fn width_of(stream: &impl IsTerminal) -> Option<usize> {
    let size = stream.is_terminal().then(terminal_size::terminal_size);
    size.flatten().map(|(columns, _)| usize::from(columns.0))
}

/// The columns of a terminal of unknown width.
pub(crate) const USUAL_WIDTH: usize = 80;

/// The columns of a file or a pipe: enough for a sentence, but not for a page.
const WIDTH_OF_FILES: usize = 320;

/// Returns the style that a stream can show.
pub(crate) fn style_of(stream: &impl IsTerminal) -> Style {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    // Without a locale, the stream is a file or a pipe, which are UTF-8.
    let unicode = locale.is_none_or(|locale| !matches!(locale.as_str(), "C" | "POSIX"));
    Style {
        colour: has_colour(stream),
        width: if stream.is_terminal() {
            width_of(stream).unwrap_or(USUAL_WIDTH)
        } else {
            WIDTH_OF_FILES
        },
        unicode: unicode || !stream.is_terminal(),
    }
}

/// Returns the style of files.
pub(crate) fn style_of_files() -> Style {
    Style {
        colour: false,
        width: WIDTH_OF_FILES,
        unicode: true,
    }
}

/// Checks if a stream is a terminal that can redraw a line.
pub(crate) fn is_live(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !set("CI") && !dumb
}

/// True if only errors are printed.
static ONLY_ERRORS: AtomicBool = AtomicBool::new(false);

/// Suppresses warnings and notes from now on, if the user wants only errors.
pub(crate) fn only_errors(wanted: bool) {
    ONLY_ERRORS.store(wanted, Ordering::Relaxed);
}

/// Returns true if the user wants only errors.
pub(crate) fn is_quiet() -> bool {
    ONLY_ERRORS.load(Ordering::Relaxed)
}

/// Prints a warning on standard error.
pub(crate) fn warning(message: &str) {
    if is_quiet() {
        return;
    }
    let (start, end) = if has_colour(&io::stderr()) {
        ("\x1b[1;33m", "\x1b[0m")
    } else {
        ("", "")
    };
    let message = visible(message);
    let _ = writeln!(io::stderr(), "{start}warning{end}: {message}");
}

/// Prints an error on standard error, with advice.
pub(crate) fn error(message: &str, hint: Option<&str>) {
    let (start, end) = if has_colour(&io::stderr()) {
        ("\x1b[1;31m", "\x1b[0m")
    } else {
        ("", "")
    };
    let message = visible(message);
    // If standard error is closed, there is no place to report that.
    let _ = writeln!(io::stderr(), "{start}error{end}: {message}");
    if let Some(hint) = hint {
        let _ = writeln!(io::stderr(), "  help: {}", visible(hint));
    }
}

/// Prints the error of a command line, or the requested help. Returns the exit code.
pub(crate) fn wrong_arguments(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    // Help has no text of the user.
    if !error.use_stderr() || error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    let text = error.render().to_string();
    let mut text = visible(&text);
    if has_colour(&io::stderr())
        && let Some(rest) = text.strip_prefix("error:")
    {
        text = format!("\x1b[1;31merror\x1b[0m:{rest}").into();
    }
    let _ = io::stderr().write_all(text.as_bytes());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints a note on standard error.
pub(crate) fn note(message: &str) {
    if is_quiet() {
        return;
    }
    let _ = writeln!(io::stderr(), "{}", visible(message));
}

/// Returns standard output for text of others: a terminal obeys nothing in it.
pub(crate) fn stdout() -> BufWriter<EscapingWriter<StdoutLock<'static>>> {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    BufWriter::new(EscapingWriter::on(stdout.lock(), is_terminal))
}

/// Returns standard output as [`stdout`] does, for a command whose exit code is a verdict.
pub(crate) fn verdict() -> BufWriter<EscapingWriter<IfRead<StdoutLock<'static>>>> {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    BufWriter::new(EscapingWriter::on(IfRead(stdout.lock()), is_terminal))
}

/// Returns the stream for the results of a run: standard output, or standard error if that carries
/// something else. A terminal obeys nothing in them.
pub(crate) fn results(on_stderr: bool) -> Box<dyn Write> {
    if on_stderr {
        let stderr = io::stderr();
        let is_terminal = stderr.is_terminal();
        Box::new(EscapingWriter::on(IfRead(stderr.lock()), is_terminal))
    } else {
        Box::new(verdict())
    }
}

/// Aligns the columns of rows, with two blanks between them.
pub(crate) fn in_columns<const N: usize>(rows: &[[String; N]]) -> String {
    let shown = |row: &[String; N]| row.clone().map(|cell| visible(&cell).into_owned());
    let rows: Vec<[String; N]> = rows.iter().map(shown).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut lines = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            // An empty column takes no room.
            if width > 0 {
                line.push_str(&format!("{cell:width$}  "));
            }
        }
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}
