//! Where words go: answers to standard output, everything else to standard error.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;

use agentv_core::visible;
use agentv_report::Style;

use crate::shown::Shown;

/// Whether a stream shows colours.
pub(crate) fn has_colour(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !set("NO_COLOR") && !set("CI") && !dumb
}

/// The columns of a terminal; `None` for anything else.
pub(crate) fn width_of(stream: &impl IsTerminal) -> Option<usize> {
    let size = stream.is_terminal().then(terminal_size::terminal_size);
    size.flatten().map(|(columns, _)| usize::from(columns.0))
}

/// The columns of a terminal that does not tell how many it has.
pub(crate) const USUAL_WIDTH: usize = 80;

/// The columns of a file or a pipe: whole sentences stand on its lines, but no page of them.
const WIDTH_OF_FILES: usize = 320;

/// What a stream can show.
pub(crate) fn style_of(stream: &impl IsTerminal) -> Style {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    // What nobody says anything about is a file or a pipe, and those are UTF-8.
    let unicode = locale.is_none_or(|locale| !matches!(locale.as_str(), "C" | "POSIX"));
    Style {
        colour: has_colour(stream),
        width: match stream.is_terminal() {
            true => width_of(stream).unwrap_or(USUAL_WIDTH),
            false => WIDTH_OF_FILES,
        },
        unicode: unicode || !stream.is_terminal(),
    }
}

/// What a file can show.
pub(crate) fn style_of_files() -> Style {
    Style {
        colour: false,
        width: WIDTH_OF_FILES,
        unicode: true,
    }
}

/// Whether a stream is a terminal on which a line can be drawn again and again.
pub(crate) fn is_live(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !set("CI") && !dumb
}

/// Says on standard error what a user should know, and what stops nothing.
pub(crate) fn warning(message: &str) {
    let (start, end) = if has_colour(&io::stderr()) {
        ("\x1b[1;33m", "\x1b[0m")
    } else {
        ("", "")
    };
    let message = visible(message);
    let _ = writeln!(io::stderr(), "{start}warning{end}: {message}");
}

/// Says on standard error what went wrong and what to do about it.
pub(crate) fn error(message: &str, hint: Option<&str>) {
    let (start, end) = if has_colour(&io::stderr()) {
        ("\x1b[1;31m", "\x1b[0m")
    } else {
        ("", "")
    };
    let message = visible(message);
    // Nothing is left to tell a reader of standard error who is gone.
    let _ = writeln!(io::stderr(), "{start}error{end}: {message}");
    if let Some(hint) = hint {
        let _ = writeln!(io::stderr(), "  help: {}", visible(hint));
    }
}

/// Says what is wrong with the command line, or prints the help that it asks for; gives the exit code.
pub(crate) fn wrong_arguments(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    // Help repeats nothing that was typed.
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

/// Says something on standard error that is not an error.
pub(crate) fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(message));
}

/// Standard output for what others wrote: where it is a terminal, nothing in it is obeyed.
pub(crate) fn stdout() -> BufWriter<Shown<StdoutLock<'static>>> {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    BufWriter::new(Shown::on(stdout.lock(), is_terminal))
}

/// Returns the stream for the results of a command: standard output, or standard error if that carries
/// something else. A terminal obeys nothing in them.
pub(crate) fn results(on_stderr: bool) -> Box<dyn Write> {
    if on_stderr {
        let stderr = io::stderr();
        let is_terminal = stderr.is_terminal();
        Box::new(Shown::on(stderr.lock(), is_terminal))
    } else {
        Box::new(stdout())
    }
}

/// Rows with their columns under each other, two blanks between them, a line each.
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
            // A column in which nothing stands takes no room.
            if width > 0 {
                line.push_str(&format!("{cell:width$}  "));
            }
        }
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines
}
