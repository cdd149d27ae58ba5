//! `agentv compare`: how runs differ on the cases that they share.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use agentv_core::GateOutcome;
use agentv_report::compare::{
    ComparedRun, ComparisonFormat, ComparisonSummary, Pairwise, Showing, compare, read_runs,
    write_comparison, write_pairwise,
};
use agentv_report::{RunResults, Style, replace_file};

use super::run::folder;
use super::run::refused::Refused;
use crate::arguments::CompareArguments;
use crate::exit::{Exit, OutputError};
use crate::output;

pub(crate) fn run(arguments: &CompareArguments) -> Result<Exit, OutputError> {
    let runs = match runs(arguments) {
        Ok(runs) => runs,
        Err(refused) => return Ok(refused.tell()),
    };
    tell_troubles(&runs);
    let told = match &runs[..] {
        [a, b] => of_two(arguments, a, b),
        several => of_several(arguments, several),
    };
    let told = match told {
        Ok(told) => told,
        Err(refused) => return Ok(refused.tell()),
    };
    if let Some(path) = &arguments.output {
        if let Err(error) = replace_file(path, &mut |out| (told.write)(out)) {
            return Ok(Refused::not_written(error.to_string()).tell());
        }
    } else {
        let mut stdout: Box<dyn Write> = match ComparisonFormat::from(arguments.format) {
            ComparisonFormat::Json => Box::new(output::stdout()),
            // Others leave out what a terminal would obey, and have colours of their own.
            ComparisonFormat::Table | ComparisonFormat::Markdown => {
                Box::new(BufWriter::new(io::stdout()))
            }
        };
        (told.write)(&mut stdout)?;
        stdout.flush()?;
    }
    Ok(match told.gate.met {
        true => Exit::Success,
        false => Exit::Problems,
    })
}

/// A comparison that is ready to be written.
struct Told<'r> {
    gate: GateOutcome,
    write: Writing<'r>,
}

type Writing<'r> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'r>;

fn of_two<'r>(
    arguments: &CompareArguments,
    a: &'r ComparedRun,
    b: &'r ComparedRun,
) -> Result<Told<'r>, Refused> {
    let comparison = compare(a, b, arguments.threshold).map_err(unusable)?;
    let showing = Showing::of(&comparison, arguments.show as usize).map_err(unusable)?;
    let summary = comparison.summary();
    tell_few_grades(summary);
    let gate = arguments.drop_gate().judge(summary, "that of A");
    let (format, told) = (ComparisonFormat::from(arguments.format), gate.clone());
    let style = style(arguments.output.as_deref());
    Ok(Told {
        gate,
        write: Box::new(move |out| {
            write_comparison(&comparison, &showing, &told, format, style, out)
        }),
    })
}

fn of_several<'r>(
    arguments: &CompareArguments,
    runs: &'r [ComparedRun],
) -> Result<Told<'r>, Refused> {
    let pairwise = Pairwise::of(runs, arguments.threshold);
    let Some(ends) = pairwise.ends() else {
        return Err(Refused::because("there is nothing to compare"));
    };
    let gate = match &ends.figures {
        Ok(figures) => {
            tell_few_grades(&figures.summary);
            arguments.drop_gate().judge(&figures.summary, "that of A")
        }
        Err(nothing) => return Err(Refused::because(nothing.to_string())),
    };
    let (format, told) = (ComparisonFormat::from(arguments.format), gate.clone());
    let style = style(arguments.output.as_deref());
    Ok(Told {
        gate,
        write: Box::new(move |out| write_pairwise(&pairwise, &told, format, style, out)),
    })
}

fn unusable(error: impl std::error::Error) -> Refused {
    Refused::because(error.to_string())
}

/// What standard output can show, or a file in its place.
fn style(file: Option<&Path>) -> Style {
    match file {
        Some(_) => output::style_of_files(),
        None => output::style_of(&io::stdout()),
    }
}

fn runs(arguments: &CompareArguments) -> Result<Vec<ComparedRun>, Refused> {
    let named = arguments.runs.iter().map(|name| match of_file(name) {
        Some(results) => Ok(results),
        None => of_run(&folder::results_here()?, name),
    });
    let found = named.collect::<Result<Vec<_>, _>>()?;
    read_runs(&found).map_err(unusable)
}

/// The results in a file, where `name` is one.
pub(crate) fn of_file(name: &str) -> Option<RunResults> {
    let path = Path::new(name);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_known = extension.is_some_and(|extension| {
        ["jsonl", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    (is_known && !path.is_dir()).then(|| RunResults::of_file(path))
}

/// The run that a user calls `name`.
pub(crate) fn of_run(results: &Path, name: &str) -> Result<RunResults, Refused> {
    if Path::new(name).is_file() {
        return Err(Refused::with_hint(
            format!("`{name}` is no file of results"),
            Some("name a run, or results in a file that ends in .jsonl or .json".to_owned()),
        ));
    }
    let (folder, _) = folder::find(results, name)?;
    RunResults::of_folder(&folder).map_err(folder::unusable)
}

/// Warns of what makes a comparison less than it seems.
fn tell_troubles(runs: &[ComparedRun]) {
    for run in runs {
        if run.is_unfinished() {
            output::warning(&format!(
                "run `{}` is not finished: it goes on, was stopped, or was killed",
                run.name()
            ));
        }
        tell_damaged(run);
    }
}

/// Warns of lines that hold no result.
pub(crate) fn tell_damaged(run: &ComparedRun) {
    if run.damaged_lines() > 0 {
        let lines = output::counted(run.damaged_lines(), "line");
        output::warning(&format!(
            "`{}` has {lines} that cannot be read: left out",
            run.name()
        ));
    }
}

/// Warns where a gate rests on few of the cases that both runs have.
pub(crate) fn tell_few_grades(summary: &ComparisonSummary) {
    if summary.is_mostly_without_grade() {
        let matched = output::counted(summary.matched_cases, "matched case");
        output::warning(&format!(
            "only {} of {matched} have a grade in both runs: the comparison says nothing of the others",
            summary.statistics.cases
        ));
    }
}
