//! Files beside the eval files, checked by themselves.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::Diagnostic;

use crate::options::LoadOptions;
use crate::{config, format, sidecar};

/// Everything that is wrong with a sidecar.
pub fn check_sidecar(path: &Path, options: &LoadOptions) -> Vec<Diagnostic> {
    sidecar::check(path, &shown(path), options)
}

/// Everything that is wrong with a project's settings file.
pub fn check_config(path: &Path, options: &LoadOptions) -> Vec<Diagnostic> {
    config::check(path, &shown(path), options)
}

/// The text of a file that is read whole: a regular file, not too large, UTF-8.
///
/// # Errors
/// When it is none of these, with the reason.
pub fn read_source(path: &Path) -> Result<String, Diagnostic> {
    format::read_text(path, &shown(path))
}

fn shown(path: &Path) -> Arc<str> {
    path.to_string_lossy().into()
}
