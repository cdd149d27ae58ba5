//! Paths, folders and globs on the command line to files and what they are.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_syntax::{Diagnostic, nearest};
use globset::GlobBuilder;
use ignore::WalkBuilder;

use crate::dataset::{is_eval_file_name, sidecar_path};
use crate::format::{ALL, Document};

/// A file that was asked for, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// The path, as the user would write it.
    pub path: PathBuf,
    /// What the file is.
    pub role: FileRole,
}

/// What a file is, by its name, its `$schema` and its neighbours.
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

/// A path that leads to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoverError {
    /// What was asked for.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl std::fmt::Display for DiscoverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.path, self.message)
    }
}

impl std::error::Error for DiscoverError {}

/// The files that `paths` name: a file is itself, a folder is every agentv file in it, anything
/// else is a glob. Sorted within each path, each file once.
///
/// # Errors
/// When a path leads to no file.
pub fn discover(paths: &[String]) -> Result<Vec<FoundFile>, DiscoverError> {
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for path in paths {
        for file in files_at(path)? {
            let identity = fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
            if seen.insert(identity) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

fn files_at(written: &str) -> Result<Vec<FoundFile>, DiscoverError> {
    let path = Path::new(written);
    let refuse = |message: &str, hint: Option<String>| DiscoverError {
        path: written.to_owned(),
        message: message.to_owned(),
        hint,
    };
    let (files, message) = if path.is_dir() {
        (walk(path), "no eval files in this folder")
    } else if fs::symlink_metadata(path).is_ok() {
        let role = role_of(path).unwrap_or(FileRole::EvalFile);
        return Ok(vec![FoundFile {
            path: path.to_owned(),
            role,
        }]);
    } else if written.contains(['*', '?', '[', '{']) {
        let files = glob(written).map_err(|reason| refuse(&reason, None))?;
        (files, "no eval file matches this pattern")
    } else {
        return Err(refuse("no such file or folder", similar_name(path)));
    };
    if files.is_empty() {
        let hint = format!("eval files end in {}", extensions().join(", "));
        return Err(refuse(message, Some(hint)));
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
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
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

/// Every file below `folder` that is ours. What `.gitignore` leaves out is left out.
fn walk(folder: &Path) -> Vec<FoundFile> {
    let mut files: Vec<FoundFile> = walked(folder)
        .filter_map(|path| {
            let role = role_of(&path)?;
            Some(FoundFile { path, role })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn walked(folder: &Path) -> impl Iterator<Item = PathBuf> {
    WalkBuilder::new(folder)
        .hidden(false)
        .parents(false)
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
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .map(|path| match path.strip_prefix("./") {
            Ok(path) => path.to_owned(),
            Err(_) => path,
        })
}

fn glob(pattern: &str) -> Result<Vec<FoundFile>, String> {
    let written = pattern.strip_prefix("./").unwrap_or(pattern);
    let matcher = GlobBuilder::new(written)
        .literal_separator(true)
        .build()
        .map_err(|error| format!("not a glob: {}", error.kind()))?
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
    let mut files: Vec<FoundFile> = walked(&start)
        .filter(|path| matcher.is_match(path))
        .filter_map(|path| {
            let role = role_of(&path)?;
            Some(FoundFile { path, role })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// What a file is; `None` for one that is none of ours.
fn role_of(path: &Path) -> Option<FileRole> {
    let name = path.file_name()?.to_str()?;
    let in_settings = path
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|parent| parent == ".agentv");
    match name {
        "targets.yaml" | "targets.yml" => return Some(FileRole::Targets),
        "config.yaml" if in_settings => return Some(FileRole::Config),
        // What else lies among the settings, such as recorded answers, holds no cases.
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
    let bytes = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => fs::read(path).unwrap_or_default(),
        _ => return None,
    };
    let mentions = |word: &str| memchr::memmem::find(&bytes, word.as_bytes()).is_some();
    if has_jsonl_beside(path) {
        return Some(match mentions("evalcases") && has_cases(path) {
            true => FileRole::EvalFile,
            false => FileRole::Sidecar,
        });
    }
    if mentions("agentv-targets-") && schema_of(path).starts_with("agentv-targets-") {
        return Some(FileRole::Targets);
    }
    if mentions("agentv-config-") && schema_of(path).starts_with("agentv-config-") {
        return Some(FileRole::Config);
    }
    (mentions("evalcases") || mentions("agentv-eval-")).then_some(FileRole::EvalFile)
}

fn has_jsonl_beside(path: &Path) -> bool {
    let is_yaml = path
        .extension()
        .is_some_and(|extension| extension == "yaml");
    is_yaml
        && ALL
            .iter()
            .filter(|format| format.has_sidecar)
            .flat_map(|format| format.extensions)
            .any(|extension| {
                let base = path.file_stem().unwrap_or_default().to_string_lossy();
                path.with_file_name(format!("{base}{extension}")).is_file()
            })
}

fn parsed(path: &Path) -> Result<Document, Diagnostic> {
    Document::open(path, &Arc::from(path.to_string_lossy()))
}

fn has_cases(path: &Path) -> bool {
    parsed(path).is_ok_and(|document| document.root().get("evalcases").is_some())
}

fn schema_of(path: &Path) -> String {
    let schema = parsed(path).ok().and_then(|document| {
        let schema = document.root().get("$schema")?;
        Some(schema.text().into_owned())
    });
    schema.unwrap_or_default()
}
