//! A file that was found.

use std::path::PathBuf;

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
