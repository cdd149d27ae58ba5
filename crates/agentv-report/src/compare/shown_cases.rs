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
    /// True if the case asks or grades something else now; `None` if that is not known.
    pub changed: Option<bool>,
    /// The index of the matched case.
    pub(super) index: usize,
    /// The case in the first run.
    pub a: ShownSide,
    /// The case in the second run.
    pub b: ShownSide,
}

/// A case in one run. If there are several trials, the reason is that of the one that shows the difference
/// best.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSide {
    /// The mean score.
    pub score: f64,
    /// The mean score as it is shown.
    pub shown_score: String,
    /// The number of graded trials, of which the score is the mean.
    pub trials: usize,
    /// The status of the trial, or the number of trials that passed.
    pub verdict: String,
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
    let mut cases: Vec<(usize, f64, &Case)> = comparison
        .cases
        .iter()
        .enumerate()
        .filter_map(|(index, case)| Some((index, case.delta()?, case)))
        .filter(|(_, delta, _)| PairOutcome::of(*delta, threshold) == outcome)
        .collect();
    // A stable sort, so that cases with equal differences keep their order.
    cases.sort_by(|(_, one, _), (_, other, _)| other.abs().total_cmp(&one.abs()));
    cases.truncate(most);
    let telling: Vec<(&Row, &Row)> = cases
        .iter()
        .map(|(_, delta, case)| telling(comparison, case, *delta))
        .collect();
    let of_a = reasons(comparison.a, telling.iter().map(|(row, _)| *row))?;
    let of_b = reasons(comparison.b, telling.iter().map(|(_, row)| *row))?;
    let reasons = of_a.into_iter().zip(of_b);
    let cases = cases.into_iter().zip(telling).zip(reasons);
    Ok(cases
        .filter_map(|(((index, delta, case), (row_a, row_b)), (a, b))| {
            let scores = case.scores()?;
            let rows = comparison.rows(case);
            let side = |run: &ComparedRun, score: f64, rows: &[Row], row: &Row, reason| ShownSide {
                score,
                shown_score: run.shown_score(score),
                trials: graded(rows),
                verdict: verdict(rows, row),
                reason,
            };
            Some(ShownCase {
                name: comparison.naming.case(row_b),
                delta,
                changed: case.changed,
                index,
                a: side(comparison.a, scores.0, rows.0, row_a, a),
                b: side(comparison.b, scores.1, rows.1, row_b, b),
            })
        })
        .collect())
}

/// Returns the verdict of a case: that of its trial, or the share of its graded trials that passed.
fn verdict(rows: &[Row], row: &Row) -> String {
    let graded = graded(rows);
    if graded == 1 {
        return row.share.status.to_string();
    }
    let passed = rows.iter().filter(|row| row.passed()).count();
    format!("{passed} of {graded} passed")
}

fn graded(rows: &[Row]) -> usize {
    rows.iter().filter(|row| row.score().is_some()).count()
}

/// Returns the trials of both runs that show the difference best: the highest score of the better
/// run, and the lowest of the other.
fn telling<'c>(comparison: &'c Comparison<'_>, case: &Case, delta: f64) -> (&'c Row, &'c Row) {
    let (a, b) = comparison.rows(case);
    (extreme(a, -delta), extreme(b, delta))
}

/// Returns the trial with the highest score in a direction, the first of several.
fn extreme(rows: &[Row], direction: f64) -> &Row {
    let size = |row: &Row| row.score().map(|score| score * direction.signum());
    rows.iter().fold(&rows[0], |best, row| {
        let is_better = match (size(best), size(row)) {
            (Some(best), Some(size)) => size > best,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if is_better { row } else { best }
    })
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
