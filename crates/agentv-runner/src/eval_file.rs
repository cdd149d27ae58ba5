//! The eval files of a run, and the cases in them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use agentv_core::EvalCase;

/// An eval file of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalFile {
    /// Its place among the files of the run, from 0.
    pub index: usize,
    /// How records name it: relative to the project root.
    pub name: Arc<str>,
    /// The folder it is in, absolute.
    pub folder: Arc<Path>,
    /// The root of its project, absolute.
    pub root: Arc<Path>,
}

/// Where the cases of a run come from. They are streamed, as often as needed, and never all kept.
pub trait CaseSource: Send + Sync {
    /// Visits every case of every file in order, until `visit` breaks.
    ///
    /// # Errors
    /// A sentence, when a file cannot be read any more.
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError>;
}

/// What is done with each case.
pub type Visit<'v> = dyn FnMut(&Arc<EvalFile>, EvalCase) -> ControlFlow<()> + 'v;

/// Why a file that was checked cannot be read any more, a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError(pub String);

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}
