//! The cases of a document with their lines.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_dataset::{Dataset, FileRole, LoadOptions, UnsavedTexts};

use super::context::Context;

/// The bytes of a document whose cases are listed, and the most cases.
const LONGEST_TEXT: usize = 4 << 20;
const MOST_CASES: usize = 10_000;

/// A case and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CaseRow {
    pub(super) id: String,
    /// The line on which it begins, from 0.
    pub(super) line: u32,
}

/// Returns the cases of a document, in its order. Of a large document, these are the first ones.
pub(super) fn case_rows(context: &Context<'_>) -> Vec<CaseRow> {
    if context.role != FileRole::EvalFile {
        return Vec::new();
    }
    let shown = context.project.shown(&context.document.path);
    let options = LoadOptions {
        unsaved: unsaved_start(context),
        ..context.project.load_options()
    };
    let Ok(dataset) = Dataset::open(shown, &options) else {
        return Vec::new();
    };
    // The lines of cases in other files are not lines of this one.
    if !dataset.other_files().is_empty() {
        return Vec::new();
    }
    let checked = dataset.check(&mut |_| ControlFlow::Continue(()));
    let mut rows = Vec::new();
    let visited = dataset.each_row(&checked, &mut |row| {
        let line = row.line.and_then(|line| u32::try_from(line - 1).ok());
        if let Some((id, line)) = row.id.zip(line) {
            rows.push(CaseRow { id, line });
        }
        if rows.len() < MOST_CASES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    if visited.is_err() {
        rows.clear();
    }
    rows
}

/// Returns the open texts, but of a large JSON Lines file only the first lines.
fn unsaved_start(context: &Context<'_>) -> UnsavedTexts {
    let text = context.text();
    if !context.document.is_lines() || text.len() <= LONGEST_TEXT {
        return context.unsaved.clone();
    }
    let end = memchr::memrchr(b'\n', &text.as_bytes()[..LONGEST_TEXT]).unwrap_or(0);
    let path = context.document.path.clone();
    UnsavedTexts::new([(path, Arc::new(text[..end].to_owned()))])
}
