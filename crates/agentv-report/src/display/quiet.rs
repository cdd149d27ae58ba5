//! A display of errors only.

use std::io::Write;
use std::time::Duration;

use agentv_core::{ReportError, Reporter, RunEvent};

use super::notices::Wanted;
use super::options::DisplayOptions;
use super::plain::Lines;
use super::screen::Display;

/// A line for each errored trial; if there are too many, only their number. Nothing else is
/// printed.
#[derive(Debug)]
pub struct Quiet(Display<Lines>);

impl Quiet {
    /// Writes to `out`.
    pub fn to(out: impl Write + Send + 'static, options: DisplayOptions) -> Quiet {
        Quiet(Quiet::still(out, options).ticking(Duration::from_millis(200)))
    }

    pub(super) fn still(
        out: impl Write + Send + 'static,
        options: DisplayOptions,
    ) -> Display<Lines> {
        let lines = Lines::new(out, None, options.style);
        Display::still(lines, Wanted::Errors, options)
    }

    /// Writes the remaining notices.
    pub fn finish(self) {
        drop(self);
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl Reporter for Quiet {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        self.0.on_event(event);
        Ok(())
    }
}
