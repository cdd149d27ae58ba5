//! `agentv report`: writes a report of a run, for people or for another tool.

use std::io::{self, Write};

use agentv_project::{Project, ProjectError, counted};
use agentv_report::{Closing, FORMATS, ReportFailure, ReportFormat, RunResults, render_summary};

use crate::arguments::ReportArguments;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &ReportArguments) -> Result<Exit, CommandError> {
    if arguments.format.is_none() && arguments.output.is_none() {
        return print_summaries(&runs(arguments)?);
    }
    let format = format_of(arguments)?;
    if arguments.runs.len() > format.most_runs {
        return Err(too_many(arguments, format).into());
    }
    let runs = runs(arguments)?;
    let Some(path) = &arguments.output else {
        return print(format, &runs);
    };
    format.write_file(&runs, path).map_err(refusal)?;
    warn_of_damage(&runs);
    Ok(Exit::Success)
}

/// Returns the requested format, or that of the file's extension.
fn format_of(arguments: &ReportArguments) -> Result<&'static ReportFormat, ProjectError> {
    let named = arguments.format;
    let by_name = || ReportFormat::of_file(arguments.output.as_deref()?);
    named.or_else(by_name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let message = "the extension of the file does not name a report format".to_owned();
        ProjectError::with_hint(
            message,
            Some(format!("choose one with `--format`: {}", known.join(", "))),
        )
    })
}

fn too_many(arguments: &ReportArguments, format: &ReportFormat) -> ProjectError {
    ProjectError::because(format!(
        "a report in the format `{}` shows at most {}, found {}",
        format.name,
        counted(format.most_runs as u64, "run"),
        arguments.runs.len(),
    ))
}

/// Prints the summary of each run, as it was printed when the run ended.
fn print_summaries(runs: &[RunResults]) -> Result<Exit, CommandError> {
    let folders = Project::here().run_folders()?.shown();
    let mut stdout = output::stdout();
    for (index, run) in runs.iter().enumerate() {
        if index > 0 {
            stdout.write_all(b"\n")?;
        }
        let (summary, statistics) = run.figures().map_err(ProjectError::from_error)?;
        let record = run.run().cloned();
        let folder = record.is_some().then(|| folders.join(run.name()));
        let record = record.unwrap_or_default();
        let closing = Closing {
            folder: folder.as_deref(),
            graded_from: record.graded_from.as_deref(),
            planned: record.planned,
            stopped: record.stopped,
            gates: &record.gates,
            statistics: Some(&statistics),
            ..Closing::default()
        };
        let text = render_summary(&summary, &closing, output::style_of(&io::stdout()));
        stdout.write_all(text.as_bytes())?;
    }
    stdout.flush()?;
    warn_of_damage(runs);
    Ok(Exit::Success)
}

fn runs(arguments: &ReportArguments) -> Result<Vec<RunResults>, ProjectError> {
    let folders = Project::here().run_folders()?;
    let names = arguments.runs.iter();
    if let Some(name) = names.clone().find(|name| is_array(name)) {
        return Err(ProjectError::with_hint(
            format!("`{name}` is not a file that `report` reads"),
            Some("name a run, or a result file that ends in .jsonl".to_owned()),
        ));
    }
    let found = names.map(|name| folders.results_named(name, &mut StderrNotices::new()));
    found.collect()
}

/// Checks if a name is that of a file with an array of results.
fn is_array(name: &str) -> bool {
    let path = std::path::Path::new(name);
    let is_json = |extension: &std::ffi::OsStr| extension.eq_ignore_ascii_case("json");
    path.is_file() && path.extension().is_some_and(is_json)
}

/// Writes the report to standard output.
fn print(format: &ReportFormat, runs: &[RunResults]) -> Result<Exit, CommandError> {
    let mut stdout = output::stdout();
    match format.write(runs, &mut stdout) {
        Ok(()) => stdout.flush()?,
        Err(ReportFailure::Write(error)) => return Err(error.source.into()),
        Err(failure) => return Err(refusal(failure).into()),
    }
    warn_of_damage(runs);
    Ok(Exit::Success)
}

/// Warns about lines that the report omits.
fn warn_of_damage(runs: &[RunResults]) {
    for run in runs.iter().filter(|run| run.damaged_lines() > 0) {
        let lines = counted(run.damaged_lines(), "damaged line");
        let skipped = format!(
            "skipped {lines} of run `{}`: see its results.jsonl",
            run.name()
        );
        output::warning(&skipped);
    }
}

fn refusal(failure: ReportFailure) -> ProjectError {
    match failure {
        ReportFailure::Read(error) => ProjectError::from_error(error),
        ReportFailure::Write(error) => ProjectError::not_written(error),
    }
}
