//! The work that a resumed run has done before.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use agentv_core::{ResultRecord, Stage, Status, TranscriptRecord, Trial, TrialError};
use agentv_journal::{FileError, Key, KeyFields, Latest, RecordFile, RunFolder};
use serde::de::IgnoredAny;

use super::spending::Spending;

/// The records of a run, by key. Empty for a new run.
#[derive(Debug, Default)]
pub struct PreviousRun {
    journal: Option<Opened>,
    retry_errors: bool,
    changes: Changes,
}

/// The changes of targets since a run, each with the reason, by the name of the target.
#[derive(Debug, Default)]
pub struct Changes {
    /// The reasons for which answers are out of date.
    pub answers: HashMap<String, String>,
    /// The reasons for which grades are out of date.
    pub grades: HashMap<String, String>,
    /// The targets that run a command whose files are not known: their answers never seem out of date.
    pub untracked: HashSet<String>,
}

#[derive(Debug)]
struct Opened {
    folder: RunFolder,
    transcripts: Mutex<Latest>,
    results: Mutex<Latest>,
    /// The last result of each trial, if any trial has several.
    trials: Option<Mutex<Latest>>,
    /// The last answer of each trial, if a target has changed.
    answered: Option<Mutex<Latest>>,
    /// The last result of each answer, read when it is needed.
    graded: Mutex<Option<Latest>>,
    /// The last result of each trial, if a judge or the threshold has changed.
    graded_trials: Option<Mutex<Latest>>,
}

impl PreviousRun {
    /// Reads the keys of a run's journal. With `retry_errors`, errored trials count as not done.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn read(folder: &RunFolder, retry_errors: bool) -> Result<PreviousRun, FileError> {
        let latest = |file, key| folder.latest(file, &KeyFields::new([key])).map(Mutex::new);
        let trials = folder.latest(RecordFile::Results, &trial_fields())?;
        Ok(PreviousRun {
            journal: Some(Opened {
                folder: folder.clone(),
                transcripts: latest(RecordFile::Transcripts, "answer_key")?,
                results: latest(RecordFile::Results, "grade_key")?,
                trials: (trials.superseded() > 0).then(|| Mutex::new(trials)),
                answered: None,
                graded: Mutex::default(),
                graded_trials: None,
            }),
            retry_errors,
            changes: Changes::default(),
        })
    }

    /// Notes the changes since.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn with_changes(mut self, changes: Changes) -> Result<PreviousRun, FileError> {
        if let Some(journal) = &mut self.journal {
            let latest = |file, is_needed: bool| {
                let latest = is_needed.then(|| journal.folder.latest(file, &trial_fields()));
                latest.transpose().map(|latest| latest.map(Mutex::new))
            };
            let answered = latest(RecordFile::Transcripts, !changes.answers.is_empty())?;
            let graded = latest(RecordFile::Results, !changes.grades.is_empty())?;
            (journal.answered, journal.graded_trials) = (answered, graded);
        }
        Ok(PreviousRun { changes, ..self })
    }

    /// Returns the changes since.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Returns the folder of the run; `None` for a new run.
    pub(crate) fn folder(&self) -> Option<&RunFolder> {
        self.journal.as_ref().map(|journal| &journal.folder)
    }

    /// Returns true if a trial was answered before its target changed.
    pub(crate) fn was_answered(&self, trial: &Trial) -> Result<bool, FileError> {
        let answered = self.journal.as_ref().and_then(|it| it.answered.as_ref());
        answered.map_or(Ok(false), |latest| lock(latest).contains(&name_of(trial)))
    }

    /// Returns true if a trial was graded before its judge or its threshold changed.
    pub(crate) fn had_result(&self, trial: &Trial) -> Result<bool, FileError> {
        let journal = self.journal.as_ref();
        let graded = journal.and_then(|journal| journal.graded_trials.as_ref());
        graded.map_or(Ok(false), |latest| lock(latest).contains(&name_of(trial)))
    }

    /// Returns the money that the run has spent so far; `None` for a new run.
    pub(crate) fn spending(&self) -> Result<Option<Spending>, FileError> {
        let folder = self.journal.as_ref().map(|found| &found.folder);
        folder.map(Spending::read).transpose()
    }

    /// Returns the number of damaged lines in the journal.
    pub fn damaged_lines(&self) -> u64 {
        self.journal.as_ref().map_or(0, |found| {
            lock(&found.transcripts).damaged_lines() + lock(&found.results).damaged_lines()
        })
    }

    /// Returns true for a new run.
    pub(crate) fn is_empty(&self) -> bool {
        self.journal.is_none()
    }

    /// Returns the result with this key, unless it is to be retried.
    pub(crate) fn result(&self, grade_key: &str) -> Result<Option<FoundResult>, FileError> {
        let Some(journal) = &self.journal else {
            return Ok(None);
        };
        let record = lock(&journal.results).get::<ResultRecord>(&Key::from(grade_key))?;
        let Some(record) = record.filter(|record| !self.is_to_be_retried(&record.value)) else {
            return Ok(None);
        };
        let latest = match &journal.trials {
            Some(trials) => lock(trials).get::<IgnoredAny>(&trial_of(&record.value))?,
            None => None,
        };
        Ok(Some(FoundResult {
            is_latest: latest.is_none_or(|latest| latest.offset == record.offset),
            offset: record.offset,
            record: record.value,
        }))
    }

    /// Returns true if there is a result with this key that is not to be retried.
    pub(crate) fn has_result(&self, grade_key: &str) -> Result<bool, FileError> {
        let Some(journal) = &self.journal else {
            return Ok(false);
        };
        let mut results = lock(&journal.results);
        if !self.retry_errors {
            return results.contains(&Key::from(grade_key));
        }
        let record = results.get::<ResultRecord>(&Key::from(grade_key))?;
        Ok(record.is_some_and(|record| !self.is_to_be_retried(&record.value)))
    }

    /// Returns true if there is a record with this key, errored or not.
    pub(crate) fn has_record(&self, grade_key: &str) -> Result<bool, FileError> {
        self.journal.as_ref().map_or(Ok(false), |journal| {
            lock(&journal.results).contains(&Key::from(grade_key))
        })
    }

    fn is_to_be_retried(&self, record: &ResultRecord) -> bool {
        let is_stopped = |error: &TrialError| error.stage == Stage::Stop;
        record.error.as_ref().is_some_and(is_stopped)
            || self.retry_errors && record.status == Status::Error
    }

    /// Returns the answer with this key.
    pub(crate) fn transcript(
        &self,
        answer_key: &str,
    ) -> Result<Option<TranscriptRecord>, FileError> {
        let record = self.record(answer_key)?;
        // The transcript of an errored trial is not an answer.
        Ok(record.filter(|record| record.error.is_none()))
    }

    /// Returns the last transcript with this key: an answer, or what an errored trial left.
    pub(crate) fn record(&self, answer_key: &str) -> Result<Option<TranscriptRecord>, FileError> {
        let Some(journal) = &self.journal else {
            return Ok(None);
        };
        let record = lock(&journal.transcripts).get::<TranscriptRecord>(&Key::from(answer_key))?;
        Ok(record.map(|record| record.value))
    }

    /// Returns true if a trial with this answer key has a result that is not to be retried, by whatever
    /// evaluators.
    pub(crate) fn was_graded(&self, answer_key: &str) -> Result<bool, FileError> {
        let Some(journal) = &self.journal else {
            return Ok(false);
        };
        let mut graded = journal
            .graded
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let latest = match &mut *graded {
            Some(latest) => latest,
            unread => {
                let fields = KeyFields::new(["answer_key"]);
                unread.insert(journal.folder.latest(RecordFile::Results, &fields)?)
            }
        };
        let record = latest.get::<ResultRecord>(&Key::from(answer_key))?;
        Ok(record.is_some_and(|record| !self.is_to_be_retried(&record.value)))
    }

    /// Returns true if there is an answer with this key.
    pub(crate) fn has_transcript(&self, answer_key: &str) -> Result<bool, FileError> {
        Ok(self.transcript(answer_key)?.is_some())
    }
}

/// The result of a trial that was done before.
#[derive(Debug)]
pub(crate) struct FoundResult {
    pub(crate) record: ResultRecord,
    /// The offset of the record.
    pub(crate) offset: u64,
    /// True if no other record of the trial followed it.
    pub(crate) is_latest: bool,
}

/// Returns the fields that identify a trial. Of several results with the same values, the last one
/// counts.
pub fn trial_fields() -> KeyFields {
    KeyFields::new(ResultRecord::TRIAL)
}

fn trial_of(record: &ResultRecord) -> Key {
    let trial = u64::from(record.trial);
    Key::of([
        (&*record.eval_file).into(),
        record.eval_id.as_str().into(),
        (&*record.target).into(),
        trial.into(),
    ])
}

fn name_of(trial: &Trial) -> Key {
    let number = u64::from(trial.number);
    Key::of([
        (&*trial.file.name).into(),
        trial.case.id.as_str().into(),
        (&*trial.target).into(),
        number.into(),
    ])
}

fn lock(latest: &Mutex<Latest>) -> MutexGuard<'_, Latest> {
    latest.lock().unwrap_or_else(PoisonError::into_inner)
}
