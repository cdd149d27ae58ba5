//! The cases that differ most, with the reasons of both runs.

use agentv_core::{ResultRecord, Status};
use agentv_journal::FileError;

use super::cases::Case;
use super::comparison::Comparison;
use super::run::{ComparedRun, Row};
use crate::text::clip;
use agentv_statistics::PairOutcome;

/// The number of bytes that are kept of a reason.
const LONGEST_REASON: usize = 600;

/// The cases that differ most.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownCases {
    /// The cases in which the second run is worse, the largest difference first.
    pub losses: Vec<ShownCase>,
    /// The cases in which the second run is better, the largest difference first.
    pub wins: Vec<ShownCase>,
}

/// A case that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownCase {
    /// The name, with the parts that identify it.
    pub name: String,
    /// The second score minus the first.
    pub delta: f64,
    /// The number of trials in the mean.
    pub trials: usize,
    /// True if the case asks or grades something else now; `None` if that is not known.
    pub changed: Option<bool>,
    /// The index of the matched trial that shows the difference best.
    pub(super) trial: usize,
    /// The case in the first run.
    pub a: ShownSide,
    /// The case in the second run.
    pub b: ShownSide,
}

/// A case in one run. If there are several trials, the one that shows the difference best.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSide {
    /// The mean score.
    pub score: f64,
    /// The status of the trial.
    pub status: Status,
    /// The reason, in the words of its evaluators.
    pub reason: Option<String>,
}

impl ShownCases {
    /// Finds the `most` largest losses and the `most` largest wins, and reads their reasons.
    ///
    /// # Errors
    /// Fails if the results cannot be read.
    pub fn of(comparison: &Comparison<'_>, most: usize) -> Result<ShownCases, FileError> {
        Ok(ShownCases {
            losses: shown(comparison, most, PairOutcome::Loss)?,
            wins: shown(comparison, most, PairOutcome::Win)?,
        })
    }
}

fn shown(
    comparison: &Comparison<'_>,
    most: usize,
    outcome: PairOutcome,
) -> Result<Vec<ShownCase>, FileError> {
    let threshold = comparison.summary().threshold;
    let mut cases: Vec<(f64, &Case)> = comparison
        .cases
        .iter()
        .filter_map(|case| Some((case.delta()?, case)))
        .filter(|(delta, _)| PairOutcome::of(*delta, threshold) == outcome)
        .collect();
    // A stable sort, so that cases with equal differences keep their order.
    cases.sort_by(|(one, _), (other, _)| other.abs().total_cmp(&one.abs()));
    cases.truncate(most);
    let trials: Vec<usize> = cases
        .iter()
        .map(|(delta, case)| telling(comparison, case, *delta))
        .collect();
    let telling: Vec<(&Row, &Row)> = trials.iter().map(|at| comparison.rows(*at)).collect();
    let of_a = reasons(comparison.a, telling.iter().map(|(row, _)| *row))?;
    let of_b = reasons(comparison.b, telling.iter().map(|(_, row)| *row))?;
    let reasons = of_a.into_iter().zip(of_b);
    let cases = cases.into_iter().zip(trials).zip(reasons);
    Ok(cases
        .filter_map(|(((delta, case), trial), (a, b))| {
            let (row_a, row_b) = comparison.rows(trial);
            let scores = case.scores?;
            let side = |score: f64, row: &Row, reason: Option<String>| ShownSide {
                score,
                status: row.share.status,
                reason,
            };
            Some(ShownCase {
                name: comparison.naming.case(row_b),
                delta,
                trials: case.trials.len(),
                changed: case.changed,
                trial,
                a: side(scores.0, row_a, a),
                b: side(scores.1, row_b, b),
            })
        })
        .collect())
}

/// Returns the trial that differs most in the direction of the case, or the first that has a grade
/// in one of the runs.
fn telling(comparison: &Comparison<'_>, case: &Case, delta: f64) -> usize {
    let size = |trial: usize| {
        let (a, b) = comparison.rows(trial);
        Some((b.score()? - a.score()?) * delta.signum())
    };
    let mut best: Option<(usize, f64)> = None;
    for trial in case.trials.clone() {
        let found = size(trial);
        if let Some(found) = found.filter(|found| best.is_none_or(|(_, size)| *found > size)) {
            best = Some((trial, found));
        }
    }
    let is_graded = |trial: &usize| {
        let (a, b) = comparison.rows(*trial);
        a.score().or(b.score()).is_some()
    };
    let graded = || case.trials.clone().find(is_graded);
    let best = best.map(|(trial, _)| trial).or_else(graded);
    best.unwrap_or(case.trials.start)
}

/// Returns the reason of a trial; for one that passed, the findings.
fn reason(record: &ResultRecord) -> Option<&str> {
    let passed = || match (record.status, record.hits.first()) {
        (Status::Pass, Some(hit)) => Some(hit.as_str()),
        (Status::Pass, None) => Some("no misses"),
        _ => None,
    };
    record.reason().or_else(passed)
}

fn reasons<'r>(
    run: &ComparedRun,
    rows: impl Iterator<Item = &'r Row>,
) -> Result<Vec<Option<String>>, FileError> {
    let rows: Vec<&Row> = rows.collect();
    let places: Vec<u64> = rows.iter().map(|row| row.place).collect();
    let records = run.records(&places)?;
    // A file that grew or was replaced in the meantime may have other content there.
    let is_of = |record: &ResultRecord, row: &Row| {
        *record.eval_id == *row.id && record.eval_file == row.file && record.trial == row.trial
    };
    let records = records.into_iter().zip(rows);
    Ok(records
        .map(|(record, row)| {
            let record = record.filter(|record| is_of(record, row))?;
            let reason = reason(&record)?;
            Some(clip(reason, LONGEST_REASON).to_owned())
        })
        .collect())
}
