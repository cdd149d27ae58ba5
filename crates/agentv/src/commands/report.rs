//! `agentv report`: writes a report of a run, for people or for another tool.

use std::io::Write;

use agentv_project::{Project, ProjectError, counted};
use agentv_report::{FORMATS, ReportFailure, ReportFormat, RunResults};

use crate::arguments::ReportArguments;
use crate::exit::{CommandError, Exit};
use crate::output;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &ReportArguments) -> Result<Exit, CommandError> {
    let format = format_of(arguments)?;
    let runs = runs(arguments, format)?;
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

fn runs(
    arguments: &ReportArguments,
    format: &ReportFormat,
) -> Result<Vec<RunResults>, ProjectError> {
    if arguments.runs.len() > format.most_runs {
        return Err(ProjectError::because(format!(
            "a report in format `{}` shows at most {}, found {}",
            format.name,
            counted(format.most_runs as u64, "run"),
            arguments.runs.len(),
        )));
    }
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
