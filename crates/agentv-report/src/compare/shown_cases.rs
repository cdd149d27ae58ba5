//! The cases that differ most, with the reasons of both sides.

use agentv_core::{ResultRecord, Status};
use agentv_journal::FileError;

use super::cases::Case;
use super::comparison::Comparison;
use super::run::{ComparedRun, Row};
use crate::text::clip;
use agentv_statistics::PairOutcome;

/// How much of a reason is kept, in bytes.
const LONGEST_REASON: usize = 600;

/// The cases that differ most.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownCases {
    /// Those in which the second run is worse, the largest difference first.
    pub losses: Vec<ShownCase>,
    /// Those in which it is better.
    pub wins: Vec<ShownCase>,
}

/// A case that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownCase {
    /// What it is called, with what tells it from others.
    pub name: String,
    /// How much higher the second run is.
    pub delta: f64,
    /// How many trials this is the mean of.
    pub trials: usize,
    /// Whether the case asks or grades something else now, where that is known.
    pub changed: Option<bool>,
    /// The place of the matched trial that shows it best.
    pub(super) trial: usize,
    /// The first run.
    pub a: ShownSide,
    /// The second.
    pub b: ShownSide,
}

/// A case in one run; of several trials, that which shows the difference best.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSide {
    /// The mean score.
    pub score: f64,
    /// How the trial ended.
    pub status: Status,
    /// Why, in the words of its evaluators.
    pub reason: Option<String>,
}

impl ShownCases {
    /// The `most` largest losses and the `most` largest wins; their reasons are read again.
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
    // Stable, so that cases that differ as much stand in their order.
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

/// The trial that differs most in the direction of the case, or the first that has a grade on some
/// side.
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

/// Why a trial ended as it did; of one that passed, what was found.
fn reason(record: &ResultRecord) -> Option<&str> {
    let passed = || match (record.status, record.hits.first()) {
        (Status::Pass, Some(hit)) => Some(hit.as_str()),
        (Status::Pass, None) => Some("nothing was missed"),
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
    // A file that grew or was replaced meanwhile may have something else there.
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
