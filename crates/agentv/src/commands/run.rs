//! `agentv run`: asks targets, grades their answers and records both.

use std::sync::PoisonError;
use std::time::Instant;

use agentv_project::{Project, counted};
use jiff::Timestamp;

use crate::arguments::RunArguments;
use crate::ending::Ending;
use crate::engine::{Engine, run_anywhere};
use crate::execution::execute;
use crate::exit::{CommandError, Exit};
use crate::log::LogLevel;
use crate::output;
use crate::reporting::Reporting;
use crate::run_view::RunView;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &RunArguments, log: Option<LogLevel>) -> Result<Exit, CommandError> {
    let (now, started) = (Timestamp::now(), Instant::now());
    output::only_errors(arguments.output.quiet);
    let project = Project::here();
    let notices = &mut StderrNotices::new();
    let prepared = project.prepare_run(arguments.options(&project, notices)?, notices)?;
    let outputs: Vec<_> = arguments.output.files().collect();
    prepared.check_outputs(&outputs)?;
    let verbose = arguments.load.verbose;
    let reporting = Reporting::new(&arguments.output, verbose, &prepared.outline())?;
    let engine = Engine::of(arguments)?;
    let (spec, mut run) = prepared.begin(now, notices)?;
    let view = arguments.view.then(|| RunView::start(run.folder()));
    let view = view.transpose()?;
    let coordination = engine.and_then(|engine| engine.coordination(&run));
    let (ended, reporting) = execute(reporting, |stop, reporter| {
        run_anywhere(spec, coordination, stop, reporter)
    })?;
    match run.remove_obsolete(&ended) {
        Ok(0) => {}
        Ok(removed) => output::note(&format!(
            "removed {} of cases that no longer exist",
            counted(removed, "result")
        )),
        Err(error) => output::warning(&format!(
            "the run still has results of cases that no longer exist: {error}"
        )),
    }
    let mut reporting = reporting.lock().unwrap_or_else(PoisonError::into_inner);
    let ending = Ending {
        project: &project,
        output: &arguments.output,
        run: &run,
        ended: &ended,
        elapsed: started.elapsed(),
        resume_command: Some(arguments.resuming(&run, &project).command_line(log)),
    };
    let exit = ending.finish(&mut reporting);
    drop(reporting);
    if let Some(view) = view {
        view.stay();
    }
    exit
}
