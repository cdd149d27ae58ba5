//! A check of one file for what it is.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_dataset::{
    Dataset, Diagnostic, FileRole, FoundFile, LoadOptions, check_config, check_sidecar, read_source,
};

use super::broken_lines::BrokenLines;

/// A receiver of problems, which can end the check.
type Report<'r> = &'r mut (dyn FnMut(Diagnostic) -> ControlFlow<()> + Send);

/// Checks a file for what it is. Returns the number of its cases.
pub(super) fn check_file(file: &FoundFile, options: &LoadOptions, report: Report<'_>) -> u64 {
    let diagnostics = match file.role {
        FileRole::EvalFile => return check_dataset(file, options, report),
        FileRole::Sidecar => check_sidecar(&file.path, options),
        FileRole::Config => check_config(&file.path, options),
        FileRole::Targets => check_targets(file),
    };
    for diagnostic in diagnostics {
        if report(diagnostic).is_break() {
            break;
        }
    }
    0
}

fn check_targets(file: &FoundFile) -> Vec<Diagnostic> {
    let name: Arc<str> = file.path.to_string_lossy().into();
    match read_source(&file.path) {
        Ok(source) => agentv_providers::targets_file::check(&source, &name),
        Err(diagnostic) => vec![diagnostic],
    }
}

fn check_dataset(file: &FoundFile, options: &LoadOptions, report: Report<'_>) -> u64 {
    let dataset = match Dataset::open(&file.path, options) {
        Ok(dataset) => dataset,
        Err(error) => {
            let _ = report(*error.diagnostic);
            return 0;
        }
    };
    let mut broken = BrokenLines::default();
    let checked = dataset.check(&mut |diagnostic| {
        if broken.lets_through(&diagnostic) {
            report(diagnostic)
        } else {
            ControlFlow::Continue(())
        }
    });
    if let Some(rest) = broken.rest() {
        let _ = report(rest);
    }
    checked.cases + checked.skipped
}
