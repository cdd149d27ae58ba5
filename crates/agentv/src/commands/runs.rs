//! `agentv runs`: lists the runs of the project.

use std::io::{self, BufWriter, Write};

use agentv_core::visible;
use agentv_journal::RunFolder;
use agentv_project::{Project, ProjectError, RunFolders, counted};
use agentv_report::{PastRun, RunLine, render_runs};

use super::prune;
use crate::arguments::{ListFormat, RunsAction, RunsArguments};
use crate::exit::{CommandError, Exit};
use crate::output;

pub(crate) fn run(arguments: &RunsArguments) -> Result<Exit, CommandError> {
    match &arguments.action {
        Some(RunsAction::Prune(arguments)) => prune::run(arguments),
        None => list(arguments),
    }
}

fn list(arguments: &RunsArguments) -> Result<Exit, CommandError> {
    let (lines, more) = lines(arguments)?;
    let mut stdout = BufWriter::new(io::stdout().lock());
    match arguments.format {
        ListFormat::Text => {
            stdout.write_all(render_runs(&lines, output::style_of(&io::stdout())).as_bytes())?
        }
        ListFormat::Json => stdout.write_all(json_lines(&lines)?.as_bytes())?,
    }
    stdout.flush()?;
    if more > 0 {
        let more = counted(more as u64, "older run");
        output::note(&format!("{more} not shown: raise `--limit` to show more"));
    }
    Ok(Exit::Success)
}

/// Returns the newest runs, and the number of older folders.
fn lines(arguments: &RunsArguments) -> Result<(Vec<RunLine>, usize), ProjectError> {
    let project = Project::here();
    let folders = project.run_folders()?;
    let mut runs = folders.all()?.into_iter();
    let mut lines = Vec::new();
    let mut shown = 0;
    while shown < arguments.limit {
        let Some(folder) = runs.next() else {
            break;
        };
        let run = opened(&project, folder).filter(|run| run.has_tags(&arguments.tags));
        let found = run.and_then(|run| read(&run, run.lines()));
        shown += usize::from(found.is_some());
        lines.extend(found.into_iter().flatten());
    }
    if lines.is_empty() {
        return Err(no_tagged_run(&folders, &arguments.tags));
    }
    let has_tags = |run: &PastRun| run.has_tags(&arguments.tags);
    let more = match arguments.tags.as_slice() {
        [] => runs.count(),
        _ => runs.filter(|folder| is_run(folder, &has_tags)).count(),
    };
    Ok((lines, more))
}

/// Opens the run in a folder, or warns that it cannot be read.
pub(super) fn opened(project: &Project, folder: RunFolder) -> Option<PastRun> {
    let shown = project.shown(folder.path());
    match PastRun::open(folder) {
        Ok(Some(run)) => Some(run),
        Ok(None) => {
            let shown = shown.display();
            output::warning(&format!("`{shown}` is not a run: it has no `run.json`"));
            None
        }
        Err(error) => {
            output::warning(&error.to_string());
            None
        }
    }
}

/// Returns the figures of a run, or warns that they cannot be read.
pub(super) fn read(
    run: &PastRun,
    lines: Result<Vec<RunLine>, agentv_journal::FileError>,
) -> Option<Vec<RunLine>> {
    lines
        .map_err(|error| output::warning(&format!("run `{}`: {error}", run.folder().id())))
        .ok()
}

/// Checks a run, if the folder can be read.
fn is_run(folder: &RunFolder, check: &dyn Fn(&PastRun) -> bool) -> bool {
    let run = PastRun::open(folder.clone()).ok().flatten();
    run.is_some_and(|run| check(&run))
}

/// Returns the error that no run has some tags.
pub(super) fn no_tagged_run(folders: &RunFolders, tags: &[String]) -> ProjectError {
    if tags.is_empty() {
        return no_run(folders);
    }
    let tags: Vec<String> = tags.iter().map(|tag| format!("`{tag}`")).collect();
    let word = if tags.len() == 1 { "tag" } else { "tags" };
    let tags = tags.join(" and ");
    let hint = "`agentv run … --tag NAME` sets the tags of a run".to_owned();
    ProjectError::with_hint(format!("no run has the {word} {tags}"), Some(hint))
}

pub(super) fn no_run(folders: &RunFolders) -> ProjectError {
    let shown = folders.shown();
    let message = format!("no runs found in `{}`", shown.display());
    ProjectError::with_hint(message, Some("`agentv run PATH` creates one".to_owned()))
}

/// Renders one JSON object per line.
pub(super) fn json_lines(lines: &[RunLine]) -> io::Result<String> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&visible(&serde_json::to_string(line)?));
        text.push('\n');
    }
    Ok(text)
}
