//! Finds the files that paths, folders and globs on the command line name.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Problem, nearest};
use globset::GlobBuilder;
use ignore::WalkBuilder;
use thiserror::Error;

use crate::dataset::{is_eval_file_name, sidecar_path};
use crate::format::{ALL, Document};
use crate::project::folder_of;
use crate::sidecar::has_jsonl_beside;

/// A file that was found, and its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// The path, as the user would write it.
    pub path: PathBuf,
    /// The role of the file.
    pub role: FileRole,
}

/// The role of a file, by its name, its `$schema` and its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileRole {
    /// Cases: a suite or a JSONL file.
    EvalFile,
    /// Dataset-level fields of the JSONL file beside it.
    Sidecar,
    /// `targets.yaml`.
    Targets,
    /// `.agentv/config.yaml`.
    Config,
}

/// The reason why a path leads to no file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{path}`: {message}")]
pub struct DiscoverError {
    /// The path as given.
    pub path: String,
    /// The problem.
    pub message: String,
    /// Advice.
    pub hint: Option<String>,
}

/// The files that were found, and the folders that could not be read.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The files, sorted within each given path, each file once.
    pub files: Vec<FoundFile>,
    /// Folders that cannot be read.
    pub problems: Vec<Diagnostic>,
}

/// Returns the files that `paths` name. A path is a file, a folder for every agentv file in it, or a glob.
/// Hidden folders other than `.agentv`, `node_modules` and results of earlier runs are skipped.
///
/// # Errors
/// Fails if a path leads to no file.
pub fn discover(paths: &[PathBuf]) -> Result<Discovered, DiscoverError> {
    let mut seen = HashSet::new();
    let mut discovered = Discovered::default();
    for path in paths {
        for file in files_at(path, &mut discovered.problems)? {
            let identity = fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
            if seen.insert(identity) {
                discovered.files.push(file);
            }
        }
    }
    Ok(discovered)
}

fn files_at(path: &Path, problems: &mut Vec<Diagnostic>) -> Result<Vec<FoundFile>, DiscoverError> {
    let written = path.to_string_lossy();
    let refuse = |message: String, hint: Option<String>| DiscoverError {
        path: written.clone().into_owned(),
        message,
        hint,
    };
    let known_problems = problems.len();
    let (files, message) = match fs::symlink_metadata(path) {
        Ok(_) if path.is_dir() => (walk(path, problems), "no eval files in this folder"),
        Ok(_) => {
            let role = role_of(path).unwrap_or(FileRole::EvalFile);
            let path = path.to_owned();
            return Ok(vec![FoundFile { path, role }]);
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(refuse(error.to_string(), None));
        }
        Err(_) if written.contains(['*', '?', '[', '{']) => {
            let files = glob(&written, problems)
                .map_err(|error| refuse(format!("not a valid glob: {}", error.kind()), None))?;
            (files, "no eval file matches this pattern")
        }
        Err(_) => return Err(refuse("no such file or folder".into(), similar_name(path))),
    };
    if files.is_empty() && problems.len() == known_problems {
        let hint = format!("eval files end in {}", extensions().join(", "));
        return Err(refuse(message.to_owned(), Some(hint)));
    }
    Ok(files)
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

/// Returns every agentv file below `folder`.
fn walk(folder: &Path, problems: &mut Vec<Diagnostic>) -> Vec<FoundFile> {
    ours(walked(folder, problems))
}

fn ours(paths: impl IntoIterator<Item = PathBuf>) -> Vec<FoundFile> {
    let mut files: Vec<FoundFile> = paths
        .into_iter()
        .filter_map(|path| {
            let role = role_of(&path)?;
            Some(FoundFile { path, role })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn walked(folder: &Path, problems: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
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

fn glob(pattern: &str, problems: &mut Vec<Diagnostic>) -> Result<Vec<FoundFile>, globset::Error> {
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
            !part.contains(['*', '?', '[', '{'])
        })
        .collect();
    let start = if fixed.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        fixed
    };
    let paths = walked(&start, problems);
    Ok(ours(
        paths.into_iter().filter(|path| matcher.is_match(path)),
    ))
}

/// Returns the role of a file; `None` if it is not an agentv file.
fn role_of(path: &Path) -> Option<FileRole> {
    let name = path.file_name()?.to_string_lossy();
    let in_settings = path
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|parent| parent == ".agentv");
    match name.as_ref() {
        "targets.yaml" | "targets.yml" => return Some(FileRole::Targets),
        "config.yaml" if in_settings => return Some(FileRole::Config),
        // Other files among the settings, such as recorded answers, hold no cases.
        _ if in_settings => return None,
        _ => {}
    }
    if !is_eval_file_name(path) {
        return None;
    }
    if sidecar_path(path).is_some() {
        return Some(FileRole::EvalFile);
    }
    role_of_yaml(path)
}

fn role_of_yaml(path: &Path) -> Option<FileRole> {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let Some(bytes) = is_file.then(|| fs::read(path).ok()).flatten() else {
        // It may hold cases, so the error that it cannot be read must be reported.
        return Some(FileRole::EvalFile);
    };
    let beside_jsonl = has_jsonl_beside(path);
    // Most YAML files are not ours: only those that might be are parsed.
    let mentions = |word: &str| memchr::memmem::find(&bytes, word.as_bytes()).is_some();
    if !beside_jsonl && !["evalc", "evalC", "agentv-"].into_iter().any(mentions) {
        return None;
    }
    let Ok(document) = Document::open(path, &Arc::from(path.to_string_lossy())) else {
        return Some(FileRole::EvalFile);
    };
    let root = document.root();
    let schema = root.get("$schema").map(|schema| schema.text());
    let schema_of = |kind: &str| {
        let schema = schema.as_deref().unwrap_or_default();
        schema.starts_with(&format!("agentv-{kind}-"))
    };
    let has_cases = root.get("evalcases").is_some();
    if beside_jsonl && !has_cases {
        Some(FileRole::Sidecar)
    } else if schema_of("targets") {
        Some(FileRole::Targets)
    } else if schema_of("config") {
        Some(FileRole::Config)
    } else {
        let mut keys = root.fields().map(|(key, _)| key.text());
        let is_suite = has_cases
            || schema_of("eval")
            || keys.any(|key| nearest(&key, ["evalcases"]).is_some());
        is_suite.then_some(FileRole::EvalFile)
    }
}
