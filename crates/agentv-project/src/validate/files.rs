//! A check of files, small ones side by side.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use agentv_dataset::{
    Diagnostic, FileRole, FoundFile, LoadOptions, Project as ProjectFolder, sidecar_path,
};

use super::check_file::check_file;
use crate::project::Project;

/// The size from which a file is checked by itself, on all cores.
const LARGE_FILE: u64 = 256 << 10;
/// The most small files that are in memory at a time, with their problems.
const BATCH: usize = 256;

/// A receiver of problems, with the file that was checked. Its error ends the check.
type Report<'r, E> = dyn FnMut(&Diagnostic, &FoundFile) -> Result<(), E> + Send + 'r;

/// Checks files of a project, each for what it is, and reports every problem in the order of the files.
/// Sidecars are checked with their JSONL files. Returns the number of cases.
///
/// # Errors
/// The first error of `report`, which ends the check.
pub fn validate<E: Send>(
    files: &[FoundFile],
    options: &LoadOptions,
    report: &mut Report<'_, E>,
) -> Result<u64, E> {
    let mut cases = 0;
    let mut batch = Vec::new();
    for file in files {
        let size = std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
        if size < LARGE_FILE {
            batch.push(file);
        } else {
            cases += check_batch(&mut batch, options, report)?;
            cases += check_large(file, options, report)?;
        }
        if batch.len() >= BATCH {
            cases += check_batch(&mut batch, options, report)?;
        }
    }
    Ok(cases + check_batch(&mut batch, options, report)?)
}

/// Removes the sidecars of JSONL files that are checked as well.
pub fn without_own_sidecars(files: Vec<FoundFile>) -> Vec<FoundFile> {
    let sidecars: Vec<PathBuf> = files
        .iter()
        .filter_map(|file| sidecar_path(&file.path))
        .collect();
    files
        .into_iter()
        .filter(|file| file.role != FileRole::Sidecar || !sidecars.contains(&file.path))
        .collect()
}

/// Adds the targets files that runs of the eval files would use.
pub fn with_targets_files(mut files: Vec<FoundFile>, project: &Project) -> Vec<FoundFile> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let mut known: HashSet<PathBuf> = files.iter().filter_map(|file| real(&file.path)).collect();
    let mut folders = HashSet::new();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.role == FileRole::EvalFile) {
        let path = project.working_dir().join(&file.path);
        let Some(folder) = path
            .parent()
            .filter(|folder| folders.insert(folder.to_path_buf()))
        else {
            continue;
        };
        let surroundings = project.surroundings_of(&ProjectFolder::around(folder));
        let targets = surroundings.targets_file();
        if let Some(path) = targets.filter(|path| real(path).is_some_and(|real| known.insert(real)))
        {
            found.push(FoundFile {
                path: project.shown(&path),
                role: FileRole::Targets,
            });
        }
    }
    files.extend(found);
    files
}

/// Checks small files side by side, and reports their problems in the order of the files.
fn check_batch<E>(
    batch: &mut Vec<&FoundFile>,
    options: &LoadOptions,
    report: &mut Report<'_, E>,
) -> Result<u64, E> {
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
    let mut all_cases = 0;
    for (file, result) in batch.drain(..).zip(results) {
        let (cases, diagnostics) = result.into_inner().unwrap_or_else(PoisonError::into_inner);
        all_cases += cases;
        for diagnostic in diagnostics {
            report(&diagnostic, file)?;
        }
    }
    Ok(all_cases)
}

/// Returns the number of cases, and every problem, by line.
fn check_small(file: &FoundFile, options: &LoadOptions) -> (u64, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let cases = check_file(file, options, &mut |diagnostic| {
        diagnostics.push(diagnostic);
        ControlFlow::Continue(())
    });
    // Repeated ids are found last. The problems of the sidecar stay in front.
    let name = file.path.to_string_lossy();
    diagnostics.sort_by_key(|diagnostic| {
        let own = *diagnostic.file == *name;
        (own, diagnostic.line, diagnostic.column)
    });
    (cases, diagnostics)
}

/// Checks one file on all cores, and reports each problem as it is found.
fn check_large<E: Send>(
    file: &FoundFile,
    options: &LoadOptions,
    report: &mut Report<'_, E>,
) -> Result<u64, E> {
    let mut failed = None;
    let cases = check_file(
        file,
        options,
        &mut |diagnostic| match report(&diagnostic, file) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        },
    );
    failed.map_or(Ok(cases), Err)
}
