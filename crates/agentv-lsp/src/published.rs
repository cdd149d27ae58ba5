//! The diagnostics that the editor shows.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agentv_dataset::{Diagnostic, Severity};
use gen_lsp_types::{
    Code, Diagnostic as LspDiagnostic, DiagnosticSeverity, Message, Position, Range,
};
use memchr::memchr_iter;

use crate::positions::{Encoding, line_at};

/// The most diagnostics of one file that are sent to an editor.
const MOST_SENT: usize = 1_000;

/// The problems that were found in open documents, by the document whose check found them and by the file
/// that has them.
#[derive(Debug, Default)]
pub(crate) struct Published {
    found: Mutex<BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<Diagnostic>>>>,
}

impl Published {
    /// Replaces the problems that the check of `checked` found. Returns the files whose problems may have
    /// changed.
    pub(crate) fn replace(
        &self,
        checked: &Path,
        problems: BTreeMap<PathBuf, Vec<Diagnostic>>,
    ) -> HashSet<PathBuf> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let now: Vec<PathBuf> = problems.keys().cloned().collect();
        let before = found.insert(checked.to_owned(), problems);
        let before = before.into_iter().flat_map(BTreeMap::into_keys);
        now.into_iter()
            .chain(before)
            .chain([checked.to_owned()])
            .collect()
    }

    /// Drops the problems of a document that checks of others found before it changed.
    pub(crate) fn drop_outdated(&self, changed: &Path) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for (checked, files) in found.iter_mut() {
            if checked != changed {
                files.remove(changed);
            }
        }
    }

    /// Forgets a document that was closed. Returns the files whose problems may have changed.
    pub(crate) fn forget(&self, closed: &Path) -> HashSet<PathBuf> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let before = found.remove(closed).into_iter().flatten();
        before
            .map(|(file, _)| file)
            .chain([closed.to_owned()])
            .collect()
    }

    /// Returns all problems of a file, each once.
    pub(crate) fn of(&self, file: &Path) -> Vec<Diagnostic> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = HashSet::new();
        let of_file = found.values().filter_map(|files| files.get(file)).flatten();
        of_file
            .filter(|diagnostic| known.insert(diagnostic.to_json().to_string()))
            .cloned()
            .collect()
    }
}

/// Returns the diagnostics as editors show them. The text is that of the file, if it is open.
pub(crate) fn for_editor(
    problems: &[Diagnostic],
    text: Option<&str>,
    encoding: Encoding,
) -> Vec<LspDiagnostic> {
    // In a large text without problems, its lines need not be found.
    let starts = text.filter(|_| !problems.is_empty()).map(LineStarts::of);
    let shown = problems.iter().take(MOST_SENT);
    let mut sent: Vec<LspDiagnostic> = shown
        .map(|problem| converted(problem, starts.as_ref(), encoding))
        .collect();
    if let Some(more) = problems
        .len()
        .checked_sub(MOST_SENT)
        .filter(|more| *more > 0)
    {
        let message = format!("and {more} more problems: `agentv validate` lists all of them");
        sent.push(LspDiagnostic {
            severity: Some(DiagnosticSeverity::Information),
            source: Some("agentv".to_owned()),
            message: Message::String(message),
            ..LspDiagnostic::default()
        });
    }
    sent
}

/// The lines of an open text.
struct LineStarts<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// The bytes of a mark at the beginning that the reader does not count.
    skipped: usize,
}

impl<'t> LineStarts<'t> {
    fn of(text: &'t str) -> LineStarts<'t> {
        let breaks = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        LineStarts {
            text,
            starts: std::iter::once(0).chain(breaks).collect(),
            skipped: text.len() - text.trim_start_matches('\u{feff}').len(),
        }
    }

    /// Returns a line, counted from 1, and the number of bytes that columns leave out.
    fn line(&self, number: u64) -> Option<(&'t str, usize)> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let skipped = if index == 0 { self.skipped } else { 0 };
        Some((line_at(self.text, start), skipped))
    }
}

fn converted(
    problem: &Diagnostic,
    lines: Option<&LineStarts<'_>>,
    encoding: Encoding,
) -> LspDiagnostic {
    let hint = problem.problem.hint.iter();
    let mut message = problem.sentence();
    hint.for_each(|hint| message.push_str(&format!("\n{hint}")));
    LspDiagnostic {
        range: range_of(problem, lines, encoding),
        severity: Some(match problem.severity() {
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::Error | Severity::Fatal => DiagnosticSeverity::Error,
        }),
        code: Some(Code::String(problem.code().as_str().to_owned())),
        source: Some("agentv".to_owned()),
        message: Message::String(message),
        data: Some(problem.to_json()),
        ..LspDiagnostic::default()
    }
}

/// Returns the place of a problem. A problem of the whole file is shown at its beginning, and one of a whole line
/// below all of it.
pub(crate) fn range_of_problem(problem: &Diagnostic, text: &str, encoding: Encoding) -> Range {
    range_of(problem, Some(&LineStarts::of(text)), encoding)
}

fn range_of(problem: &Diagnostic, lines: Option<&LineStarts<'_>>, encoding: Encoding) -> Range {
    let Some(number) = problem.line else {
        return Range::default();
    };
    let line = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX);
    let at = |character| Position { line, character };
    let Some((text, skipped)) = lines.and_then(|lines| lines.line(number)) else {
        let start = u32::try_from(problem.column.unwrap_or(1).saturating_sub(1)).unwrap_or(0);
        let length = problem.excerpt.as_ref();
        let length = length.map_or(0, |excerpt| {
            excerpt.text[excerpt.span.clone()].chars().count()
        });
        let end = start.saturating_add(u32::try_from(length).unwrap_or(0));
        return Range {
            start: at(start),
            end: at(end),
        };
    };
    if problem.column.is_none() {
        return Range {
            start: at(0),
            end: at(encoding.length(text)),
        };
    }
    let span = &problem.problem.span;
    let start = text.floor_char_boundary((span.start + skipped).min(text.len()));
    let end = text.ceil_char_boundary((span.end + skipped).clamp(start, text.len()));
    Range {
        start: at(encoding.length(&text[..start])),
        end: at(encoding.length(&text[..end])),
    }
}
