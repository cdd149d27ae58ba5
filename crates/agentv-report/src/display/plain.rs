//! A plain line every few seconds, for output that cannot be redrawn.

use std::fmt;
use std::io::Write;
use std::time::Duration;

use agentv_core::{ReportError, Reporter, RunEvent};

use super::notice::Notice;
use super::notices::Wanted;
use super::options::DisplayOptions;
use super::screen::{Display, Screen};
use super::snapshot::Snapshot;
use crate::style::Style;

/// The longest delay of a notice about a failure.
const SOON: Duration = Duration::from_millis(200);

/// A plain line about the run in each interval, and one for each failure and error as it happens;
/// if there are too many, only their number.
///
/// Taking an event only counts it; a separate thread writes. Write errors are ignored: a closed
/// pipe is no reason to end the run.
#[derive(Debug)]
pub struct PlainProgress(Display<Lines>);

impl PlainProgress {
    /// Writes to `out` in each `interval`.
    pub fn to(
        out: impl Write + Send + 'static,
        interval: Duration,
        options: DisplayOptions,
    ) -> PlainProgress {
        let still = PlainProgress::still(out, interval, options);
        PlainProgress(still.ticking(SOON.min(interval)))
    }

    pub(super) fn still(
        out: impl Write + Send + 'static,
        interval: Duration,
        options: DisplayOptions,
    ) -> Display<Lines> {
        let lines = Lines::new(out, Some(interval), options.style);
        let wanted = if options.verbose {
            Wanted::All
        } else {
            Wanted::Failures
        };
        Display::still(lines, wanted, options)
    }

    /// Writes the remaining notices.
    pub fn finish(self) {
        drop(self);
    }
}

impl Drop for PlainProgress {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl Reporter for PlainProgress {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        self.0.on_event(event);
        Ok(())
    }
}

/// A screen that prints lines.
pub(super) struct Lines {
    out: Box<dyn Write + Send>,
    style: Style,
    interval: Option<Duration>,
    next: Duration,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}

impl Lines {
    /// Prints the notices, and a line about the run in each interval, if there is one.
    pub(super) fn new(
        out: impl Write + Send + 'static,
        interval: Option<Duration>,
        style: Style,
    ) -> Lines {
        Lines {
            out: Box::new(out),
            style,
            interval,
            next: interval.unwrap_or(Duration::MAX),
        }
    }
}

impl Screen for Lines {
    fn show(&mut self, snapshot: &Snapshot, notices: &[Notice]) {
        let mut text = String::new();
        for line in notices.iter().flat_map(|notice| notice.lines(self.style)) {
            text.push_str(&line);
            text.push('\n');
        }
        if let Some(interval) = self.interval
            && snapshot.elapsed >= self.next
            && snapshot.progress.planned.trials > 0
        {
            self.next = snapshot.elapsed + interval;
            text.push_str(&progress_line(snapshot, self.style));
            text.push('\n');
        }
        if !text.is_empty() {
            let written = self.out.write_all(text.as_bytes());
            let _ = written.and_then(|()| self.out.flush());
        }
    }

    fn close(&mut self) {}
}

/// Renders `1,200/5,000 done · 1,150 passed · … · about 16 s left`.
fn progress_line(snapshot: &Snapshot, style: Style) -> String {
    let mut texts = vec![format!("{} done", snapshot.done())];
    let figures = snapshot.figures(style).into_iter();
    texts.extend(figures.map(|figure| style.paint(figure.paint, &figure.long)));
    texts.extend(snapshot.left());
    texts.join(style.separator())
}
