//! Walks over the files of folders and globs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Problem};
use globset::GlobBuilder;
use ignore::WalkBuilder;

/// Returns every file below `folder`. Hidden folders other than `.agentv`, `node_modules` and results of
/// earlier runs are skipped.
pub(super) fn walked(folder: &Path, problems: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(folder)
        // Datasets are often among the files that git ignores.
        .standard_filters(false)
        .follow_links(true)
        .filter_entry(|entry| {
            let name = entry.file_name();
            let in_settings = entry
                .path()
                .parent()
                .is_some_and(|parent| parent.ends_with(".agentv"));
            let hidden =
                name.to_string_lossy().starts_with('.') && name != ".agentv" && entry.depth() > 0;
            !(hidden || name == "node_modules" || (in_settings && name == "results"))
        })
        .build();
    let mut paths = Vec::new();
    for entry in walk {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                let path = entry.into_path();
                paths.push(match path.strip_prefix("./") {
                    Ok(path) => path.to_owned(),
                    Err(_) => path,
                });
            }
            Ok(_) => {}
            Err(error) => problems.push(not_walked(folder, &error)),
        }
    }
    paths
}

/// Reports a folder that cannot be read: it may hold eval files, so it is not "no problems".
fn not_walked(folder: &Path, error: &ignore::Error) -> Diagnostic {
    let place = match error {
        ignore::Error::WithPath { path, .. } => path.as_path(),
        ignore::Error::WithDepth { err, .. } => match err.as_ref() {
            ignore::Error::WithPath { path, .. } => path.as_path(),
            _ => folder,
        },
        _ => folder,
    };
    let reason = error
        .io_error()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let message = format!("cannot be read: {reason}");
    let problem = Problem::fatal(Code::Unreadable, 0..0, message);
    Diagnostic::of_file(&Arc::from(place.to_string_lossy()), problem)
}

/// Checks if a path on the command line is a pattern.
pub(super) fn is_glob(written: &str) -> bool {
    written.contains(['*', '?', '[', '{'])
}

/// Returns every file that a path names: itself, or those in the folder or of the pattern.
pub(super) fn files_below(path: &Path) -> Vec<PathBuf> {
    let mut problems = Vec::new();
    if path.is_dir() {
        walked(path, &mut problems)
    } else if path.exists() {
        vec![path.to_owned()]
    } else {
        glob(&path.to_string_lossy(), &mut problems).unwrap_or_default()
    }
}

/// Returns the files that a pattern matches.
pub(super) fn glob(
    pattern: &str,
    problems: &mut Vec<Diagnostic>,
) -> Result<Vec<PathBuf>, globset::Error> {
    let written = pattern.strip_prefix("./").unwrap_or(pattern);
    let matcher = GlobBuilder::new(written)
        .literal_separator(true)
        .build()?
        .compile_matcher();
    // The folders before the first wildcard need no searching.
    let fixed: PathBuf = Path::new(written)
        .components()
        .take_while(|part| {
            let part = part.as_os_str().to_string_lossy();
            !is_glob(&part)
        })
        .collect();
    let start = if fixed.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        fixed
    };
    let mut paths = walked(&start, problems);
    paths.retain(|path| matcher.is_match(path));
    Ok(paths)
}

/// Returns the files that a pattern in a suite matches, relative to the folder of the suite, in order.
pub(crate) fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let whole = format!("{}/{pattern}", globset::escape(&folder.to_string_lossy()));
    let Ok(glob) = GlobBuilder::new(&whole).literal_separator(true).build() else {
        return Vec::new();
    };
    let matcher = glob.compile_matcher();
    let mut files = walked(folder, &mut Vec::new());
    files.retain(|path| matcher.is_match(path));
    files.sort();
    files
}
