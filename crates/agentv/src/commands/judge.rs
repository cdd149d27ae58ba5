//! `agentv judge`: compares judges with people.

use std::io::{self, Write};
use std::sync::PoisonError;

use agentv_core::{ReportError, Reporter, RunEvent};
use agentv_project::{Calibration, JudgedAnswers, OpenRun, Project, counted};
use jiff::Timestamp;

use crate::arguments::{CalibrateArguments, JudgeAction, JudgeArguments, ListFormat};
use crate::calibration;
use crate::ending::{self, Closed};
use crate::execution::execute;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::reporting::Reporting;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &JudgeArguments) -> Result<Exit, CommandError> {
    match &arguments.action {
        JudgeAction::Calibrate(arguments) => calibrate(arguments),
    }
}

fn calibrate(arguments: &CalibrateArguments) -> Result<Exit, CommandError> {
    let now = Timestamp::now();
    let project = Project::here();
    let notices = &mut StderrNotices::new();
    let prepared = project.prepare_calibration(arguments.options(&project), now, notices)?;
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
    let closed = ending::close(&mut calibrating.reporting, &ended, &run);
    let calibration = calibrating.judged.calibration(arguments.show);
    let printed = print(&project, arguments, &calibration, &closed, &run);
    ending::unless_signalled(printed, &ended)?;
    ending::print_trouble(&calibrating.reporting, &ended);
    let exit = ending::exit(&closed, &ended, run.planned());
    Ok(match exit {
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
    project: &Project,
    arguments: &CalibrateArguments,
    calibration: &Calibration,
    closed: &Closed,
    run: &OpenRun,
) -> io::Result<()> {
    let planned = run.planned().trials;
    let is_complete = closed.summary.trials >= planned;
    let mut stdout = arguments.output.stream();
    match arguments.format {
        ListFormat::Text => {
            let shown = project.shown(run.folder().path());
            stdout.write_all(calibration::text(calibration).as_bytes())?;
            writeln!(stdout, "\nresults  {}", shown.display())?;
        }
        ListFormat::Json => {
            let mut json = calibration::json(calibration);
            json["run"] = run.folder().id().as_str().into();
            json["complete"] = is_complete.into();
            writeln!(stdout, "{json}")?;
        }
    }
    stdout.flush()?;
    if !is_complete {
        let missing = counted(planned - closed.summary.trials, "case");
        let command = ending::resume_command(run);
        output::note(&format!("{missing} not judged; resume with {command}"));
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
        let found = found.map_or_else(|| "not defined".to_owned(), |found| format!("{found:.3}"));
        output::error(
            &format!("{name} is {found}, and `{flag}` wants {least}"),
            None,
        );
    }
    exit
}
