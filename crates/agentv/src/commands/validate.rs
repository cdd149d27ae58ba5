//! `agentv validate`: everything that is wrong with everything.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use agentv_dataset::{
    CONTINUES, Dataset, FileRole, FoundFile, LoadOptions, Rules, check_config, check_sidecar,
    discover, sidecar_path,
};
use agentv_syntax::{Code, Diagnostic, Problem, Severity};

use super::load_options;
use crate::arguments::{Format, RulesName, ValidateArguments};
use crate::diagnostics::Teller;
use crate::exit::{Exit, OutputError};
use crate::output::{self, counted};

/// Files below this are checked side by side, larger ones on all cores one after the other.
const SMALL_FILE: u64 = 256 << 10;
/// Small files that are held in memory at a time, with what is wrong with them.
const BATCH: usize = 256;
/// Lines of one file that are not JSON before we take it that the file is something else.
const MOST_BROKEN_LINES: u64 = 20;

pub(crate) fn run(arguments: &ValidateArguments) -> Result<Exit, OutputError> {
    let rules = match arguments.rules {
        Some(RulesName::Agentmark) => Rules::AgentMark,
        None => Rules::Agentv,
    };
    let options = load_options(&arguments.load, rules);
    let files = match discover(&arguments.paths) {
        Ok(files) => without_own_sidecars(files),
        Err(error) => {
            output::error(&error.to_string(), error.hint.as_deref());
            return Ok(Exit::Unusable);
        }
    };
    let mut totals = Totals::default();
    let mut teller = Teller::new(arguments.format);
    let mut batch = Vec::new();
    for file in &files {
        let size = std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
        if size < SMALL_FILE {
            batch.push(file);
        } else {
            check_batch(&mut batch, &options, &mut teller, &mut totals)?;
            check_large(file, &options, &mut teller, &mut totals)?;
        }
        if batch.len() >= BATCH {
            check_batch(&mut batch, &options, &mut teller, &mut totals)?;
        }
    }
    check_batch(&mut batch, &options, &mut teller, &mut totals)?;
    totals.files = files.len() as u64;
    teller.finish(&totals.sentence(), arguments.format == Format::Text)?;
    Ok(if totals.errors > 0 {
        Exit::Problems
    } else {
        Exit::Success
    })
}

/// Leaves out sidecars whose JSONL file is checked as well: it brings them along.
fn without_own_sidecars(files: Vec<FoundFile>) -> Vec<FoundFile> {
    let brought: Vec<PathBuf> = files
        .iter()
        .filter_map(|file| sidecar_path(&file.path))
        .collect();
    files
        .into_iter()
        .filter(|file| file.role != FileRole::Sidecar || !brought.contains(&file.path))
        .collect()
}

/// What was checked, and what was found.
#[derive(Debug, Default)]
struct Totals {
    files: u64,
    cases: u64,
    errors: u64,
    warnings: u64,
}

impl Totals {
    fn count(&mut self, diagnostic: &Diagnostic) {
        match diagnostic.severity() {
            Severity::Warning => self.warnings += 1,
            Severity::Error | Severity::Fatal => self.errors += 1,
        }
    }

    fn sentence(&self) -> String {
        let checked = format!(
            "checked {}, {}",
            counted(self.files, "file"),
            counted(self.cases, "case")
        );
        match (self.errors, self.warnings) {
            (0, 0) => format!("{checked}: no problems"),
            (errors, warnings) => format!(
                "{checked}: {}, {}",
                counted(errors, "error"),
                counted(warnings, "warning")
            ),
        }
    }
}

/// Checks small files side by side and tells what is wrong in their order.
fn check_batch(
    batch: &mut Vec<&FoundFile>,
    options: &LoadOptions,
    teller: &mut Teller,
    totals: &mut Totals,
) -> io::Result<()> {
    let results: Vec<Mutex<(u64, Vec<Diagnostic>)>> =
        batch.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((file, result)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            batch.get(index).zip(results.get(index))
        } {
            *result.lock().unwrap_or_else(PoisonError::into_inner) = check_small(file, options);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..workers.min(batch.len()) {
            scope.spawn(work);
        }
        work();
    });
    for result in results {
        let (cases, diagnostics) = result.into_inner().unwrap_or_else(PoisonError::into_inner);
        totals.cases += cases;
        for diagnostic in diagnostics {
            totals.count(&diagnostic);
            teller.tell(&diagnostic)?;
        }
    }
    batch.clear();
    Ok(())
}

/// The number of cases, and everything that is wrong, by line.
fn check_small(file: &FoundFile, options: &LoadOptions) -> (u64, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let cases = check_file(file, options, &mut |diagnostic| {
        diagnostics.push(diagnostic);
        ControlFlow::Continue(())
    });
    // Ids that repeat are found last; the sidecar's problems stay in front.
    let name = file.path.to_string_lossy();
    diagnostics.sort_by_key(|diagnostic| {
        let is_own = *diagnostic.file == *name;
        (is_own, diagnostic.line, diagnostic.column)
    });
    (cases, diagnostics)
}

/// Checks one file with all cores, telling as it goes.
fn check_large(
    file: &FoundFile,
    options: &LoadOptions,
    teller: &mut Teller,
    totals: &mut Totals,
) -> io::Result<()> {
    let mut failed = None;
    let mut counts = Totals::default();
    let cases = check_file(file, options, &mut |diagnostic| {
        counts.count(&diagnostic);
        match teller.tell(&diagnostic) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    totals.cases += cases;
    totals.errors += counts.errors;
    totals.warnings += counts.warnings;
    failed.map_or(Ok(()), Err)
}

/// Checks a file for what it is. Gives the number of cases in it.
fn check_file(
    file: &FoundFile,
    options: &LoadOptions,
    report: &mut (dyn FnMut(Diagnostic) -> ControlFlow<()> + Send),
) -> u64 {
    let diagnostics = match file.role {
        FileRole::EvalFile => return check_dataset(file, options, report),
        FileRole::Sidecar => check_sidecar(&file.path, options),
        FileRole::Config => check_config(&file.path, options),
        FileRole::Targets => check_targets(file),
    };
    for diagnostic in diagnostics {
        if report(diagnostic).is_break() {
            break;
        }
    }
    0
}

fn check_targets(file: &FoundFile) -> Vec<Diagnostic> {
    let name: Arc<str> = file.path.to_string_lossy().into();
    match std::fs::read_to_string(&file.path) {
        Ok(source) => agentv_providers::targets_file::check(&source, &name),
        Err(error) => {
            let message = format!("cannot be read: {error}");
            let problem = Problem::fatal(Code::Unreadable, 0..0, message);
            vec![Diagnostic::of_file(&name, problem)]
        }
    }
}

fn check_dataset(
    file: &FoundFile,
    options: &LoadOptions,
    report: &mut (dyn FnMut(Diagnostic) -> ControlFlow<()> + Send),
) -> u64 {
    let dataset = match Dataset::open(&file.path, options) {
        Ok(dataset) => dataset,
        Err(error) => {
            let _ = report(*error.diagnostic);
            return 0;
        }
    };
    let mut broken = 0;
    let mut spread = SpreadObject::default();
    let checked = dataset.check(&mut |diagnostic| {
        if spread.goes_on_with(&diagnostic) {
            return ControlFlow::Continue(());
        }
        broken += u64::from(diagnostic.severity() == Severity::Fatal);
        if broken > MOST_BROKEN_LINES {
            let hint = "is this file JSON Lines, one object a line?";
            let message =
                format!("more than {MOST_BROKEN_LINES} lines are broken, the rest was not checked");
            let problem = Problem::fatal(Code::InvalidJson, 0..0, message).hint(hint);
            let _ = report(Diagnostic {
                line: diagnostic.line,
                ..Diagnostic::of_file(&diagnostic.file, problem)
            });
            return ControlFlow::Break(());
        }
        report(diagnostic)
    });
    checked.cases + checked.skipped
}

/// An object that was written over several lines: one mistake, not one for each line.
#[derive(Debug, Default)]
struct SpreadObject {
    last_line: Option<u64>,
}

impl SpreadObject {
    fn goes_on_with(&mut self, diagnostic: &Diagnostic) -> bool {
        if !matches!(diagnostic.code(), Code::InvalidJson | Code::NotAnObject) {
            return false;
        }
        let goes_on =
            self.last_line.is_some() && self.last_line.map(|line| line + 1) == diagnostic.line;
        let begins = diagnostic.problem.hint.as_deref() == Some(CONTINUES);
        self.last_line = diagnostic.line.filter(|_| goes_on || begins);
        goes_on
    }
}
