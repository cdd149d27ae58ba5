//! `agentv validate`: everything that is wrong with everything.

mod broken_lines;
mod check;
mod telling;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use agentv_dataset::{Diagnostic, FileRole, FoundFile, LoadOptions, Rules, discover, sidecar_path};
use agentv_project::Project;

use crate::arguments::{RulesName, ValidateArguments};
use crate::exit::{CommandError, Exit};
use crate::output;
use check::check_file;
use telling::Telling;

/// Files below this are checked side by side, larger ones on all cores one after the other.
const SMALL_FILE: u64 = 256 << 10;
/// Small files that are held in memory at a time, with what is wrong with them.
const BATCH: usize = 256;

pub(crate) fn run(arguments: &ValidateArguments) -> Result<Exit, CommandError> {
    let rules = match arguments.rules {
        Some(RulesName::Agentmark) => Rules::AgentMark,
        None => Rules::Agentv,
    };
    let options = LoadOptions {
        rules,
        ..arguments.load.options(&Project::here())
    };
    let discovered = match discover(&arguments.paths) {
        Ok(discovered) => discovered,
        Err(error) => {
            output::error(&error.to_string(), error.hint.as_deref());
            return Ok(Exit::Unusable);
        }
    };
    let files = without_own_sidecars(discovered.files);
    let mut telling = Telling::new(arguments.format);
    for problem in discovered.problems {
        telling.tell(&problem, None)?;
    }
    let mut batch = Vec::new();
    for file in &files {
        let size = std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
        if size < SMALL_FILE {
            batch.push(file);
        } else {
            check_batch(&mut batch, &options, &mut telling)?;
            check_large(file, &options, &mut telling)?;
        }
        if batch.len() >= BATCH {
            check_batch(&mut batch, &options, &mut telling)?;
        }
    }
    check_batch(&mut batch, &options, &mut telling)?;
    Ok(telling.finish(files.len() as u64)?)
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

/// Checks small files side by side and tells what is wrong in their order.
fn check_batch(
    batch: &mut Vec<&FoundFile>,
    options: &LoadOptions,
    telling: &mut Telling,
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
    for (file, result) in batch.drain(..).zip(results) {
        let (cases, diagnostics) = result.into_inner().unwrap_or_else(PoisonError::into_inner);
        telling.cases += cases;
        for diagnostic in diagnostics {
            telling.tell(&diagnostic, Some(file))?;
        }
    }
    Ok(())
}

/// The number of cases, and everything that is wrong, by line.
fn check_small(file: &FoundFile, options: &LoadOptions) -> (u64, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let cases = check_file(file, options, &mut |diagnostic| {
        diagnostics.push(diagnostic);
        std::ops::ControlFlow::Continue(())
    });
    // Ids that repeat are found last; the sidecar's problems stay in front.
    let name = file.path.to_string_lossy();
    diagnostics.sort_by_key(|diagnostic| {
        let own = *diagnostic.file == *name;
        (own, diagnostic.line, diagnostic.column)
    });
    (cases, diagnostics)
}

/// Checks one file with all cores, telling as it goes.
fn check_large(file: &FoundFile, options: &LoadOptions, telling: &mut Telling) -> io::Result<()> {
    let mut failed = None;
    let cases = check_file(file, options, &mut |diagnostic| match telling
        .tell(&diagnostic, Some(file))
    {
        Ok(()) => std::ops::ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            std::ops::ControlFlow::Break(())
        }
    });
    telling.cases += cases;
    failed.map_or(Ok(()), Err)
}
