//! `agentv compare`: how runs differ on the cases that they share.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use agentv_core::GateOutcome;
use agentv_report::compare::{
    ComparedRun, ComparisonFormat, Pairwise, Showing, compare, read_runs, write_comparison,
    write_pairwise,
};
use agentv_report::{RunResults, Style, write_whole_file};

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
        if let Err(error) = write_whole_file(path, &mut |out| (told.write)(told.style, out)) {
            return Ok(Refused::not_written(error.to_string()).tell());
        }
    } else {
        let mut stdout = BufWriter::new(io::stdout().lock());
        (told.write)(told.style, &mut stdout)?;
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
    style: Style,
    write: Box<dyn Fn(Style, &mut dyn Write) -> io::Result<()> + 'r>,
}

fn of_two<'r>(
    arguments: &CompareArguments,
    a: &'r ComparedRun,
    b: &'r ComparedRun,
) -> Result<Told<'r>, Refused> {
    let comparison = compare(a, b, arguments.threshold).map_err(unusable)?;
    let showing = Showing::of(&comparison, arguments.show as usize).map_err(unusable)?;
    let summary = comparison.summary();
    let gate = arguments.drop_gate();
    let gate = gate.judge(summary, summary.significant, "that of A");
    let (format, told) = (ComparisonFormat::from(arguments.format), gate.clone());
    Ok(Told {
        gate,
        style: style(arguments.output.as_deref()),
        write: Box::new(move |style, out| {
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
    let gate = match &ends.comparison {
        Ok(comparison) => {
            arguments
                .drop_gate()
                .judge(comparison.summary(), ends.is_significant(), "that of A")
        }
        Err(nothing) => return Err(Refused::because(nothing.to_string())),
    };
    let (format, told) = (ComparisonFormat::from(arguments.format), gate.clone());
    Ok(Told {
        gate,
        style: style(arguments.output.as_deref()),
        write: Box::new(move |style, out| write_pairwise(&pairwise, &told, format, style, out)),
    })
}

fn unusable(error: impl std::error::Error) -> Refused {
    Refused::because(error.to_string())
}

/// What standard output can show, or a file in its place.
fn style(file: Option<&Path>) -> Style {
    let style = output::style_of(&io::stdout());
    match file {
        Some(_) => output::style_of_files(),
        None => style,
    }
}

fn runs(arguments: &CompareArguments) -> Result<Vec<ComparedRun>, Refused> {
    let found = arguments.runs.iter().map(|name| named(name));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    read_runs(&found).map_err(unusable)
}

/// The run that a user calls `name`, or the results in a file.
pub(crate) fn named(name: &str) -> Result<RunResults, Refused> {
    let path = Path::new(name);
    if path.is_file() {
        return of_file(path);
    }
    let (folder, _) = folder::find(&folder::results_here()?, name)?;
    RunResults::of_folder(&folder).map_err(folder::unusable)
}

fn of_file(path: &Path) -> Result<RunResults, Refused> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = extension.is_some_and(|extension| {
        ["jsonl", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    match known {
        true => Ok(RunResults::of_file(path)),
        false => Err(Refused::with_hint(
            format!("`{}` is no file of results", path.display()),
            Some("name a run, or results in a file that ends in .jsonl or .json".to_owned()),
        )),
    }
}

/// Warns of what makes a comparison less than it seems.
fn tell_troubles(runs: &[ComparedRun]) {
    for run in runs {
        if run.is_unfinished() {
            output::warning(&format!(
                "run `{}` is not finished: it goes on, or was killed",
                run.name()
            ));
        }
        if run.damaged_lines() > 0 {
            let lines = output::counted(run.damaged_lines(), "line");
            output::warning(&format!(
                "{lines} of `{}` cannot be read and are left out",
                run.name()
            ));
        }
    }
}
