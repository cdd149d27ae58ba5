//! The reporters of a run: the summary, the display and the files of the user.

use std::io::{self, Write};
use std::time::Duration;

use agentv_core::{ReportError, Reporter, RunEvent, Secrets};
use agentv_report::{
    Clock, DisplayOptions, EventsFile, LiveDisplay, OutFile, PlainProgress, Quiet, RunFold,
    RunStatistics, Summary, check_destination,
};

use agentv_project::{Outline, ProjectError};

use crate::arguments::OutputArguments;
use crate::log;
use crate::output;

/// The time between two lines of progress, if there is no terminal.
const EVERY: Duration = Duration::from_secs(5);

/// The reporters of a run.
pub(crate) struct Reporting {
    fold: RunFold,
    display: Option<Box<dyn Reporter + Send>>,
    out: Option<OutFile>,
    events: Option<EventsFile<Box<dyn Write + Send>>>,
    secrets: Secrets,
}

impl Reporting {
    /// Creates the files of results and events, and the display. The caller has checked that they replace
    /// no file that the run reads.
    pub(crate) fn new(
        arguments: &OutputArguments,
        verbose: bool,
        outline: &Outline,
    ) -> Result<Reporting, ProjectError> {
        log::hide(&outline.secrets);
        let reports = arguments.reports.iter();
        for path in reports.filter_map(|report| report.path.as_deref()) {
            check_destination(path).map_err(ProjectError::not_written)?;
        }
        let out = arguments.out.as_deref().map(|path| {
            OutFile::create(path).map_err(|error| match error.source.kind() {
                // The extension names no format.
                io::ErrorKind::InvalidInput => ProjectError::from_error(error),
                _ => ProjectError::not_written(error),
            })
        });
        let events = arguments.events.as_deref();
        let events = events.map(|path| EventsFile::create(path).map_err(ProjectError::not_written));
        Ok(Reporting {
            fold: RunFold::of_trials(outline.trials),
            display: Some(display(arguments.quiet, verbose, outline)),
            out: out.transpose()?,
            events: events.transpose()?,
            secrets: outline.secrets.clone(),
        })
    }

    /// Returns the figures of all records, and their statistics.
    pub(crate) fn figures(&self, skipped: u64) -> (Summary, RunStatistics) {
        self.fold.finish(skipped)
    }

    /// Replaces secrets in a text.
    pub(crate) fn redacted(&self, text: &str) -> String {
        self.secrets.redact(text).into_owned()
    }

    /// Ends the display. Returns the file of results, which is still empty.
    pub(crate) fn finish(&mut self) -> Option<OutFile> {
        self.display = None;
        self.out.take()
    }
}

impl Reporter for Reporting {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        log::log_event(event);
        if let RunEvent::Finished { record, .. } = event {
            self.fold.add(record);
        }
        if let Some(events) = &mut self.events {
            events.on_event(event)?;
        }
        match &mut self.display {
            Some(display) => display.on_event(event),
            None => Ok(()),
        }
    }
}

/// Creates the display that standard error can show.
fn display(quiet: bool, verbose: bool, outline: &Outline) -> Box<dyn Reporter + Send> {
    let stderr = io::stderr();
    let options = DisplayOptions {
        style: output::style_of(&stderr),
        verbose,
        several_targets: outline.has_several_targets,
        clock: Clock::real(),
    };
    if quiet {
        Box::new(Quiet::to(stderr, options))
    } else if output::is_live(&stderr) && !log::is_on() {
        let columns = || output::width_of(&io::stderr()).unwrap_or(output::USUAL_WIDTH);
        Box::new(LiveDisplay::on_stderr(columns, options))
    } else {
        Box::new(PlainProgress::to(stderr, EVERY, options))
    }
}
