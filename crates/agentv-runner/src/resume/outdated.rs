//! Results of a resumed run that are of an earlier version of their cases, targets or settings.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agentv_core::{Digest, Outdated, ResultRecord};
use agentv_journal::{FileError, Line, RecordFile, RecordsAt, RunFolder};
use serde::Deserialize;

use crate::consumer::Consumer;
use crate::failure::RunError;
use crate::resume::previous_run::trial_fields;
use crate::schedule::source::{CurrentTrial, TrialSource};

/// The part of a result that says if it is current.
#[derive(Deserialize)]
struct Keys {
    eval_file: String,
    eval_id: String,
    #[serde(default)]
    position: Option<u64>,
    answer_key: String,
    grade_key: String,
    #[serde(default)]
    outdated: Option<Outdated>,
}

/// A result that this request has not reused.
struct Other {
    offset: u64,
    case: u64,
    position: Option<u64>,
    answer: u64,
    grade: u64,
    /// The mark that it has.
    outdated: Option<Outdated>,
}

/// Marks the results that the files, targets and settings of today would not give again. Results of trials
/// that the request repeats replace them later. Removes the marks of results that are current again, and
/// updates the places of cases in their files. Does nothing for a new run.
pub(crate) fn mark_outdated(
    consumer: &Consumer,
    folder: &RunFolder,
    sources: &[Arc<dyn TrialSource>],
) -> Result<(), RunError> {
    let Some(counted) = consumer.journal.counted() else {
        return Ok(());
    };
    let others = others(folder, &counted)?;
    if others.is_empty() {
        return Ok(());
    }
    let current = Current::of(&others, sources)?;
    let mut records = RecordsAt::open(&folder.file(RecordFile::Results))?;
    for other in others {
        let outdated = current.mark_of(&other);
        let position = current.position_of(&other);
        if (outdated, position) != (other.outdated, other.position) {
            let record = records.get::<ResultRecord>(other.offset)?.value;
            let record = ResultRecord {
                outdated,
                position,
                ..record
            };
            let written = consumer.journal.mark_result(&record);
            written.map_err(RunError::Write)?;
        }
    }
    Ok(())
}

/// Returns the results that count in the folder, except those at the offsets in `counted`.
fn others(folder: &RunFolder, counted: &[u64]) -> Result<Vec<Other>, FileError> {
    let latest = folder.latest(RecordFile::Results, &trial_fields())?;
    let mut others = Vec::new();
    for line in latest.records::<Keys>() {
        let Line::Record(record) = line? else {
            continue;
        };
        if counted.binary_search(&record.offset).is_err() {
            others.push(Other {
                offset: record.offset,
                case: case_of(&record.value.eval_file, &record.value.eval_id),
                position: record.value.position,
                answer: short(&record.value.answer_key),
                grade: short(&record.value.grade_key),
                outdated: record.value.outdated,
            });
        }
    }
    Ok(others)
}

/// The keys of results that no trial has now, and the places that their cases have now.
struct Current {
    old_answers: HashSet<u64>,
    old_grades: HashSet<u64>,
    positions: HashMap<u64, Option<u64>>,
}

impl Current {
    /// Compares results with the trials of today.
    fn of(others: &[Other], sources: &[Arc<dyn TrialSource>]) -> Result<Current, RunError> {
        let mut current = Current {
            old_answers: others.iter().map(|other| other.answer).collect(),
            old_grades: others.iter().map(|other| other.grade).collect(),
            positions: others.iter().map(|other| (other.case, None)).collect(),
        };
        for source in sources {
            source.current_trials(&mut |trial: &CurrentTrial<'_>| {
                current.old_answers.remove(&short(trial.answer_key));
                current.old_grades.remove(&short(trial.grade_key));
                let case = case_of(trial.eval_file, trial.eval_id);
                if let Some(position) = current.positions.get_mut(&case) {
                    *position = trial.position;
                }
            })?;
        }
        Ok(current)
    }

    /// Returns the place of a result's case in its file now, or the last one that is known.
    fn position_of(&self, other: &Other) -> Option<u64> {
        let now = self.positions.get(&other.case).copied().flatten();
        now.or(other.position)
    }

    fn mark_of(&self, other: &Other) -> Option<Outdated> {
        let is_old = self.old_grades.contains(&other.grade);
        is_old.then(|| {
            if self.old_answers.contains(&other.answer) {
                Outdated::Answer
            } else {
                Outdated::Grade
            }
        })
    }
}

/// Returns a number for a case.
fn case_of(eval_file: &str, eval_id: &str) -> u64 {
    Digest::of_texts(&[eval_file, eval_id]).short()
}

/// Returns a number for a key.
fn short(key: &str) -> u64 {
    let digits = key.get(..16).filter(|_| key.len() == 32);
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.unwrap_or_else(|| Digest::of(key.as_bytes()).short())
}
