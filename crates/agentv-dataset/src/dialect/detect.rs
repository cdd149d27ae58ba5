//! The dialect of a suite, by its keys.

use std::ops::Range;
use std::path::Path;

use agentv_syntax::{Code, Diagnostic, Node, NodeKind, Problem};

use super::ALL;
use super::kind::Dialect;

/// A suite with the keys of two dialects.
pub(crate) struct Mixed {
    /// The key of ours.
    ours: Range<usize>,
    theirs: Range<usize>,
    words: (String, String),
    dialect: &'static str,
}

impl Mixed {
    /// Returns the error, which names both lines.
    pub(crate) fn place(&self, place: impl Fn(Problem) -> Diagnostic) -> Diagnostic {
        let at = |span: &Range<usize>, message: String| {
            place(Problem::fatal(Code::MixedDialects, span.clone(), message))
        };
        let line = at(&self.ours, String::new()).line.unwrap_or_default();
        let (ours, theirs) = &self.words;
        let message = format!(
            "`{theirs}` is a key of {}, but line {line} has `{ours}`, a key of agentv",
            self.dialect
        );
        let mut diagnostic = at(&self.theirs, message);
        let hint = "write the whole suite for one tool; `agentv convert` then turns it into a suite of agentv";
        diagnostic.problem.hint = Some(hint.to_owned());
        diagnostic
    }
}

/// Returns the dialect of a suite; `None` if it is ours, or none that we know.
///
/// A suite of ours costs one look at its keys.
///
/// # Errors
/// Fails if the keys are those of two dialects.
pub(crate) fn detect(
    root: Node<'_>,
    path: Option<&Path>,
) -> Result<Option<&'static Dialect>, Mixed> {
    let own_cases = key(root, "evalcases");
    let named = named(root).and_then(|dialect| Some((dialect, cases_of(root, dialect)?)));
    let mut others = ALL
        .iter()
        .filter_map(|dialect| Some((*dialect, (dialect.recognised)(root, path)?)));
    let found = named.or_else(|| others.next());
    match (own_cases, found) {
        (Some(ours), Some((dialect, theirs))) => Err(Mixed {
            ours: ours.span(),
            theirs: theirs.span(),
            words: (ours.text().into_owned(), theirs.text().into_owned()),
            dialect: dialect.name,
        }),
        (Some(_), None) | (None, None) => Ok(None),
        (None, Some((dialect, _))) => Ok(Some(dialect)),
    }
}

/// Returns the dialect that `$schema` names.
fn named(root: Node<'_>) -> Option<&'static Dialect> {
    let schema = root.get("$schema")?.as_str()?;
    let named = ALL.iter().find(|dialect| schema.contains(dialect.schema));
    named.copied()
}

/// Returns the key of the cases in a suite of a dialect, or any key of it.
fn cases_of<'t>(root: Node<'t>, dialect: &Dialect) -> Option<Node<'t>> {
    let mut keys = dialect.case_keys.iter().chain(dialect.suite_keys);
    keys.find_map(|name| key(root, name))
}

/// Returns the key by which a suite is of this dialect: one of its own, with cases.
pub(super) fn by_keys<'t>(root: Node<'t>, dialect: &Dialect) -> Option<Node<'t>> {
    let cases = dialect.case_keys.iter().find_map(|name| key(root, name))?;
    let is_own = |name: &&str| key(root, name).is_some();
    let fits = dialect.own_keys.is_empty() || dialect.own_keys.iter().any(is_own);
    fits.then_some(cases)
}

pub(super) fn key<'t>(root: Node<'t>, name: &str) -> Option<Node<'t>> {
    root.fields()
        .find_map(|(key, _)| key.is_text(name).then_some(key))
}

/// Returns the dialect that a suite without cases is closest to, and the key that it lacks.
pub(crate) fn closest(root: Node<'_>) -> Option<(&'static Dialect, &'static str)> {
    let has = |name: &str| key(root, name).is_some();
    let score = |dialect: &Dialect| {
        let own = dialect.own_keys.iter().filter(|name| has(name)).count();
        let hints = dialect.hints.iter().filter(|name| has(name)).count();
        2 * own + hints
    };
    let best = ALL.iter().max_by_key(|dialect| score(dialect))?;
    (score(best) > 0).then(|| (*best, best.case_keys[0]))
}

/// Checks if a YAML document that nobody named is surely a suite of some dialect: other tools have files
/// with `tests`, too.
pub(crate) fn is_suite(root: Node<'_>, path: &Path) -> bool {
    let Ok(Some(dialect)) = detect(root, Some(path)) else {
        return false;
    };
    let cases = dialect.case_keys.iter().find_map(|name| root.get(name));
    let first = cases.and_then(|cases| cases.items().next());
    let has = |node: Node<'_>, names: &[&str]| names.iter().any(|name| node.get(name).is_some());
    match first {
        Some(case) if case.kind() == NodeKind::Object => (dialect.is_case)(case),
        Some(_) | None => has(root, dialect.hints),
    }
}
