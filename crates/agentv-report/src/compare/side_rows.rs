//! The same case in several runs, on one row.

use std::collections::HashMap;
use std::ops::Range;

use super::matching::{Matching, by_target, cases_of, matching};
use super::run::ComparedRun;

/// The trials of a case in each run, as ranges of the run's rows.
pub(super) type Cells = Box<[Option<Range<usize>>]>;

/// Matches the cases of several runs. The cases of the first run come first, in its order, then those
/// that only later runs have. A case of a later run belongs to the row of the earliest run that has it.
pub(super) fn rows_of(runs: &[ComparedRun]) -> Vec<Cells> {
    let mut rows: Vec<Cells> = Vec::new();
    // The row of each case, by run and by the start of its trials.
    let mut places: Vec<HashMap<usize, usize>> = Vec::new();
    for (later, run) in runs.iter().enumerate() {
        let mut own: HashMap<usize, usize> = HashMap::new();
        let mut rest = cases_of(run);
        for earlier in 0..later {
            let found = matched(&runs[earlier], run);
            for case in &found.matched {
                let Some(row) = places[earlier].get(&case.a.start).copied() else {
                    continue;
                };
                if rows[row][later].is_none() && !own.contains_key(&case.b.start) {
                    rows[row][later] = Some(case.b.clone());
                    own.insert(case.b.start, row);
                }
            }
        }
        rest.retain(|case| !own.contains_key(&case.start));
        for case in rest {
            own.insert(case.start, rows.len());
            let mut cells = vec![None; runs.len()];
            cells[later] = Some(case);
            rows.push(cells.into());
        }
        places.push(own);
    }
    rows
}

/// Matches two runs; runs without a common case match nothing.
fn matched(a: &ComparedRun, b: &ComparedRun) -> Matching {
    matching(a, b).unwrap_or_default()
}

/// Checks if a row is a case on one target, so that its name needs the target.
pub(super) fn has_targets(runs: &[ComparedRun]) -> bool {
    runs.iter().any(|run| by_target(run, run))
}
