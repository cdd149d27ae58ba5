//! `agentv report`: a run in a format for people or for another tool.

use std::io::Write;

use agentv_report::{FORMATS, ReportFailure, ReportFormat, RunResults};

use super::run::folder;
use super::run::refused::Refused;
use crate::arguments::ReportArguments;
use crate::exit::{Exit, OutputError};

pub(crate) fn run(arguments: &ReportArguments) -> Result<Exit, OutputError> {
    let prepared = format_of(arguments).and_then(|format| Ok((format, runs(arguments, format)?)));
    let (format, runs) = match prepared {
        Ok(prepared) => prepared,
        Err(refused) => return Ok(refused.tell()),
    };
    let Some(path) = &arguments.output else {
        return print(format, &runs);
    };
    Ok(match format.write_file(&runs, path) {
        Ok(()) => {
            tell_damaged(&runs);
            Exit::Success
        }
        Err(failure) => refusal(failure).tell(),
    })
}

/// The format that was asked for, or that the name of the file says.
fn format_of(arguments: &ReportArguments) -> Result<&'static ReportFormat, Refused> {
    let named = arguments.format;
    let by_name = || ReportFormat::of_file(arguments.output.as_deref()?);
    named.or_else(by_name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let message = "the extension of the file says no format of a report".to_owned();
        Refused::with_hint(
            message,
            Some(format!("give one of --format {}", known.join(", "))),
        )
    })
}

fn runs(arguments: &ReportArguments, format: &ReportFormat) -> Result<Vec<RunResults>, Refused> {
    if arguments.runs.len() > format.most_runs {
        return Err(Refused::because(format!(
            "a report in the format `{}` shows {} at most, and {} are given",
            format.name,
            crate::output::counted(format.most_runs as u64, "run"),
            arguments.runs.len(),
        )));
    }
    let results = folder::results_here()?;
    let found = arguments.runs.iter().map(|name| {
        let (folder, _) = folder::find(&results, name)?;
        RunResults::of_folder(&folder).map_err(folder::unusable)
    });
    found.collect()
}

/// Writes the report to standard output.
fn print(format: &ReportFormat, runs: &[RunResults]) -> Result<Exit, OutputError> {
    let mut stdout = crate::output::stdout();
    match format.write(runs, &mut stdout) {
        Ok(()) => stdout.flush()?,
        Err(ReportFailure::Write(error)) => return Err(error.source.into()),
        Err(failure) => return Ok(refusal(failure).tell()),
    }
    tell_damaged(runs);
    Ok(Exit::Success)
}

/// Nothing is left out silently.
fn tell_damaged(runs: &[RunResults]) {
    for run in runs.iter().filter(|run| run.damaged_lines() > 0) {
        let lines = crate::output::counted(run.damaged_lines(), "damaged line");
        let skipped = format!(
            "run `{}`: {lines} skipped, see its results.jsonl",
            run.name()
        );
        crate::output::warning(&skipped);
    }
}

fn refusal(failure: ReportFailure) -> Refused {
    match failure {
        ReportFailure::Read(error) => Refused::because(error.to_string()),
        ReportFailure::Write(error) => Refused::not_written(error.to_string()),
    }
}
