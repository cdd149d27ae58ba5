//! The run whose answers are graded again: one answer per trial.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::sync::Arc;

use agentv_core::{CaseIdentity, Digest, Outdated, TrialError};
use agentv_journal::{Damage, FileError, Line, RecordFile, RecordsAt, RunFolder};
use serde::Deserialize;
use serde_json::value::RawValue;

/// An earlier run to grade again. For each trial it knows the answer that belongs to the last
/// result, or the last answer if there is no result. It holds 40 bytes per trial and no records.
#[derive(Debug)]
pub struct SourceRun {
    folder: RunFolder,
    /// The trials, sorted by key.
    trials: Vec<SourceTrial>,
    files: Vec<SourceRunFile>,
    damage: Vec<(RecordFile, Damage)>,
    damaged: u64,
}

/// The number of damaged lines that are described; further ones are only counted.
const MOST_DESCRIBED: usize = 100;

/// An eval file of an earlier run, and the trials of its cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRunFile {
    /// The path in records.
    pub name: Arc<str>,
    /// The targets of its cases.
    pub targets: BTreeSet<Arc<str>>,
    /// The highest trial number.
    pub trials: u32,
}

/// One trial and the position of its record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceTrial {
    pub(crate) key: Digest,
    /// A number for its question.
    pub(crate) question: u64,
    /// The place of its case in the file, by its last result.
    pub(crate) position: Option<NonZeroU64>,
    /// The offset of its record, with its kind in the lowest two bits, and before them a bit that is set
    /// if the answer is out of date.
    place: u64,
}

/// The kind of record that a trial left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastRecord {
    /// An answer, in the transcripts.
    Answer,
    /// An error of the target, in the results.
    Error,
    /// A result, whose answer is missing.
    Lost,
}

impl SourceTrial {
    fn new(key: Digest, question: u64, offset: u64, kind: LastRecord) -> SourceTrial {
        let place = offset << 3 | kind as u64;
        SourceTrial {
            key,
            question,
            position: None,
            place,
        }
    }

    fn at(self, position: Option<NonZeroU64>) -> SourceTrial {
        SourceTrial { position, ..self }
    }

    fn outdated(self, is_outdated: bool) -> SourceTrial {
        let place = self.place | u64::from(is_outdated) << 2;
        SourceTrial { place, ..self }
    }

    pub(crate) fn offset(self) -> u64 {
        self.place >> 3
    }

    /// Returns true if the run has marked the answer as out of date.
    pub(crate) fn is_outdated(self) -> bool {
        self.place & 4 != 0
    }

    pub(crate) fn last_record(self) -> LastRecord {
        match self.place & 3 {
            0 => LastRecord::Answer,
            1 => LastRecord::Error,
            _ => LastRecord::Lost,
        }
    }
}

#[derive(Deserialize)]
struct AnswerLine {
    eval_file: String,
    eval_id: String,
    target: String,
    trial: u32,
    answer_key: String,
    #[serde(default)]
    identity: Option<CaseIdentity>,
    case: Box<RawValue>,
    /// The error of a transcript that is not an answer.
    #[serde(default)]
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct ResultLine {
    eval_file: String,
    eval_id: String,
    target: String,
    trial: u32,
    answer_key: String,
    #[serde(default)]
    error: Option<TrialError>,
    #[serde(default)]
    outdated: Option<Outdated>,
    #[serde(default)]
    position: Option<NonZeroU64>,
}

/// A record that becomes a trial.
struct Scanned {
    key: Digest,
    offset: u64,
    answer: u64,
    /// For an answer, a number for its question; for a result, 1 if the target errored.
    about: u64,
    /// For a result, true if its answer is out of date.
    is_outdated: bool,
    /// For a result, the place of its case in the file.
    position: Option<NonZeroU64>,
}

impl SourceRun {
    /// Reads the records of a run once.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn read(folder: &RunFolder) -> Result<SourceRun, FileError> {
        let mut scan = Scan::default();
        let mut answers = Vec::new();
        scan.read::<AnswerLine>(
            folder,
            RecordFile::Transcripts,
            &mut |scan, offset, line| {
                scan.file(&line.eval_file, &line.target, line.trial);
                if line.error.is_some() {
                    return;
                }
                answers.push(Scanned {
                    key: trial_key(&line.eval_file, &line.eval_id, &line.target, line.trial),
                    offset,
                    answer: number_of(&line.answer_key),
                    about: question_of(line.identity, &line.case),
                    is_outdated: false,
                    position: None,
                });
            },
        )?;
        let mut results = Vec::new();
        scan.read::<ResultLine>(folder, RecordFile::Results, &mut |scan, offset, line| {
            scan.file(&line.eval_file, &line.target, line.trial);
            let of_target = |error: TrialError| error.stage.is_before_grading();
            results.push(Scanned {
                key: trial_key(&line.eval_file, &line.eval_id, &line.target, line.trial),
                offset,
                answer: number_of(&line.answer_key),
                about: u64::from(line.error.is_some_and(of_target)),
                is_outdated: line.outdated == Some(Outdated::Answer),
                position: line.position,
            });
        })?;
        Ok(SourceRun {
            folder: folder.clone(),
            trials: trials_of(answers, results),
            files: scan.order,
            damage: scan.damage,
            damaged: scan.damaged,
        })
    }

    /// Returns the eval files of the run, in the order of their first records.
    pub fn files(&self) -> &[SourceRunFile] {
        &self.files
    }

    /// Returns the number of trials that have a record.
    pub fn trial_count(&self) -> u64 {
        self.trials.len() as u64
    }

    /// Returns true if any target answered.
    pub fn has_answers(&self) -> bool {
        let mut trials = self.trials.iter();
        trials.any(|trial| trial.last_record() == LastRecord::Answer)
    }

    /// Returns the number of damaged lines.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged
    }

    /// Returns a description of the first hundred damaged lines.
    pub fn damage(&self) -> &[(RecordFile, Damage)] {
        &self.damage
    }

    pub(crate) fn trials(&self) -> &[SourceTrial] {
        &self.trials
    }

    /// Returns the position of a trial.
    pub(crate) fn find(&self, key: Digest) -> Option<usize> {
        self.trials
            .binary_search_by_key(&key, |trial| trial.key)
            .ok()
    }

    /// Opens one of the two record files for reading by offset.
    pub(crate) fn places(&self, file: RecordFile) -> Result<RecordsAt, FileError> {
        RecordsAt::open(&self.folder.file(file))
    }
}

/// The findings of a scan.
#[derive(Default)]
struct Scan {
    order: Vec<SourceRunFile>,
    by_name: BTreeMap<String, usize>,
    damage: Vec<(RecordFile, Damage)>,
    damaged: u64,
}

impl Scan {
    fn read<T: serde::de::DeserializeOwned>(
        &mut self,
        folder: &RunFolder,
        file: RecordFile,
        each: &mut dyn FnMut(&mut Scan, u64, T),
    ) -> Result<(), FileError> {
        for line in folder.records::<T>(file)? {
            match line? {
                Line::Record(record) => each(self, record.offset, record.value),
                Line::Damaged(damage) => {
                    self.damaged += 1;
                    if self.damage.len() < MOST_DESCRIBED {
                        self.damage.push((file, damage));
                    }
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, name: &str, target: &str, trial: u32) {
        let at = match self.by_name.get(name) {
            Some(at) => *at,
            None => {
                self.by_name.insert(name.to_owned(), self.order.len());
                self.order.push(SourceRunFile {
                    name: name.into(),
                    targets: BTreeSet::new(),
                    trials: 0,
                });
                self.order.len() - 1
            }
        };
        let file = &mut self.order[at];
        file.trials = file.trials.max(trial);
        if !file.targets.contains(target) {
            file.targets.insert(target.into());
        }
    }
}

/// Chooses one record per trial: the answer that belongs to its last result, the last answer if it
/// has no result, else the result.
fn trials_of(mut answers: Vec<Scanned>, mut results: Vec<Scanned>) -> Vec<SourceTrial> {
    let by_place = |scanned: &Scanned| (scanned.key, scanned.offset);
    answers.sort_unstable_by_key(by_place);
    results.sort_unstable_by_key(by_place);
    results.reverse();
    results.dedup_by_key(|result| result.key);
    results.reverse();
    let mut trials = Vec::with_capacity(answers.len().max(results.len()));
    let mut results = results.into_iter().peekable();
    let without_answer = |result: &Scanned, trials: &mut Vec<SourceTrial>| {
        let left = match result.about {
            0 => LastRecord::Lost,
            _ => LastRecord::Error,
        };
        trials.push(SourceTrial::new(result.key, 0, result.offset, left));
    };
    for same in answers.chunk_by(|one, other| one.key == other.key) {
        let key = same[0].key;
        while let Some(result) = results.next_if(|result| result.key < key) {
            without_answer(&result, &mut trials);
        }
        let result = results.next_if(|result| result.key == key);
        let wanted = result.as_ref().map(|result| result.answer);
        let mut latest = same.iter().rev();
        match latest.find(|answer| wanted.is_none_or(|wanted| answer.answer == wanted)) {
            Some(answer) => {
                let trial = SourceTrial::new(key, answer.about, answer.offset, LastRecord::Answer);
                let is_outdated = result.as_ref().is_some_and(|result| result.is_outdated);
                let position = result.as_ref().and_then(|result| result.position);
                trials.push(trial.outdated(is_outdated).at(position));
            }
            None => result
                .iter()
                .for_each(|result| without_answer(result, &mut trials)),
        }
    }
    results.for_each(|result| without_answer(&result, &mut trials));
    trials
}

/// Returns a number for the question of a recorded case; 0 for a case that cannot be read.
fn question_of(identity: Option<CaseIdentity>, case: &RawValue) -> u64 {
    let identity = CaseIdentity::recorded(identity, case);
    identity.map_or(0, |identity| identity.question)
}

/// Returns a key of 128 bits: no two trials of a run share one by accident.
pub(crate) fn trial_key(eval_file: &str, eval_id: &str, target: &str, trial: u32) -> Digest {
    Digest::of_texts(&[eval_file, eval_id, target, &trial.to_string()])
}

/// Returns a number for a key. It tells apart the few keys of one trial.
fn number_of(key: &str) -> u64 {
    Digest::of(key.as_bytes()).short()
}
