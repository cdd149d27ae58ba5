//! The eval file that a case comes from, as a run sees it.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// An eval file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalFile {
    /// The position among the files of the run, from 0.
    pub index: usize,
    /// The path in records: relative to the project root.
    pub name: Arc<str>,
    /// The folder that contains the file, absolute.
    pub folder: Arc<Path>,
    /// The root of the file's project, absolute.
    pub root: Arc<Path>,
}
