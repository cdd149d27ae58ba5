//! The texts of all files that a suite consists of, as one.

use std::ops::Range;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Node, Placed, Problem};

use crate::format::Document;

/// The texts of several files, one after the other, so that one number is a place in any of them.
#[derive(Default)]
pub(crate) struct Texts {
    whole: String,
    parts: Vec<Part>,
}

/// One file.
struct Part {
    /// The place of its first byte.
    start: usize,
    document: Document,
}

impl Texts {
    /// Adds a file, and returns its content with places in the whole.
    pub(crate) fn add(&mut self, document: Document) -> Placed {
        let start = self.whole.len();
        let mut content = Placed::from(document.root());
        content.shift(start);
        self.whole.push_str(document.text());
        self.whole.push('\n');
        self.parts.push(Part { start, document });
        content
    }

    /// Returns the text of the first file, the suite itself.
    pub(crate) fn first(&self) -> &str {
        let first = self.parts.first();
        first.map_or("", |part| part.document.text())
    }

    /// Returns all texts as one.
    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    fn part(&self, offset: usize) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.start <= offset);
        self.parts.get(after.checked_sub(1)?)
    }

    /// Returns the line of a place in its file.
    pub(crate) fn line(&self, offset: usize) -> u64 {
        self.part(offset)
            .map_or(1, |part| part.document.line(offset - part.start))
    }

    /// Turns a problem into a diagnostic with its file and line. `own` is the place of the case that has
    /// it, if one has.
    pub(crate) fn place(
        &self,
        mut problem: Problem,
        own: Option<&Range<usize>>,
        file: &Arc<str>,
    ) -> Diagnostic {
        let Some(part) = self.part(problem.span.start) else {
            return Diagnostic::of_file(file, problem);
        };
        let within = |span: &Range<usize>| {
            let last = part.document.text().len();
            span.start.saturating_sub(part.start)..span.end.saturating_sub(part.start).min(last)
        };
        if problem.code == Code::MissingField && problem.path == "expected_outcome" {
            problem.path = "criteria".to_owned();
            problem.message = "missing criteria, and nothing else grades the case".to_owned();
            problem.hint = Some("write `criteria`, `expected_output` or assertions".to_owned());
        }
        let own = own.filter(|own| self.holds(part, own)).map(within);
        problem.span = within(&problem.span);
        let root = part.document.root();
        if let Some(path) = path_in_words(root, &problem, own.as_ref()) {
            problem.path = path;
        }
        part.document.place_problem(problem)
    }

    /// Checks if a place is in this file.
    fn holds(&self, part: &Part, span: &Range<usize>) -> bool {
        self.part(span.start)
            .is_some_and(|other| std::ptr::eq(other, part))
    }
}

/// Returns the path of a problem in the user's own words, from the case if the problem is in it.
fn path_in_words(root: Node<'_>, problem: &Problem, own: Option<&Range<usize>>) -> Option<String> {
    let mut path = root.path_at(&problem.span)?;
    if problem.code == Code::MissingField {
        // The place is the beginning of the object, which is also that of its first field.
        path = objects_path(root, problem.span.start)?;
        let missing = problem.path.rsplit('.').next().unwrap_or_default();
        if !missing.is_empty() {
            path = if path.is_empty() {
                missing.to_owned()
            } else {
                format!("{path}.{missing}")
            };
        }
    }
    let case = own.and_then(|own| root.path_at(own));
    let inside = case.filter(|case| !case.is_empty()).and_then(|case| {
        let rest = path.strip_prefix(&case)?;
        Some(rest.trim_start_matches('.').to_owned())
    });
    Some(inside.unwrap_or(path))
}

/// Returns the path of the largest object that begins at an offset.
fn objects_path(root: Node<'_>, offset: usize) -> Option<String> {
    let mut objects = root.objects();
    let object = objects.find(|object| object.span().start == offset)?;
    Some(root.path_to(object))
}
