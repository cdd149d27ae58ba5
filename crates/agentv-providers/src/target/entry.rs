//! The targets of a file, as they are written.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use agentv_core::Extra;
use agentv_syntax::{Code, Diagnostic, Draft, Lines, Node, NodeKind, Problem};
use serde_json::Value;

use super::fields::snake_case;
use crate::kinds::{self, ProviderKind};
use crate::targets_file::{self, TargetProblem};

/// A target as it is written.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The provider as it is written.
    pub(super) provider: String,
    /// The provider, if there is one of that name.
    pub(super) kind: Option<&'static ProviderKind>,
    pub(super) fields: Extra,
    /// The objects among the fields with numbers that `fields` spells otherwise, as they are written.
    pub(super) exact: Vec<(String, Draft)>,
    /// The line, from 1, on which the target begins.
    pub(super) line: u64,
    /// The lines of its fields, by their names in snake_case.
    lines: Vec<(String, u64)>,
    /// The problems of the target. They matter only to a run that needs it.
    pub(super) problems: Vec<Diagnostic>,
}

impl Entry {
    /// Returns the line of a field, or of the target.
    pub(super) fn line_of(&self, field: Option<&str>) -> u64 {
        let mut lines = self.lines.iter();
        let found = lines.find(|(name, _)| Some(name.as_str()) == field);
        found.map_or(self.line, |(_, line)| *line)
    }

    /// Returns the model that the target names.
    pub(super) fn model(&self) -> Option<&str> {
        let mut options = self.kind?.facts.model_options.iter();
        options.find_map(|option| self.fields.get(*option)?.as_str())
    }
}

/// Reads a targets file, which the user calls `shown`.
///
/// # Errors
/// If the file cannot be read or is not text.
pub(super) fn text_of(path: &Path, shown: &Arc<str>) -> Result<String, Problem> {
    let unreadable = |what: String| Problem::fatal(Code::Unreadable, 0..0, what);
    let found = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => unreadable(format!("targets file `{shown}` not found")),
        _ => unreadable(format!("cannot be read: {error}")),
    })?;
    if !found.is_file() {
        return Err(unreadable("this is not a regular file".to_owned()));
    }
    let bytes = fs::read(path).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Problem::fatal(Code::NotUtf8, 0..0, "not UTF-8 text"))
}

/// Returns the targets of a file that have a name and a provider.
pub(super) fn entries(source: &str, problems: &[TargetProblem]) -> Vec<Entry> {
    let lines = Lines::of(source);
    match targets_file::parse(source) {
        Ok(tree) => entries_of(tree.root(), &lines, problems),
        Err(_) => Vec::new(),
    }
}

/// Returns the targets of a file that was parsed, those that have a name and a provider.
pub(super) fn entries_of(root: Node<'_>, lines: &Lines, problems: &[TargetProblem]) -> Vec<Entry> {
    let targets = root.get("targets");
    let targets = targets.into_iter().flat_map(Node::items);
    let entries = targets.enumerate().filter_map(|(index, target)| {
        let own = problems
            .iter()
            .filter(|problem| problem.target == Some(index));
        let own = own.map(|problem| problem.diagnostic.clone()).collect();
        entry(target, lines, own)
    });
    entries.collect()
}

fn entry(target: Node<'_>, lines: &Lines, problems: Vec<Diagnostic>) -> Option<Entry> {
    let line_of = |node: Node<'_>| lines.number(node.span().start);
    let fields = target.to_map();
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    Some(Entry {
        name: text("name")?.to_owned(),
        provider: text("provider")?.to_owned(),
        kind: kinds::named(text("provider")?),
        problems,
        line: line_of(target),
        lines: target
            .fields()
            .map(|(key, _)| (snake_case(&key.text()), line_of(key)))
            .collect(),
        exact: exact(target),
        fields,
    })
}

/// Returns the objects of a target with numbers that lose their spelling as values.
fn exact(target: Node<'_>) -> Vec<(String, Draft)> {
    let objects = target
        .fields()
        .filter(|(_, value)| value.kind() == NodeKind::Object);
    let written = objects.filter_map(|(key, value)| {
        let written = Draft::from(value);
        let is_changed = written != Draft::from(&value.to_value());
        is_changed.then(|| (key.text().into_owned(), written))
    });
    written.collect()
}
