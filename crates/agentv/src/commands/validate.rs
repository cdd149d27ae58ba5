//! `agentv validate`: reports every problem in eval files, sidecars, targets and settings.

use std::collections::HashSet;
use std::io;

use agentv_dataset::{Diagnostic, FoundFile, LoadOptions, Rules, Severity, discover, sidecar_path};
use agentv_project::{
    Project, ProjectError, counted, validate, with_targets_files, without_own_sidecars,
};

use crate::arguments::{Format, RulesName, ValidateArguments};
use crate::diagnostics::DiagnosticPrinter;
use crate::exit::{CommandError, Exit};

pub(crate) fn run(arguments: &ValidateArguments) -> Result<Exit, CommandError> {
    let options = LoadOptions {
        rules: match arguments.rules {
            Some(RulesName::Agentmark) => Rules::AgentMark,
            None => Rules::Agentv,
        },
        ..arguments.load.options(&Project::here())
    };
    let discovered = discover(&arguments.paths)
        .map_err(|error| ProjectError::with_hint(error.to_string(), error.hint))?;
    let skipped = discovered.skipped_results(|_| false);
    let files = without_own_sidecars(discovered.files);
    let files = match arguments.rules {
        Some(RulesName::Agentmark) => files,
        None => with_targets_files(files, &Project::here()),
    };
    let mut problems = ProblemPrinter::new(arguments.format);
    for problem in discovered.problems.into_iter().chain(skipped) {
        problems.print(&problem, None)?;
    }
    let cases = validate(&files, &options, &mut |problem, file| {
        problems.print(problem, Some(file))
    })?;
    Ok(problems.finish(files.len() as u64, cases)?)
}

/// A printer of problems that keeps the totals.
struct ProblemPrinter {
    printer: DiagnosticPrinter,
    format: Format,
    errors: u64,
    warnings: u64,
    /// The problems that were printed: those of settings and sidecars come up with every eval file.
    printed: HashSet<String>,
}

impl ProblemPrinter {
    fn new(format: Format) -> ProblemPrinter {
        ProblemPrinter {
            printer: DiagnosticPrinter::new(format),
            format,
            errors: 0,
            warnings: 0,
            printed: HashSet::new(),
        }
    }

    /// Prints a problem that was found while `checked` was checked.
    fn print(&mut self, diagnostic: &Diagnostic, checked: Option<&FoundFile>) -> io::Result<()> {
        // A line comes up only once, and there may be any number of them.
        let is_of_lines = checked.is_some_and(|file| {
            let is_own = *file.path.to_string_lossy() == *diagnostic.file;
            is_own && sidecar_path(&file.path).is_some()
        });
        if !is_of_lines && !self.printed.insert(diagnostic.to_json().to_string()) {
            return Ok(());
        }
        match diagnostic.severity() {
            Severity::Warning => self.warnings += 1,
            Severity::Error | Severity::Fatal => self.errors += 1,
        }
        self.printer.print(diagnostic)
    }

    /// Prints the totals.
    fn finish(mut self, files: u64, cases: u64) -> io::Result<Exit> {
        let checked = format!(
            "checked {}, {}",
            counted(files, "file"),
            counted(cases, "case")
        );
        let sentence = match (self.errors, self.warnings) {
            (0, 0) => format!("{checked}: no problems"),
            (errors, warnings) => format!(
                "{checked}: {}, {}",
                counted(errors, "error"),
                counted(warnings, "warning")
            ),
        };
        self.printer
            .finish(&sentence, self.format == Format::Text)?;
        Ok(if self.errors > 0 {
            Exit::Problems
        } else {
            Exit::Success
        })
    }
}
