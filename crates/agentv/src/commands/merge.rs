//! `agentv merge`: merges the shards of a run into one run.

use std::io::{self, Write};

use agentv_project::Project;
use agentv_report::{Closing, render_summary};
use jiff::Timestamp;

use crate::arguments::MergeArguments;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &MergeArguments) -> Result<Exit, CommandError> {
    let project = Project::here();
    let merged = project.merge(&arguments.runs, Timestamp::now(), &mut StderrNotices::new())?;
    let shown = project.shown(merged.folder.path());
    let closing = Closing {
        folder: Some(&shown),
        planned: merged.planned,
        ..Closing::default()
    };
    let style = output::style_of(&io::stdout());
    let text = render_summary(&merged.summary, &closing, style);
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(if merged.is_complete {
        Exit::Success
    } else {
        Exit::Problems
    })
}
