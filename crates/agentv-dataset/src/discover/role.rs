//! The role of a file.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use agentv_syntax::nearest;

use super::found_file::FileRole;
use crate::dataset::{is_eval_file_name, needs_sidecar, sidecar_path};
use crate::dialect;
use crate::format::Document;
use crate::results_file::has_results;
use crate::sidecar::{self, has_jsonl_beside};
use crate::unsaved::UnsavedTexts;

/// Returns the role of a file that a user names: what is not recognised is meant to be an eval file.
pub fn role_of_named_file(path: &Path, unsaved: &UnsavedTexts) -> FileRole {
    role_of(path, unsaved).unwrap_or(FileRole::EvalFile)
}

/// Returns the role of a file that is open in an editor; `None` if it is not an agentv file, or holds results
/// of runs.
pub fn role_of_open_file(path: &Path, unsaved: &UnsavedTexts) -> Option<FileRole> {
    let role = role_of(path, unsaved)?;
    let is_of_results = role == FileRole::EvalFile && has_results(path, unsaved);
    (!is_of_results).then_some(role)
}

/// Returns the role of a file; `None` if it is not an agentv file.
pub(super) fn role_of(path: &Path, unsaved: &UnsavedTexts) -> Option<FileRole> {
    let name = path.file_name()?.to_string_lossy();
    let in_settings = is_in_settings(path);
    match name.as_ref() {
        "targets.yaml" | "targets.yml" => return Some(FileRole::Targets),
        "providers.yaml" | "providers.yml" if in_settings => return Some(FileRole::Targets),
        "config.yaml" if in_settings => return Some(FileRole::Config),
        // Other files among the settings, such as recorded answers, hold no cases.
        _ if in_settings => return None,
        _ => {}
    }
    if !is_eval_file_name(path) {
        return None;
    }
    if sidecar_path(path).is_some() {
        let is_served = !needs_sidecar(path) || sidecar::serves(path, unsaved);
        return is_served.then_some(FileRole::EvalFile);
    }
    role_of_yaml(path, unsaved)
}

/// Checks if a file is in `.agentv`.
pub(super) fn is_in_settings(path: &Path) -> bool {
    let parent = path.parent().and_then(Path::file_name);
    parent.is_some_and(|parent| parent == ".agentv")
}

/// Returns the content of a regular file, or its unsaved text.
fn bytes_of(path: &Path, unsaved: &UnsavedTexts) -> Option<Vec<u8>> {
    if let Some(text) = unsaved.of(path) {
        return Some(text.as_bytes().to_vec());
    }
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    is_file.then(|| fs::read(path).ok()).flatten()
}

fn role_of_yaml(path: &Path, unsaved: &UnsavedTexts) -> Option<FileRole> {
    let Some(bytes) = bytes_of(path, unsaved) else {
        // It may hold cases, so the error that it cannot be read must be reported.
        return Some(FileRole::EvalFile);
    };
    // The callers find out what it has in place of cases.
    if has_results(path, unsaved) {
        return Some(FileRole::EvalFile);
    }
    let beside_jsonl = has_jsonl_beside(path, unsaved);
    // Most YAML files are not ours: only those that might be are parsed.
    let mentions = |word: &str| memchr::memmem::find(&bytes, word.as_bytes()).is_some();
    let words = [
        "evalc",
        "evalC",
        "agentv-",
        "tests",
        "eval_cases",
        "scenarios",
    ];
    if !beside_jsonl && !words.into_iter().any(mentions) {
        return None;
    }
    let Ok(document) = Document::open(path, &Arc::from(path.to_string_lossy()), unsaved) else {
        return Some(FileRole::EvalFile);
    };
    let root = document.root();
    let schema = root.get("$schema").map(|schema| schema.text());
    let schema_of = |kind: &str| {
        let schema = schema.as_deref().unwrap_or_default();
        schema.starts_with(&format!("agentv-{kind}-"))
    };
    let has_cases = root.get("evalcases").is_some() || dialect::is_suite(root, path);
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
