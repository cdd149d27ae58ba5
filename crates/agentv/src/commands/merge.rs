//! `agentv merge`: merges the shards of a run into one run.

use std::time::Instant;

use agentv_project::Project;
use agentv_runner::Ended;
use jiff::Timestamp;

use crate::arguments::MergeArguments;
use crate::ending::Ending;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::reporting::Reporting;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &MergeArguments) -> Result<Exit, CommandError> {
    let (now, started) = (Timestamp::now(), Instant::now());
    output::only_errors(arguments.quiet);
    let project = Project::here();
    let notices = &mut StderrNotices::new();
    let prepared = project.prepare_merge(&arguments.options(), notices)?;
    let output = arguments.output();
    let mut reporting = Reporting::new(&output, false, &prepared.outline())?;
    let run = prepared.begin(now, notices)?;
    let ending = Ending {
        project: &project,
        output: &output,
        run: &run,
        ended: &Ended::default(),
        elapsed: started.elapsed(),
        resume_command: None,
    };
    ending.finish(&mut reporting)
}
