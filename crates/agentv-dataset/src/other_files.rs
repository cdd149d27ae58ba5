//! Files beside the eval files, checked by themselves.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::Diagnostic;

use crate::options::LoadOptions;
use crate::unsaved::UnsavedTexts;
use crate::{config, format, sidecar};

/// Returns the problems of a sidecar.
pub fn check_sidecar(path: &Path, options: &LoadOptions) -> Vec<Diagnostic> {
    sidecar::check(path, &shown(path), options)
}

/// Returns the problems of a project's settings file.
pub fn check_config(path: &Path, options: &LoadOptions) -> Vec<Diagnostic> {
    config::check(path, &shown(path), options)
}

/// Reads the text of a file that is read whole: its unsaved text, or a regular file, not too large, UTF-8.
///
/// # Errors
/// Fails with the reason if it is not.
pub fn read_source(path: &Path, unsaved: &UnsavedTexts) -> Result<String, Diagnostic> {
    format::read_text(path, &shown(path), unsaved)
}

fn shown(path: &Path) -> Arc<str> {
    path.to_string_lossy().into()
}
