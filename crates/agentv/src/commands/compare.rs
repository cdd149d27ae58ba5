//! `agentv compare`: compares runs on the cases that they share.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use agentv_core::GateOutcome;
use agentv_project::{
    Project, ProjectError, counted, warn_of_damage, warn_of_few_grades, warn_of_outdated,
    warn_of_skipped_evaluators, warn_of_unfinished,
};
use agentv_report::compare::{
    ComparedRun, ComparisonFormat, ComparisonSummary, Pairwise, ShownCases, compare, read_runs,
    write_comparison, write_pairwise,
};
use agentv_report::{Style, replace_file};

use crate::arguments::CompareArguments;
use crate::exit::{CommandError, Exit};
use crate::if_read::IfRead;
use crate::output;
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &CompareArguments) -> Result<Exit, CommandError> {
    let runs = runs(arguments)?;
    warn_of_troubles(&runs);
    let comparison = match &runs[..] {
        [a, b] => of_two(arguments, a, b),
        several => of_several(arguments, several),
    }?;
    if let Some(path) = &arguments.output {
        let written = replace_file(path, &mut |out| (comparison.write)(out));
        written.map_err(ProjectError::not_written)?;
    } else {
        let mut stdout: Box<dyn Write> = match ComparisonFormat::from(arguments.format) {
            ComparisonFormat::Json => Box::new(output::verdict()),
            // These formats escape texts themselves, and have colours.
            ComparisonFormat::Table | ComparisonFormat::Markdown => {
                Box::new(BufWriter::new(IfRead(io::stdout())))
            }
        };
        (comparison.write)(&mut stdout)?;
        stdout.flush()?;
    }
    Ok(if comparison.gates.iter().all(|gate| gate.met) {
        Exit::Success
    } else {
        Exit::Problems
    })
}

/// A comparison that is ready to be written.
struct ReadyComparison<'r> {
    gates: Vec<GateOutcome>,
    write: Writing<'r>,
}

type Writing<'r> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'r>;

fn of_two<'r>(
    arguments: &CompareArguments,
    a: &'r ComparedRun,
    b: &'r ComparedRun,
) -> Result<ReadyComparison<'r>, ProjectError> {
    let comparison = compare(a, b, arguments.threshold).map_err(ProjectError::from_error)?;
    let shown =
        ShownCases::of(&comparison, arguments.show as usize).map_err(ProjectError::from_error)?;
    warn_of_few_grades(comparison.summary(), &mut StderrNotices::new());
    warn_of_missing(arguments, comparison.summary());
    let gates = arguments.drop_gate().judge(comparison.figures(), "A");
    let (format, shown_gates) = (ComparisonFormat::from(arguments.format), gates.clone());
    let style = style(arguments.output.as_deref());
    Ok(ReadyComparison {
        gates,
        write: Box::new(move |out| {
            write_comparison(&comparison, &shown, &shown_gates, format, style, out)
        }),
    })
}

fn of_several<'r>(
    arguments: &CompareArguments,
    runs: &'r [ComparedRun],
) -> Result<ReadyComparison<'r>, ProjectError> {
    let pairwise = Pairwise::of(runs, arguments.threshold);
    let Some(ends) = pairwise.ends() else {
        return Err(ProjectError::because("nothing to compare"));
    };
    let gates = match &ends.figures {
        Ok(figures) => {
            warn_of_few_grades(&figures.summary, &mut StderrNotices::new());
            warn_of_missing(arguments, &figures.summary);
            arguments.drop_gate().judge(figures, "A")
        }
        Err(nothing) => return Err(ProjectError::from_error(nothing.clone())),
    };
    let (format, shown_gates) = (ComparisonFormat::from(arguments.format), gates.clone());
    let style = style(arguments.output.as_deref());
    Ok(ReadyComparison {
        gates,
        write: Box::new(move |out| write_pairwise(&pairwise, &shown_gates, format, style, out)),
    })
}

/// Returns the style of the output: a file, or standard output.
fn style(file: Option<&Path>) -> Style {
    match file {
        Some(_) => output::style_of_files(),
        None => output::style_of(&io::stdout()),
    }
}

fn runs(arguments: &CompareArguments) -> Result<Vec<ComparedRun>, ProjectError> {
    let folders = Project::here().run_folders()?;
    let names = arguments.runs.iter();
    let named = names.map(|name| folders.results_named(name, &mut StderrNotices::new()));
    let found = named.collect::<Result<Vec<_>, _>>()?;
    read_runs(&found).map_err(ProjectError::from_error)
}

/// Warns about cases that only the baseline graded, unless a gate mentions them.
fn warn_of_missing(arguments: &CompareArguments, summary: &ComparisonSummary) {
    if arguments.max_missing.is_none() && summary.missing > 0 {
        let missing = counted(summary.missing, "case");
        output::warning(&format!(
            "the last run lacks a grade for {missing} that the first run graded; to fail on this, use \
             `--max-missing N`"
        ));
    }
}

/// Warns about unfinished runs, damaged lines, and dry runs among other runs.
fn warn_of_troubles(runs: &[ComparedRun]) {
    let are_dry = runs.iter().all(ComparedRun::is_dry_run);
    for run in runs {
        if run.is_dry_run() && !are_dry {
            output::warning(&format!(
                "run `{}` is a dry run: mocks answered in place of the targets",
                run.name()
            ));
        }
        warn_of_unfinished(run, &mut StderrNotices::new());
        warn_of_damage(run, &mut StderrNotices::new());
        warn_of_outdated(run, &mut StderrNotices::new());
    }
    warn_of_skipped_evaluators(runs, &mut StderrNotices::new());
}
