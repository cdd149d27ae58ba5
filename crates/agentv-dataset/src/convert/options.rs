//! What to convert to, how, and what came of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use agentv_syntax::Diagnostic;

use crate::options::LoadOptions;

/// What to convert to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// A YAML suite.
    Yaml,
    /// JSON Lines, with a sidecar for dataset-level fields.
    Jsonl,
    /// AgentMark rows, with a sidecar for dataset-level fields.
    AgentMark,
}

impl Conversion {
    pub(super) fn extensions(self) -> &'static [&'static str] {
        match self {
            Conversion::Yaml => &[".yaml", ".yml"],
            Conversion::Jsonl | Conversion::AgentMark => &[".jsonl"],
        }
    }
}

/// How to convert.
#[derive(Debug, Clone)]
pub struct ConvertOptions {
    /// What to convert to.
    pub to: Conversion,
    /// Whether files that are there already may be replaced. The input never is.
    pub force: bool,
    /// Whether fields that the new format has no place for may be dropped.
    pub lossy: bool,
    /// How the input is loaded.
    pub load: LoadOptions,
    /// Set to something else than 0 to stop; nothing is left behind.
    pub interrupted: Arc<AtomicUsize>,
}

/// What was written.
#[derive(Debug)]
pub struct Converted {
    /// How many cases.
    pub cases: u64,
    /// The files, the eval file first.
    pub files: Vec<PathBuf>,
    /// The input, where it stands beside the output under its name and so is its sidecar.
    pub served_by: Option<PathBuf>,
    /// Remarks about the input.
    pub warnings: Vec<Diagnostic>,
}
