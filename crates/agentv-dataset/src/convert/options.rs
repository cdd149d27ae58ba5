//! The options and the result of a conversion.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use agentv_syntax::Diagnostic;

use crate::options::LoadOptions;

/// The target of a conversion.
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

/// Options of a conversion.
#[derive(Debug, Clone)]
pub struct ConvertOptions {
    /// The target.
    pub to: Conversion,
    /// Allows existing files to be replaced. The input never is.
    pub force: bool,
    /// Allows fields to be dropped that the new format has no place for.
    pub lossy: bool,
    /// Lines that a YAML suite begins with, as comments.
    pub comments: Vec<String>,
    /// The options for loading the input.
    pub load: LoadOptions,
    /// Stops the conversion if it is not 0; nothing is left behind.
    pub interrupted: Arc<AtomicUsize>,
}

/// The result of a conversion.
#[derive(Debug)]
pub struct Converted {
    /// The number of cases.
    pub cases: u64,
    /// The files, the eval file first.
    pub files: Vec<PathBuf>,
    /// The input, if it is beside the output under its name and so is its sidecar.
    pub served_by: Option<PathBuf>,
    /// Warnings about the input.
    pub warnings: Vec<Diagnostic>,
}
