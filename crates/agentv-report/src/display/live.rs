//! A progress bar in a terminal, redrawn in place.

use std::fmt;
use std::time::Duration;

use agentv_core::{ReportError, Reporter, RunEvent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::notice::Notice;
use super::notices::Wanted;
use super::options::DisplayOptions;
use super::screen::{Display, Screen};
use super::snapshot::{Figure, Snapshot};
use crate::figures::duration;
use crate::style::{Paint, Style};
use crate::text::{cut, width};

/// The highest number of redraws per second.
const REDRAWS: u8 = 10;
/// The smallest terminal width at which something is drawn.
const NARROWEST: usize = 8;
/// The most agents that get a line.
const MOST_AGENTS: usize = 10;
/// The smallest useful length of a bar.
const SHORTEST_BAR: usize = 8;

/// A progress bar and the figures of the run at the bottom of a terminal. Failures and errors are
/// printed above it as they happen; if there are too many, only their number.
///
/// Taking an event only counts it; a separate thread draws, at most ten times a second.
/// [`finish`](LiveDisplay::finish) or dropping this removes the bar.
#[derive(Debug)]
pub struct LiveDisplay(Display<Bar>);

impl LiveDisplay {
    /// Creates a display on standard error, which shows nothing unless that is a terminal.
    /// `columns` returns the current width before each redraw.
    pub fn on_stderr(
        columns: impl Fn() -> usize + Send + 'static,
        options: DisplayOptions,
    ) -> LiveDisplay {
        LiveDisplay::on(
            ProgressDrawTarget::stderr_with_hz(REDRAWS),
            columns,
            options,
        )
    }

    pub(super) fn on(
        terminal: ProgressDrawTarget,
        columns: impl Fn() -> usize + Send + 'static,
        options: DisplayOptions,
    ) -> LiveDisplay {
        let still = LiveDisplay::still(terminal, columns, options);
        let interval = Duration::from_secs(1) / u32::from(REDRAWS);
        LiveDisplay(still.ticking(interval))
    }

    pub(super) fn still(
        terminal: ProgressDrawTarget,
        columns: impl Fn() -> usize + Send + 'static,
        options: DisplayOptions,
    ) -> Display<Bar> {
        let bar = Bar::new(terminal, Box::new(columns), options.style);
        let wanted = if options.verbose {
            Wanted::All
        } else {
            Wanted::Failures
        };
        Display::still(bar, wanted, options)
    }

    /// Prints the remaining notices and removes the bar.
    pub fn finish(self) {
        drop(self);
    }
}

impl Drop for LiveDisplay {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl Reporter for LiveDisplay {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        self.0.on_event(event);
        Ok(())
    }
}

pub(super) struct Bar {
    bar: ProgressBar,
    columns: Box<dyn Fn() -> usize + Send>,
    style: Style,
}

impl fmt::Debug for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bar").finish_non_exhaustive()
    }
}

impl Bar {
    fn new(
        terminal: ProgressDrawTarget,
        columns: Box<dyn Fn() -> usize + Send>,
        style: Style,
    ) -> Bar {
        let bar = ProgressBar::with_draw_target(None, terminal);
        if let Ok(template) = ProgressStyle::with_template("{msg}") {
            bar.set_style(template);
        }
        Bar {
            bar,
            columns,
            style,
        }
    }
}

impl Screen for Bar {
    fn show(&mut self, snapshot: &Snapshot, notices: &[Notice]) {
        let style = Style {
            width: (self.columns)(),
            ..self.style
        };
        if self.bar.is_finished() || style.width < NARROWEST {
            return;
        }
        if !notices.is_empty() {
            let lines: Vec<String> = notices
                .iter()
                .flat_map(|notice| notice.lines(style))
                .collect();
            self.bar.println(lines.join("\n"));
        }
        if snapshot.progress.planned.trials > 0 {
            let (bar, figures) = (bar_line(snapshot, style), figures_line(snapshot, style));
            let agents = agent_lines(&snapshot.agents, style);
            self.bar.set_message(format!("{bar}\n{figures}{agents}"));
        }
    }

    fn close(&mut self) {
        if !self.bar.is_finished() {
            self.bar.finish_and_clear();
        }
    }
}

/// Draws a line for each running agent, with its last tool.
fn agent_lines(agents: &[String], style: Style) -> String {
    let mut lines = String::new();
    for agent in agents.iter().take(MOST_AGENTS) {
        let line = cut(agent, style.width.saturating_sub(2).max(1), style);
        lines.push_str(&format!("\n  {}", style.paint(Paint::Faint, &line)));
    }
    if agents.len() > MOST_AGENTS {
        let more = format!("and {} more", agents.len() - MOST_AGENTS);
        lines.push_str(&format!("\n  {}", style.paint(Paint::Faint, &more)));
    }
    lines
}

/// Draws `━━━━━━━━────  310/500 · 12 s · about 4 s left`.
fn bar_line(snapshot: &Snapshot, style: Style) -> String {
    let elapsed = duration(snapshot.elapsed);
    let mut texts = vec![snapshot.done(), elapsed];
    match snapshot.progress.stopping {
        Some(_) => texts.push("stopping".to_owned()),
        None => texts.extend(snapshot.left()),
    }
    // Texts that do not fit beside a bar are omitted, the last one first.
    let mut text = texts.join(style.separator());
    while texts.len() > 1 && width(&text) + 2 + SHORTEST_BAR > style.width {
        texts.pop();
        text = texts.join(style.separator());
    }
    let text = cut(&text, style.width, style);
    match style.width.checked_sub(width(&text) + 2) {
        Some(room) if room > 0 => format!("{}  {text}", bar(snapshot.share(), room, style)),
        _ => text,
    }
}

fn bar(share: f64, columns: usize, style: Style) -> String {
    let (full, empty) = if style.unicode {
        ("━", "─")
    } else {
        ("#", "-")
    };
    let filled = ((share * columns as f64) as usize).min(columns);
    let full = style.paint(Paint::Good, &full.repeat(filled));
    full + &style.paint(Paint::Faint, &empty.repeat(columns - filled))
}

/// Renders the figures in words if the essential ones fit, otherwise with signs. The least
/// important ones are omitted first.
fn figures_line(snapshot: &Snapshot, style: Style) -> String {
    let figures = snapshot.figures(style);
    let texts = |of: fn(&Figure) -> &String| figures.iter().map(of).collect::<Vec<_>>();
    let (long, short) = (texts(|figure| &figure.long), texts(|figure| &figure.short));
    let (words, signs) = (style.separator(), "  ");
    let fitting = fitting(&long, width(words), style.width);
    let in_words = fitting >= figures.len().min(Snapshot::ESSENTIAL);
    let (texts, separator, shown) = if in_words {
        (long, words, fitting)
    } else {
        let fitting = self::fitting(&short, width(signs), style.width);
        (short, signs, fitting.max(1))
    };
    let shown = figures.iter().zip(texts).take(shown);
    let painted =
        shown.map(|(figure, text)| style.paint(figure.paint, &cut(text, style.width, style)));
    let separator = style.paint(Paint::Faint, separator);
    painted.collect::<Vec<_>>().join(&separator)
}

/// Returns the number of texts that fit side by side.
fn fitting(texts: &[&String], between: usize, columns: usize) -> usize {
    let mut used = 0;
    let fits = |text: &&&String| {
        used += width(text) + if used > 0 { between } else { 0 };
        used <= columns
    };
    texts.iter().take_while(fits).count()
}
