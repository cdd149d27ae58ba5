//! How a run ends: its record, its summary, its exit code.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agentv_core::{GateOutcome, Planned, Stop, is_obeyed};
use agentv_journal::RunFolder;
use agentv_project::{OpenRun, Project, RunEnd};
use agentv_report::{Closing, RunResults, RunStatistics, Summary, render_summary};
use agentv_runner::{Ended, RunError};
use jiff::Timestamp;

use crate::arguments::{OutputArguments, ReportTarget};
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::reporting::Reporting;
use crate::stderr_notices::StderrNotices;

/// Writes what came of the run, tells it, and gives the exit code.
pub(crate) fn end(
    project: &Project,
    arguments: &OutputArguments,
    reporting: &mut Reporting,
    ended: &Ended,
    run: &OpenRun,
    started: Instant,
) -> Result<Exit, CommandError> {
    let elapsed = started.elapsed();
    let mut closed = close(reporting, ended, run);
    write_reports(arguments, run.folder(), &mut closed);
    let printed = print(project, arguments, &closed, ended, run, elapsed);
    unless_signalled(printed, ended)?;
    print_trouble(reporting, ended);
    Ok(exit(&closed, ended, run.planned()))
}

/// What a run came to.
pub(crate) struct Closed {
    pub(crate) summary: Summary,
    pub(crate) statistics: RunStatistics,
    /// Reports that were written.
    pub(crate) reports: Vec<PathBuf>,
    /// What was required of it, and what was found.
    pub(crate) gates: Vec<GateOutcome>,
    /// Whether something could not be written.
    pub(crate) not_written: bool,
}

/// Writes what came of a run into its record, and ends what was told meanwhile.
pub(crate) fn close(reporting: &mut Reporting, ended: &Ended, run: &OpenRun) -> Closed {
    let (summary, statistics) = reporting.figures(run.planned().skipped);
    // Before the file of results is put in its place, which may be that of the baseline.
    let gates = run.judge_gates(&summary, &mut StderrNotices::new());
    let mut not_written = ended.error.as_ref().is_some_and(RunError::is_about_writing);
    if let Err(error) = reporting.finish() {
        output::error(&error.to_string(), None);
        not_written = true;
    }
    let end = RunEnd {
        stop: ended.stop,
        summary: &summary,
        gates: &gates,
        now: Timestamp::now(),
    };
    if let Err(error) = run.write_end(&end) {
        output::error(&error.to_string(), None);
        not_written = true;
    }
    Closed {
        summary,
        statistics,
        reports: Vec::new(),
        gates,
        not_written,
    }
}

/// Writes the reports that were asked for, each of the run's folder as any later report is.
fn write_reports(arguments: &OutputArguments, folder: &RunFolder, closed: &mut Closed) {
    for ReportTarget { format, path } in &arguments.reports {
        let results = RunResults::of_folder(folder).map_err(|error| error.to_string());
        let written = results.and_then(|results| {
            let written = format.write_file(&[results], path);
            written.map_err(|failure| failure.to_string())
        });
        match written {
            Ok(()) => closed.reports.push(path.clone()),
            Err(reason) => {
                output::error(&reason, None);
                closed.not_written = true;
            }
        }
    }
}

/// What came of telling. After a signal it is the signal that counts: whoever closed the terminal reads no
/// summary.
pub(crate) fn unless_signalled(result: io::Result<()>, ended: &Ended) -> io::Result<()> {
    match ended.stop {
        Some(Stop::Interrupted | Stop::Terminated | Stop::HungUp) => Ok(()),
        Some(Stop::Budget | Stop::Time | Stop::Broken) | None => result,
    }
}

/// Says why a run ended early, where there is more to say than that it did.
pub(crate) fn print_trouble(reporting: &Reporting, ended: &Ended) {
    if ended.stop == Some(Stop::Budget) {
        output::note("to go on, raise `--budget`: what the run has cost so far counts");
    }
    if let Some(error) = &ended.error {
        output::error(&reporting.redacted(&error.to_string()), hint(error));
    }
}

fn print(
    project: &Project,
    arguments: &OutputArguments,
    closed: &Closed,
    ended: &Ended,
    run: &OpenRun,
    elapsed: Duration,
) -> io::Result<()> {
    let summary = &closed.summary;
    let complete = summary.trials >= run.planned().trials;
    let resume = (!complete).then(|| resume_command(run));
    let shown = project.shown(run.folder().path());
    let closer = look_closer(summary, &shown);
    let closing = Closing {
        folder: Some(&shown),
        out_file: arguments.out.as_deref(),
        planned: run.planned().trials,
        skipped_files: run.skipped_by_file(),
        elapsed: Some(elapsed),
        stopped: ended.stop,
        graded_from: run.record().graded_from.as_deref(),
        resume_command: resume.as_deref(),
        next_command: closer.as_deref(),
        gates: &closed.gates,
        statistics: Some(&closed.statistics),
        reports: &closed.reports,
    };
    let style = if arguments.events_on_stdout() {
        output::style_of(&io::stderr())
    } else {
        output::style_of(&io::stdout())
    };
    let text = render_summary(summary, &closing, style);
    let mut stream = arguments.stream();
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// The longest id that a command is told with, in bytes.
const LONGEST_ID: usize = 256;

/// The command that shows the worst result in full, or all of them where some errored.
fn look_closer(summary: &Summary, folder: &Path) -> Option<String> {
    let folder = agentv_process::quote_os(folder.as_os_str());
    let worst = summary
        .worst
        .first()
        .map(|worst| worst.trial.eval_id.as_str());
    let id = match worst {
        Some(id) => format!(" {}", agentv_process::quote(id)),
        None if summary.statuses.error > 0 => String::new(),
        None => return None,
    };
    // What a terminal would not show as it is cannot be typed either, nor what fills the screen.
    let typed = !id.contains(is_obeyed) && id.len() < LONGEST_ID;
    typed.then(|| format!("agentv show {folder}{id} --format yaml"))
}

fn hint(error: &RunError) -> Option<&'static str> {
    match error {
        RunError::Write(error) if error.is_full() => Some(
            "free some space, then go on with the command above: what was written is not asked again",
        ),
        _ => None,
    }
}

/// The command line that goes on with this run: what was typed, with `--resume`.
pub(crate) fn resume_command(run: &OpenRun) -> String {
    let mut typed = std::env::args_os().skip(1);
    let mut words = vec!["agentv".to_owned()];
    while let Some(word) = typed.next() {
        match &*word.to_string_lossy() {
            "--resume" => {}
            // The run knows what it repeats.
            "--rerun-failed" => drop(typed.next()),
            word if word.starts_with("--resume=") || word.starts_with("--rerun-failed=") => {}
            // The newest run is another one now.
            word if run.record().graded_from.is_some() && word.starts_with("latest") => {
                let origin = run.record().graded_from.as_deref().unwrap_or(word);
                words.push(agentv_process::quote(origin));
            }
            _ => words.push(agentv_process::quote_os(&word)),
        }
    }
    // What follows two dashes is a path, whatever it looks like.
    let options_end = words.iter().position(|word| word == "--");
    let resume = format!(
        "--resume={}",
        agentv_process::quote(run.folder().id().as_str())
    );
    words.insert(options_end.unwrap_or(words.len()), resume);
    words.join(" ")
}

/// The first that holds: ended by a signal, not written, limited, nothing ran, errored, failed or a gate
/// not met.
pub(crate) fn exit(closed: &Closed, ended: &Ended, planned: Planned) -> Exit {
    let Closed {
        summary,
        gates,
        not_written,
        ..
    } = closed;
    let statuses = &summary.statuses;
    let all_met = gates.iter().all(|gate| gate.met);
    match ended.stop {
        Some(Stop::Interrupted) => Exit::Signal(2),
        Some(Stop::Terminated) => Exit::Signal(15),
        Some(Stop::HungUp) => Exit::Signal(1),
        _ if *not_written => Exit::NotWritten,
        Some(Stop::Budget | Stop::Time) => Exit::Limited,
        _ if ended.error.is_some() || summary.trials < planned.trials => Exit::Unusable,
        Some(Stop::Broken) | None if statuses.error > 0 => Exit::Errored,
        Some(Stop::Broken) | None if statuses.fail > 0 || !all_met => Exit::Problems,
        Some(Stop::Broken) | None => Exit::Success,
    }
}
