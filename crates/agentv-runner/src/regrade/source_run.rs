//! The run whose answers are graded again: of each trial, the answer that counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agentv_core::{CaseIdentity, Digest, Stage, TrialError};
use agentv_journal::{Damage, FileError, Line, RecordFile, RecordsAt, RunFolder};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What an earlier run left to be graded: of each trial, the answer that its last result is about, or
/// where it has no result the last one. Holds 32 bytes a trial, and none of the records.
#[derive(Debug)]
pub struct SourceRun {
    folder: RunFolder,
    /// By trial.
    trials: Vec<SourceTrial>,
    files: Vec<SourceRunFile>,
    damage: Vec<(RecordFile, Damage)>,
    damaged: u64,
}

/// The damaged lines of which more is kept than their number.
const TOLD: usize = 100;

/// An eval file of a run, and what was asked of its cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRunFile {
    /// How records name it.
    pub name: Arc<str>,
    /// The targets that answered its cases, or were to.
    pub targets: BTreeSet<Arc<str>>,
    /// The highest number of a trial.
    pub trials: u32,
}

/// One trial, and where its record is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceTrial {
    pub(crate) key: u128,
    /// A digest of what was asked.
    pub(crate) question: u64,
    /// The place of its record, and in the lowest two bits what that is.
    place: u64,
}

/// What is known of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// The target's answer, in the transcripts.
    Answer,
    /// That the target gave none, in the results.
    Error,
    /// A grade, in the results, of an answer that is not there any more.
    Lost,
}

impl SourceTrial {
    fn new(key: u128, question: u64, offset: u64, left: Left) -> SourceTrial {
        let place = offset << 2 | left as u64;
        SourceTrial {
            key,
            question,
            place,
        }
    }

    pub(crate) fn offset(self) -> u64 {
        self.place >> 2
    }

    pub(crate) fn left(self) -> Left {
        match self.place & 3 {
            0 => Left::Answer,
            1 => Left::Error,
            _ => Left::Lost,
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
}

/// A record on the way to becoming a trial.
struct Scanned {
    key: u128,
    offset: u64,
    answer: u64,
    /// Of an answer what was asked, of a result whether the target errored.
    about: u64,
}

impl SourceRun {
    /// Goes through the records of a run once.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(folder: &RunFolder) -> Result<SourceRun, FileError> {
        let mut met = Met::default();
        let mut answers = Vec::new();
        met.scan::<AnswerLine>(folder, RecordFile::Transcripts, &mut |met, offset, line| {
            met.file(&line.eval_file, &line.target, line.trial);
            answers.push(Scanned {
                key: trial_key(&line.eval_file, &line.eval_id, &line.target, line.trial),
                offset,
                answer: number_of(&line.answer_key),
                about: question_of(line.identity, &line.case),
            });
        })?;
        let mut results = Vec::new();
        met.scan::<ResultLine>(folder, RecordFile::Results, &mut |met, offset, line| {
            met.file(&line.eval_file, &line.target, line.trial);
            let of_target = |error: TrialError| error.stage == Stage::Target;
            results.push(Scanned {
                key: trial_key(&line.eval_file, &line.eval_id, &line.target, line.trial),
                offset,
                answer: number_of(&line.answer_key),
                about: u64::from(line.error.is_some_and(of_target)),
            });
        })?;
        Ok(SourceRun {
            folder: folder.clone(),
            trials: trials_of(answers, results),
            files: met.order,
            damage: met.damage,
            damaged: met.damaged,
        })
    }

    /// The eval files whose cases were asked, in the order in which they were met.
    pub fn files(&self) -> &[SourceRunFile] {
        &self.files
    }

    /// Whether any target answered.
    pub fn has_answers(&self) -> bool {
        let mut trials = self.trials.iter();
        trials.any(|trial| trial.left() == Left::Answer)
    }

    /// How many lines hold no record.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged
    }

    /// What is wrong with the first hundred of those.
    pub fn damage(&self) -> &[(RecordFile, Damage)] {
        &self.damage
    }

    pub(crate) fn trials(&self) -> &[SourceTrial] {
        &self.trials
    }

    /// The index of a trial.
    pub(crate) fn find(&self, key: u128) -> Option<usize> {
        self.trials
            .binary_search_by_key(&key, |trial| trial.key)
            .ok()
    }

    /// The records of one of the two files, by place.
    pub(crate) fn places(&self, file: RecordFile) -> Result<RecordsAt, FileError> {
        RecordsAt::open(&self.folder.file(file))
    }
}

/// What a scan comes across.
#[derive(Default)]
struct Met {
    order: Vec<SourceRunFile>,
    by_name: BTreeMap<String, usize>,
    damage: Vec<(RecordFile, Damage)>,
    damaged: u64,
}

impl Met {
    fn scan<T: serde::de::DeserializeOwned>(
        &mut self,
        folder: &RunFolder,
        file: RecordFile,
        each: &mut dyn FnMut(&mut Met, u64, T),
    ) -> Result<(), FileError> {
        for line in folder.records::<T>(file)? {
            match line? {
                Line::Record(record) => each(self, record.offset, record.value),
                Line::Damaged(damage) => {
                    self.damaged += 1;
                    if self.damage.len() < TOLD {
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

/// Of each trial one record: the answer that its last result is about, the last answer where it has no
/// result, else the result.
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
            0 => Left::Lost,
            _ => Left::Error,
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
                trials.push(SourceTrial::new(
                    key,
                    answer.about,
                    answer.offset,
                    Left::Answer,
                ));
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
    identity.map_or(0, |identity| identity.question.short())
}

/// 128 bits: no two trials of a run are the same by accident.
pub(crate) fn trial_key(eval_file: &str, eval_id: &str, target: &str, trial: u32) -> u128 {
    let mut hasher = blake3::Hasher::new();
    for part in [eval_file, eval_id, target] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.update(&trial.to_le_bytes());
    let digest = hasher.finalize();
    let bytes = digest.as_bytes().first_chunk().copied();
    bytes.map(u128::from_le_bytes).unwrap_or_default()
}

/// Returns a number for a key. It tells apart the few keys of one trial.
fn number_of(key: &str) -> u64 {
    Digest::of(key.as_bytes()).short()
}
