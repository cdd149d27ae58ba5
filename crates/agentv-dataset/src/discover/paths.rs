//! Turns the paths of a command line into files.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Problem, nearest};

use super::error::DiscoverError;
use super::examine::examine;
use super::found_file::{FileRole, FoundFile};
use super::role::{role_of, role_of_named_file};
use super::walk::{glob, is_glob, walked};
use crate::format::ALL;
use crate::project::folder_of;
use crate::results_file::{has_results, is_empty};
use crate::unsaved::UnsavedTexts;

/// The files that were found.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The files, sorted within each given path, each file once.
    pub files: Vec<FoundFile>,
    /// Folders that cannot be read.
    pub problems: Vec<Diagnostic>,
    /// Results files and empty files in folders and patterns, which are skipped.
    pub results: Vec<PathBuf>,
}

/// Returns the files that `paths` name. A path is a file, a folder for every agentv file in it, or a glob.
/// Hidden folders other than `.agentv`, `node_modules` and results of earlier runs are skipped. So are
/// results files, unless a path names them.
///
/// # Errors
/// Fails if a path leads to no file.
pub fn discover(paths: &[PathBuf]) -> Result<Discovered, DiscoverError> {
    let mut seen = HashSet::new();
    let mut discovered = Discovered::default();
    for path in paths {
        for file in discovered.files_at(path)? {
            let identity = fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
            if seen.insert(identity) {
                discovered.files.push(file);
            }
        }
    }
    Ok(discovered)
}

impl Discovered {
    fn files_at(&mut self, path: &Path) -> Result<Vec<FoundFile>, DiscoverError> {
        let written = path.to_string_lossy();
        let refuse = |message: String, hint: Option<String>| DiscoverError {
            path: written.clone().into_owned(),
            message,
            examined: Vec::new(),
            hint,
        };
        let known_problems = self.problems.len();
        let (paths, message) = match fs::symlink_metadata(path) {
            Ok(_) if path.is_dir() => (
                walked(path, &mut self.problems),
                "no eval files in this folder",
            ),
            Ok(_) => {
                let role = role_of_named_file(path, &UnsavedTexts::default());
                let path = path.to_owned();
                return Ok(vec![FoundFile { path, role }]);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(refuse(error.to_string(), None));
            }
            Err(_) if is_glob(&written) => {
                let paths = glob(&written, &mut self.problems)
                    .map_err(|error| refuse(format!("not a valid glob: {}", error.kind()), None))?;
                (paths, "no eval file matches this pattern")
            }
            Err(_) => return Err(refuse("no such file or folder".into(), similar_name(path))),
        };
        let (results, files): (Vec<_>, Vec<_>) =
            ours(paths)
                .into_iter()
                .partition(|FoundFile { path, role }| {
                    *role == FileRole::EvalFile
                        && (is_empty(path) || has_results(path, &UnsavedTexts::default()))
                });
        if files.is_empty() && self.problems.len() == known_problems {
            let hint = format!("eval files end in {}", extensions().join(", "));
            return Err(DiscoverError {
                examined: examine(&[path.to_owned()]),
                ..refuse(message.to_owned(), Some(hint))
            });
        }
        let results = results.into_iter().map(|file| file.path);
        self.results.extend(results);
        Ok(files)
    }

    /// Returns the one warning about results files, except for those that the caller knows of.
    pub fn skipped_results(&self, is_known: impl Fn(&Path) -> bool) -> Option<Diagnostic> {
        let mut results: Vec<&PathBuf> = self.results.iter().collect();
        results.retain(|path| !is_known(path));
        results.dedup();
        mention(&results)
    }
}

fn mention(results: &[&PathBuf]) -> Option<Diagnostic> {
    const NAMED: usize = 10;
    let names = results.iter().take(NAMED);
    let names: Vec<_> = names.map(|path| format!("`{}`", path.display())).collect();
    let more = if results.len() > NAMED { ", …" } else { "" };
    let (one, many) = if results.iter().any(|path| is_empty(path)) {
        (
            "is empty",
            "that are empty or have results or recorded answers",
        )
    } else {
        (
            "has results of a run or recorded answers, not cases",
            "with results of runs or recorded answers, not cases",
        )
    };
    let message = match results.len() {
        0 => return None,
        1 => format!("skipped {}, which {one}", names[0]),
        count => format!("skipped {count} files {many}: {}{more}", names.join(", ")),
    };
    let problem = Problem::warning(Code::SkippedResults, 0..0, message);
    let file: Arc<str> = results.first()?.to_string_lossy().into();
    Some(Diagnostic::of_file(&file, problem))
}

fn extensions() -> Vec<&'static str> {
    ALL.iter()
        .flat_map(|format| format.extensions)
        .copied()
        .collect()
}

fn similar_name(path: &Path) -> Option<String> {
    let folder = folder_of(path);
    let name = path.file_name()?.to_str()?;
    let names: Vec<String> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let near = nearest(name, names.iter().map(String::as_str))?;
    Some(format!(
        "did you mean `{}`?",
        path.with_file_name(near).display()
    ))
}

/// Returns the agentv files among `paths`.
fn ours(paths: Vec<PathBuf>) -> Vec<FoundFile> {
    let mut files: Vec<FoundFile> = paths
        .into_iter()
        .filter_map(|path| {
            let role = role_of(&path, &UnsavedTexts::default())?;
            Some(FoundFile { path, role })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
