//! The cases that two runs share.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use thiserror::Error;

use super::labels::listed;
use super::renamed_files::renamed_files;
use super::run::{ComparedRun, Row};

/// The cases that two runs share, on each target. If each run has a single target, these two are
/// compared whatever their names. A case is the range of its trials in the rows of its run.
#[derive(Debug, Default)]
pub(super) struct Matching {
    /// The cases of both runs, in the order of the first.
    pub(super) matched: Vec<Matched>,
    /// The cases that only the first run has.
    pub(super) only_a: Vec<Range<usize>>,
    /// The cases that only the second run has.
    pub(super) only_b: Vec<Range<usize>>,
}

/// The trials of a case in two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matched {
    pub(super) a: Range<usize>,
    pub(super) b: Range<usize>,
    /// True if the eval file has another name in the second run.
    pub(super) is_renamed: bool,
}

/// Two runs without a common case, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the runs share no case: {0}")]
pub struct NothingShared(String);

/// Checks if targets are matched by name: unless each run has only one.
pub(super) fn by_target(a: &ComparedRun, b: &ComparedRun) -> bool {
    a.targets().len() > 1 || b.targets().len() > 1
}

/// Matches cases by file and id. The others, whose file was renamed, are matched by dataset and id
/// and then by id and content, where that is unique in both runs. If the old and the new name of a file are
/// known, its other cases are matched by their ids: those that errored or were edited.
pub(super) fn matching(a: &ComparedRun, b: &ComparedRun) -> Result<Matching, NothingShared> {
    let by_target = by_target(a, b);
    let mut found = same_files(a, b, by_target);
    let target = |row: &Row| by_target.then(|| row.target.to_string());
    found.match_renamed(a, b, &|row| {
        Some((row.dataset.to_string(), row.id.to_string(), target(row)))
    });
    found.match_renamed(a, b, &|row| {
        Some((row.content()?, row.id.to_string(), target(row)))
    });
    let files = renamed_files(a, b, &found.matched);
    found.match_renamed(a, b, &|row| {
        let file = files.iter().position(|names| names.contains(&row.file))?;
        Some((file, row.id.to_string(), target(row)))
    });
    found.matched.sort_unstable_by_key(|case| case.a.start);
    if found.matched.is_empty() {
        Err(nothing_shared(a, b))
    } else {
        Ok(found)
    }
}

/// Matches the cases that have the same file and id.
fn same_files(a: &ComparedRun, b: &ComparedRun, by_target: bool) -> Matching {
    let order = |a: &Row, b: &Row| {
        let targets = if by_target {
            a.target.cmp(&b.target)
        } else {
            Ordering::Equal
        };
        a.case_order(b).then(targets)
    };
    let mut found = Matching::default();
    let (of_a, of_b) = (cases_of(a), cases_of(b));
    let (mut of_a, mut of_b) = (of_a.into_iter().peekable(), of_b.into_iter().peekable());
    while let (Some(case_a), Some(case_b)) = (of_a.peek(), of_b.peek()) {
        match order(&a.rows[case_a.start], &b.rows[case_b.start]) {
            Ordering::Equal => found
                .matched
                .extend(of_a.next().zip(of_b.next()).map(|(a, b)| Matched {
                    a,
                    b,
                    is_renamed: false,
                })),
            Ordering::Less => found.only_a.extend(of_a.next()),
            Ordering::Greater => found.only_b.extend(of_b.next()),
        }
    }
    found.only_a.extend(of_a);
    found.only_b.extend(of_b);
    found
}

/// Returns the trials of each case on each target.
pub(super) fn cases_of(run: &ComparedRun) -> Vec<Range<usize>> {
    let is_same =
        |one: &Row, other: &Row| one.case_order(other).is_eq() && one.target == other.target;
    let mut start = 0;
    let cases = run.rows.chunk_by(is_same).map(|rows| {
        let case = start..start + rows.len();
        start = case.end;
        case
    });
    cases.collect()
}

impl Matching {
    /// Matches the remaining cases that have the same key, if the key is unique in both runs.
    fn match_renamed<K: Eq + std::hash::Hash>(
        &mut self,
        a: &ComparedRun,
        b: &ComparedRun,
        key: &dyn Fn(&Row) -> Option<K>,
    ) {
        if self.only_a.is_empty() || self.only_b.is_empty() {
            return;
        }
        let unique = |run: &ComparedRun, cases: &[Range<usize>]| -> HashMap<K, Option<usize>> {
            let mut places = HashMap::new();
            for (place, case) in cases.iter().enumerate() {
                if let Some(key) = key(&run.rows[case.start]) {
                    let entry = places.entry(key);
                    entry
                        .and_modify(|place| *place = None)
                        .or_insert(Some(place));
                }
            }
            places
        };
        let of_b = unique(b, &self.only_b);
        let pairs = unique(a, &self.only_a).into_iter();
        let pairs: Vec<(usize, usize)> = pairs
            .filter_map(|(key, place)| place.zip(*of_b.get(&key)?))
            .collect();
        for (of_a, of_b) in &pairs {
            self.matched.push(Matched {
                a: self.only_a[*of_a].clone(),
                b: self.only_b[*of_b].clone(),
                is_renamed: true,
            });
        }
        remove(&mut self.only_a, pairs.iter().map(|(place, _)| *place));
        remove(&mut self.only_b, pairs.iter().map(|(_, place)| *place));
    }
}

fn remove(cases: &mut Vec<Range<usize>>, places: impl Iterator<Item = usize>) {
    let places: BTreeSet<usize> = places.collect();
    let mut place = 0;
    cases.retain(|_| {
        place += 1;
        !places.contains(&(place - 1))
    });
}

/// Explains why two runs have no common case.
fn nothing_shared(a: &ComparedRun, b: &ComparedRun) -> NothingShared {
    for run in [a, b] {
        if run.rows.is_empty() {
            return NothingShared(format!("`{}` has no results", run.name()));
        }
    }
    NothingShared(
        differing("cases", a, b, |row| row.id.to_string())
            .or_else(|| differing("files", a, b, |row| row.file.to_string()))
            .or_else(|| differing("cases", a, b, |row| format!("{}\0{}", row.file, row.id)))
            .or_else(|| {
                if by_target(a, b) {
                    differing("targets", a, b, |row| row.target.to_string())
                } else {
                    None
                }
            })
            .unwrap_or_else(|| "no case has the same target in both".to_owned()),
    )
}

/// Lists the values of each run, if the runs have none in common.
fn differing(
    what: &str,
    a: &ComparedRun,
    b: &ComparedRun,
    of: fn(&Row) -> String,
) -> Option<String> {
    let all = |run: &ComparedRun| run.rows.iter().map(of).collect::<BTreeSet<String>>();
    let (of_a, of_b) = (all(a), all(b));
    of_a.is_disjoint(&of_b).then(|| {
        let shown = |names: &BTreeSet<String>| {
            let names = names
                .iter()
                .map(|name| name.rsplit('\0').next().unwrap_or(name));
            listed(names, 3)
        };
        format!(
            "`{}` has the {what} {}, but `{}` has {}",
            a.name(),
            shown(&of_a),
            b.name(),
            shown(&of_b)
        )
    })
}
