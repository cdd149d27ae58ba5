//! The end of a run: its record, its summary, its exit code.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentv_core::{Stop, is_obeyed};
use agentv_project::{JudgedGates, OpenRun, Project, RunEnd};
use agentv_report::{Closing, ReportFormat, RunStatistics, Summary, gates_met, render_summary};
use agentv_runner::{Ended, RunError};
use jiff::Timestamp;

use crate::arguments::{OutputArguments, ReportTarget};
use crate::exit::{CommandError, Exit, RunFacts};
use crate::if_read::IfRead;
use crate::output;
use crate::reporting::Reporting;
use crate::stderr_notices::StderrNotices;

/// A run that ended, and everything else that its summary needs.
pub(crate) struct Ending<'a> {
    pub(crate) project: &'a Project,
    pub(crate) output: &'a OutputArguments,
    pub(crate) run: &'a OpenRun,
    pub(crate) ended: &'a Ended,
    pub(crate) elapsed: Duration,
    /// The command line that resumes the run, if one command can.
    pub(crate) resume_command: Option<String>,
}

/// The figures of a run that ended, and the files that were written.
pub(crate) struct Closed {
    pub(crate) summary: Summary,
    statistics: RunStatistics,
    /// The reports that were written.
    reports: Vec<PathBuf>,
    gates: JudgedGates,
    /// The number of trials that this command ended or found done.
    trials: u64,
    /// Set if a file could not be written.
    not_written: bool,
}

impl Ending<'_> {
    /// Writes the record and the reports, prints the summary, and returns the exit code.
    pub(crate) fn finish(&self, reporting: &mut Reporting) -> Result<Exit, CommandError> {
        let is_refused = matches!(self.ended.error, Some(RunError::Prepare { .. }));
        if is_refused && self.run.remove_if_empty() {
            drop(reporting.finish());
            self.print_trouble(reporting);
            return Ok(Exit::Unusable);
        }
        let mut closed = self.close(reporting);
        self.write_reports(&mut closed);
        if !self.output.quiet {
            self.unless_signalled(self.print_summary(&closed))?;
        }
        self.print_trouble(reporting);
        Ok(self.exit(&closed))
    }

    /// Writes the end of the run into its record, and ends the display and the file of results.
    pub(crate) fn close(&self, reporting: &mut Reporting) -> Closed {
        let (own, statistics) = reporting.figures(self.run.planned().skipped);
        let trials = own.trials;
        let (summary, statistics) = self.of_folder().unwrap_or((own, statistics));
        // Before the file of results is put in its place, which may be that of the baseline.
        let gates = self
            .run
            .judge_gates(&summary, self.ended, &mut StderrNotices::new());
        let error = self.ended.error.as_ref();
        let mut not_written = error.is_some_and(RunError::is_about_writing);
        if let Err(error) = self.write_results(reporting) {
            output::error(&error.to_string(), None);
            not_written = true;
        }
        let end = RunEnd {
            stop: self.ended.stop,
            summary: &summary,
            statistics: &statistics,
            gates: &gates.required(),
            now: Timestamp::now(),
            lacks_marks: self.ended.lacks_marks,
        };
        if let Err(error) = self.run.write_end(&end) {
            output::error(&error.to_string(), None);
            not_written = true;
        }
        Closed {
            summary,
            statistics,
            reports: Vec::new(),
            gates,
            trials,
            not_written,
        }
    }

    /// Returns the figures of all results in the folder of a run that had results before; `None` for a new
    /// run, or if they cannot be read.
    fn of_folder(&self) -> Option<(Summary, RunStatistics)> {
        let results = self.run.is_resumed().then(|| self.run.results())?;
        let figures = results.map(|results| results.figures());
        match figures {
            Ok(Ok(figures)) => Some(figures),
            Ok(Err(error)) => {
                output::error(&error.to_string(), None);
                None
            }
            Err(error) => {
                output::error(&error.to_string(), None);
                None
            }
        }
    }

    /// Ends the display, and writes the file of results.
    fn write_results(&self, reporting: &mut Reporting) -> Result<(), Box<dyn std::error::Error>> {
        match reporting.finish() {
            Some(out) => Ok(out.write_run(&self.run.results()?)?),
            None => Ok(()),
        }
    }

    /// Writes the requested reports, each from the run's folder as any later report is.
    fn write_reports(&self, closed: &mut Closed) {
        for ReportTarget { format, path } in &self.reports() {
            match self.write_report(format, path.as_deref()) {
                Ok(()) => closed.reports.extend(path.clone()),
                Err(error) => {
                    output::error(&error.to_string(), None);
                    closed.not_written = true;
                }
            }
        }
    }

    fn write_report(
        &self,
        format: &ReportFormat,
        path: Option<&Path>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let results = self.run.results()?;
        match path {
            Some(path) => format.write_file(&[results], path)?,
            None => format.write(&[results], &mut output::results(self.leaves_stdout()))?,
        }
        Ok(())
    }

    /// Returns the requested reports, and annotations if GitHub Actions runs this program.
    fn reports(&self) -> Vec<ReportTarget> {
        let mut reports = self.output.reports.clone();
        let annotates = |report: &ReportTarget| report.format.name == ReportFormat::ANNOTATIONS;
        let is_action = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        if is_action && !reports.iter().any(annotates) {
            let format = ReportFormat::named(ReportFormat::ANNOTATIONS);
            reports.extend(format.map(|format| ReportTarget { format, path: None }));
        }
        reports
    }

    /// Returns true if standard output is for something else than the results: the events, or nothing.
    fn leaves_stdout(&self) -> bool {
        self.output.events_on_stdout() || self.output.quiet
    }

    fn print_summary(&self, closed: &Closed) -> io::Result<()> {
        let Closed {
            summary,
            statistics,
            ..
        } = closed;
        let planned = self.run.record().planned;
        let gates = closed.gates.required();
        let resume = self.resume_command.as_deref();
        // A grading of all answers leaves no grade that is out of date. Answers that are out of date are
        // repeated by the run that was graded.
        let is_grading = self.run.record().graded_from.is_some();
        let reachable = planned.saturating_sub(self.run.not_answered());
        let is_graded = is_grading && self.run.planned().trials >= reachable;
        let cannot_repeat = is_graded || closed.gates.needs_new_run;
        let is_complete = summary.trials >= reachable && (summary.outdated == 0 || cannot_repeat);
        let resume = resume.filter(|_| !is_complete);
        let shown = self.project.shown(self.run.folder().path());
        let next = show_command(summary, &shown);
        let closing = Closing {
            folder: Some(&shown),
            out_file: self.output.out.as_deref(),
            empty_shard: self.run.empty_shard(),
            planned,
            skipped_files: self.run.skipped_by_file(),
            elapsed: Some(self.elapsed),
            took_part: self.ended.took_part,
            stopped: self.ended.stop,
            graded_from: self.run.record().graded_from.as_deref(),
            resume_command: resume,
            next_command: next.as_deref(),
            gates: &gates,
            statistics: Some(statistics),
            reports: &closed.reports,
        };
        if self.output.events_on_stdout() {
            let text = render_summary(summary, &closing, output::style_of(&io::stderr()));
            return IfRead(io::stderr()).write_all(text.as_bytes());
        }
        let text = render_summary(summary, &closing, output::style_of(&io::stdout()));
        let mut stdout = IfRead(io::stdout().lock());
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    /// Ignores an error of standard output after a signal. The exit code then reports the signal: nobody
    /// reads the summary on a terminal that was closed.
    pub(crate) fn unless_signalled(&self, printed: io::Result<()>) -> io::Result<()> {
        match self.ended.stop {
            Some(Stop::Interrupted | Stop::Terminated | Stop::HungUp) => Ok(()),
            Some(Stop::Budget | Stop::Time | Stop::Broken) | None => printed,
        }
    }

    /// Prints the reason why a run ended early, if there is more to say than that it did.
    pub(crate) fn print_trouble(&self, reporting: &Reporting) {
        if self.ended.stop == Some(Stop::Budget) {
            output::note("to resume, raise `--budget`: it includes what the run has cost so far");
        }
        if let Some(error) = &self.ended.error {
            output::error(&reporting.redacted(&error.to_string()), hint(error));
        }
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self, closed: &Closed) -> Exit {
        let is_incomplete = closed.trials < self.run.planned().trials;
        Exit::of_run(&RunFacts {
            stop: self.ended.stop,
            not_written: closed.not_written,
            is_broken: self.ended.error.is_some() || is_incomplete,
            exceeds_errors: !closed.gates.errors.met,
            meets_gates: gates_met(&closed.gates.gates, &closed.summary.statuses),
        })
    }
}

/// The longest id in a printed command, in bytes.
const LONGEST_ID: usize = 256;

/// Returns the command that shows the worst result in full, or all results if some errored.
fn show_command(summary: &Summary, folder: &Path) -> Option<String> {
    let folder = agentv_process::quote_os(folder.as_os_str());
    let worst = summary
        .worst
        .first()
        .map(|worst| worst.trial.eval_id.as_str());
    let rest = match worst {
        Some(id) => agentv_process::quote(id),
        None if summary.statuses.error > 0 => "--format text".to_owned(),
        None => return None,
    };
    // An id that a terminal does not show as it is cannot be typed, nor can one that fills the screen.
    let can_be_typed = !rest.contains(is_obeyed) && rest.len() < LONGEST_ID;
    can_be_typed.then(|| format!("agentv show {folder} {rest}"))
}

fn hint(error: &RunError) -> Option<&'static str> {
    match error {
        RunError::Write(error) if error.is_full() => Some(
            "free some disk space, then resume with the command above: answers on disk are not requested again",
        ),
        _ => None,
    }
}
