//! `agentv runs`: the runs of the project.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use agentv_core::visible;
use agentv_journal::{RunFolder, list_runs};
use agentv_report::{PastRun, RunLine, render_runs};

use super::run::folder;
use super::run::refused::Refused;
use super::run::reporting::summary_style;
use crate::arguments::{ListFormat, RunsArguments};
use crate::exit::{Exit, OutputError};
use crate::output;

pub(crate) fn run(arguments: &RunsArguments) -> Result<Exit, OutputError> {
    let (lines, more) = match lines(arguments) {
        Ok(lines) => lines,
        Err(refused) => return Ok(refused.tell()),
    };
    let mut stdout = BufWriter::new(io::stdout().lock());
    match arguments.format {
        ListFormat::Text => stdout.write_all(render_runs(&lines, summary_style()).as_bytes())?,
        ListFormat::Json => stdout.write_all(json_lines(&lines)?.as_bytes())?,
    }
    stdout.flush()?;
    if more > 0 {
        let more = output::counted(more as u64, "older run");
        output::note(&format!("{more} not shown: `--limit` shows more"));
    }
    Ok(Exit::Success)
}

/// The newest runs, and how many older folders there are.
fn lines(arguments: &RunsArguments) -> Result<(Vec<RunLine>, usize), Refused> {
    let results = folder::results_here()?;
    let mut runs = all_runs(&results)?.into_iter();
    let mut lines = Vec::new();
    while lines.len() < arguments.limit {
        let Some(folder) = runs.next() else {
            break;
        };
        lines.extend(opened(folder).and_then(|run| told(&run, run.line())));
    }
    if lines.is_empty() {
        return Err(no_run(&results));
    }
    Ok((lines, runs.count()))
}

/// The folders of all runs, newest first.
pub(super) fn all_runs(results: &Path) -> Result<Vec<RunFolder>, Refused> {
    let runs = list_runs(results).map_err(|error| Refused::because(error.to_string()))?;
    Ok(runs.into_iter().map(|run| run.folder).collect())
}

/// The run in a folder; of one that cannot be read, a warning.
pub(super) fn opened(folder: RunFolder) -> Option<PastRun> {
    let shown = output::from_here(folder.path());
    match PastRun::open(folder) {
        Ok(Some(run)) => Some(run),
        Ok(None) => {
            let shown = shown.display();
            output::warning(&format!("`{shown}` is no run: it has no run.json"));
            None
        }
        Err(error) => {
            output::warning(&error.to_string());
            None
        }
    }
}

/// What a run came to; where that cannot be read, a warning.
pub(super) fn told(
    run: &PastRun,
    line: Result<RunLine, agentv_journal::FileError>,
) -> Option<RunLine> {
    line.map_err(|error| output::warning(&format!("run `{}`: {error}", run.folder().id())))
        .ok()
}

pub(super) fn no_run(results: &Path) -> Refused {
    let shown = output::from_here(results);
    let message = format!("there is no run yet in `{}`", shown.display());
    Refused::with_hint(message, Some("`agentv run PATH` makes one".to_owned()))
}

/// One JSON object a line.
pub(super) fn json_lines(lines: &[RunLine]) -> io::Result<String> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&visible(&serde_json::to_string(line)?));
        text.push('\n');
    }
    Ok(text)
}
