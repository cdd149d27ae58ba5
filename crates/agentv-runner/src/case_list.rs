//! Cases in memory, as a source of a run.

use std::path::Path;
use std::sync::Arc;

use agentv_core::{EvalCase, EvalFile};

use crate::case_source::{CaseSource, SourceError, Visit};

/// The cases of one eval file, in memory.
#[derive(Debug)]
pub struct CaseList {
    file: Arc<EvalFile>,
    cases: Vec<EvalCase>,
}

impl CaseList {
    /// Returns the cases of a file in the project at `root`.
    pub fn new(file: &Path, root: &Path, cases: Vec<EvalCase>) -> CaseList {
        let path = root.join(file);
        let name = path.strip_prefix(root).unwrap_or(&path);
        CaseList {
            file: Arc::new(EvalFile {
                index: 0,
                name: name.to_string_lossy().into(),
                folder: path.parent().unwrap_or(root).into(),
                root: root.into(),
            }),
            cases,
        }
    }
}

impl CaseSource for CaseList {
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError> {
        for case in &self.cases {
            if visit(&self.file, case.clone()).is_break() {
                break;
            }
        }
        Ok(())
    }
}
