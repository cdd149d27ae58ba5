//! The eval files that were renamed between two runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::matching::Matched;
use super::run::{ComparedRun, Row};

/// The old and the new name of a file.
pub(super) type Names = [Arc<str>; 2];

/// Returns the files that have a new name in the second run. A file that only the first run has is the one
/// that only the second has if both have the same content or share a case; or if there is only one of each,
/// nothing is known about their content, and their datasets are named after them. A file that could be
/// several is not returned.
pub(super) fn renamed_files(a: &ComparedRun, b: &ComparedRun, matched: &[Matched]) -> Vec<Names> {
    let (of_a, of_b) = (files(a), files(b));
    let only_a: Vec<Arc<str>> = of_a.difference(&of_b).cloned().collect();
    let only_b: Vec<Arc<str>> = of_b.difference(&of_a).cloned().collect();
    let shared = matched.iter().map(|case| {
        let [a, b] = [&a.rows[case.a.start], &b.rows[case.b.start]];
        [Arc::clone(&a.file), Arc::clone(&b.file)]
    });
    let mut found: BTreeSet<Names> = shared
        .chain(equal_files(a, b))
        .filter(|[old, new]| only_a.contains(old) && only_b.contains(new))
        .collect();
    if let ([old], [new]) = (only_a.as_slice(), only_b.as_slice())
        && is_unknown(a, old)
        && is_unknown(b, new)
    {
        found.insert([Arc::clone(old), Arc::clone(new)]);
    }
    let is_only = |names: &&Names| {
        let mut others = found.iter().filter(|other| other != names);
        others.all(|other| other[0] != names[0] && other[1] != names[1])
    };
    found.iter().filter(is_only).cloned().collect()
}

/// Returns the eval files of a run, with or without results.
fn files(run: &ComparedRun) -> BTreeSet<Arc<str>> {
    let listed = run.file_digests().map(|(path, _)| path.into());
    let rows = run.rows.iter().map(|row| Arc::clone(&row.file));
    rows.chain(listed).collect()
}

/// Returns the pairs of files that have the same content.
fn equal_files<'r>(a: &'r ComparedRun, b: &'r ComparedRun) -> impl Iterator<Item = Names> {
    let mut by_digest: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, digest) in b.file_digests() {
        by_digest.entry(digest).or_default().push(path);
    }
    a.file_digests().flat_map(move |(old, digest)| {
        let same = by_digest.get(digest).cloned().unwrap_or_default();
        same.into_iter().map(move |new| [old.into(), new.into()])
    })
}

/// Checks if nothing is known about the content of a file, and its dataset is named after it.
fn is_unknown(run: &ComparedRun, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let is_unknown = |row: &Row| {
        let rest = name.strip_prefix(&*row.dataset);
        row.content().is_none() && rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let mut rows = run.rows.iter().filter(|row| &*row.file == file);
    rows.all(is_unknown)
}
