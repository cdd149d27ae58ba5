//! The trials that two runs share.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use thiserror::Error;

use super::labels::listed;
use super::run::{ComparedRun, Row};

/// The trials that two runs share: those with the same file, case, number and target. If each run
/// has a single target, these two are compared whatever their names.
#[derive(Debug, Default)]
pub(super) struct Matching {
    /// The indices of matching rows, in the order of rows.
    pub(super) matched: Vec<(usize, usize)>,
    /// The rows that only the first run has.
    pub(super) only_a: Vec<usize>,
    /// The rows that only the second run has.
    pub(super) only_b: Vec<usize>,
}

/// Two runs without a common trial, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the runs share no case: {0}")]
pub struct NothingShared(String);

/// Checks if targets are matched by name: unless each run has only one.
pub(super) fn by_target(a: &ComparedRun, b: &ComparedRun) -> bool {
    a.targets().len() > 1 || b.targets().len() > 1
}

pub(super) fn matching(a: &ComparedRun, b: &ComparedRun) -> Result<Matching, NothingShared> {
    let by_target = by_target(a, b);
    let order = |a: &Row, b: &Row| {
        let targets = match by_target {
            true => a.target.cmp(&b.target),
            false => Ordering::Equal,
        };
        a.case_order(b).then(targets).then(a.trial.cmp(&b.trial))
    };
    let mut found = Matching::default();
    let (mut of_a, mut of_b) = (0, 0);
    while let (Some(row_a), Some(row_b)) = (a.rows.get(of_a), b.rows.get(of_b)) {
        match order(row_a, row_b) {
            Ordering::Equal => {
                found.matched.push((of_a, of_b));
                of_a += 1;
                of_b += 1;
            }
            Ordering::Less => {
                found.only_a.push(of_a);
                of_a += 1;
            }
            Ordering::Greater => {
                found.only_b.push(of_b);
                of_b += 1;
            }
        }
    }
    found.only_a.extend(of_a..a.rows.len());
    found.only_b.extend(of_b..b.rows.len());
    match found.matched.is_empty() {
        true => Err(nothing_shared(a, b)),
        false => Ok(found),
    }
}

/// Explains why two runs have no common trial.
fn nothing_shared(a: &ComparedRun, b: &ComparedRun) -> NothingShared {
    for run in [a, b] {
        if run.rows.is_empty() {
            return NothingShared(format!("`{}` has no results", run.name()));
        }
    }
    NothingShared(
        differing("files", a, b, |row| row.file.to_string())
            .or_else(|| differing("cases", a, b, |row| format!("{}\0{}", row.file, row.id)))
            .or_else(|| match by_target(a, b) {
                true => differing("targets", a, b, |row| row.target.to_string()),
                false => None,
            })
            .or_else(|| differing("trials", a, b, |row| format!("{0:010}\0{0}", row.trial)))
            .unwrap_or_else(|| match by_target(a, b) {
                true => "no trial has the same case, number and target in both".to_owned(),
                false => "no trial has the same case and number in both".to_owned(),
            }),
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
