//! `agentv judge`: compares judges with people.

use std::io::{self, Write};
use std::sync::PoisonError;
use std::time::Instant;

use agentv_core::{ReportError, Reporter, RunEvent};
use agentv_project::{Calibration, JudgedAnswers, Project, counted};
use jiff::Timestamp;

use crate::arguments::{CalibrateArguments, JudgeAction, JudgeArguments, ListFormat};
use crate::calibration;
use crate::ending::{Closed, Ending};
use crate::execution::execute;
use crate::exit::{CommandError, Exit};
use crate::log::LogLevel;
use crate::output;
use crate::reporting::Reporting;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &JudgeArguments, log: Option<LogLevel>) -> Result<Exit, CommandError> {
    match &arguments.action {
        JudgeAction::Calibrate(arguments) => calibrate(arguments, log),
    }
}

fn calibrate(arguments: &CalibrateArguments, log: Option<LogLevel>) -> Result<Exit, CommandError> {
    let (now, started) = (Timestamp::now(), Instant::now());
    output::only_errors(arguments.output.quiet);
    let project = Project::here();
    let notices = &mut StderrNotices::new();
    let prepared = project.prepare_calibration(arguments.options(&project), now, notices)?;
    let outputs: Vec<_> = arguments.output.files().collect();
    prepared.check_outputs(&outputs)?;
    let verbose = arguments.load.verbose;
    let calibrating = Calibrating {
        reporting: Reporting::new(&arguments.output, verbose, &prepared.outline())?,
        judged: prepared.judged_answers(),
    };
    let (spec, run) = prepared.begin(now, notices)?;
    let (ended, calibrating) = execute(calibrating, |stop, reporter| {
        agentv_runner::run(spec, stop, reporter)
    })?;
    let mut calibrating = calibrating.lock().unwrap_or_else(PoisonError::into_inner);
    let ending = Ending {
        project: &project,
        output: &arguments.output,
        run: &run,
        ended: &ended,
        elapsed: started.elapsed(),
        resume_command: Some(arguments.resuming(&run).command_line(log)),
    };
    let closed = ending.close(&mut calibrating.reporting);
    let calibration = calibrating.judged.calibration(arguments.show);
    // Whoever asks for JSON reads it.
    let is_silent = arguments.output.quiet && matches!(arguments.format, ListFormat::Text);
    if !is_silent {
        ending.unless_signalled(print(arguments.format, &calibration, &closed, &ending))?;
    }
    ending.print_trouble(&calibrating.reporting);
    Ok(match ending.exit(&closed) {
        // A low score of an answer is not a failure: only the gates decide.
        Exit::Success | Exit::Problems => judge_gates(arguments, &calibration),
        exit => exit,
    })
}

/// A reporter that also collects the results for the comparison with people.
struct Calibrating {
    reporting: Reporting,
    judged: JudgedAnswers,
}

impl Reporter for Calibrating {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if let RunEvent::Finished { record, .. } = event {
            self.judged.add(record);
        }
        self.reporting.on_event(event)
    }
}

fn print(
    format: ListFormat,
    calibration: &Calibration,
    closed: &Closed,
    ending: &Ending<'_>,
) -> io::Result<()> {
    let run = ending.run;
    let planned = run.planned().trials;
    let is_complete = closed.summary.trials >= planned;
    let mut out = output::results(ending.output.events_on_stdout());
    match format {
        ListFormat::Text => {
            let shown = ending.project.shown(run.folder().path());
            out.write_all(calibration::text(calibration).as_bytes())?;
            writeln!(out, "\nresults  {}", shown.display())?;
        }
        ListFormat::Json => {
            let mut json = calibration::json(calibration);
            json["run"] = run.folder().id().as_str().into();
            json["complete"] = is_complete.into();
            writeln!(out, "{json}")?;
        }
    }
    out.flush()?;
    if !is_complete {
        let missing = counted(planned - closed.summary.trials, "case");
        let command = ending.resume_command.as_deref().unwrap_or_default();
        output::note(&format!("{missing} not judged: resume with {command}"));
    }
    Ok(())
}

fn judge_gates(arguments: &CalibrateArguments, calibration: &Calibration) -> Exit {
    let agreement = &calibration.agreement;
    let gates = [
        ("kappa", "--min-kappa", agreement.kappa, arguments.min_kappa),
        (
            "accuracy",
            "--min-accuracy",
            agreement.accuracy,
            arguments.min_accuracy,
        ),
    ];
    let mut exit = Exit::Success;
    for (name, flag, found, least) in gates {
        let Some(least) = least else { continue };
        if found.is_some_and(|found| found >= least) {
            continue;
        }
        exit = Exit::Problems;
        let found = found.map_or_else(|| "undefined".to_owned(), |found| format!("{found:.3}"));
        output::error(
            &format!("{name} is {found}, but `{flag}` requires {least}"),
            None,
        );
    }
    exit
}
