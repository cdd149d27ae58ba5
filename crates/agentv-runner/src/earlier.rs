//! What a run that is resumed has done already.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agentv_core::{ResultRecord, Status, TranscriptRecord};
use agentv_journal::{FileError, Key, KeyFields, Latest, Line, RecordFile, RunFolder};
use serde::Deserialize;

use crate::budget::Spent;

/// What the journal of a run holds by key. Of a new run: nothing.
#[derive(Debug, Default)]
pub struct Earlier {
    found: Option<Found>,
    retry_errors: bool,
}

#[derive(Debug)]
struct Found {
    folder: RunFolder,
    transcripts: Mutex<Latest>,
    results: Mutex<Latest>,
}

/// What a transcript's record says of its cost.
#[derive(Deserialize)]
struct Paid {
    target: String,
    #[serde(default)]
    cached: bool,
    transcript: PaidTranscript,
}

#[derive(Deserialize)]
struct PaidTranscript {
    #[serde(default)]
    cost_usd: Option<f64>,
}

impl Earlier {
    /// Reads the keys of a run's journal. Errored trials count as not done with `retry_errors`.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(folder: &RunFolder, retry_errors: bool) -> Result<Earlier, FileError> {
        let latest = |file, key| folder.latest(file, &KeyFields::new([key])).map(Mutex::new);
        Ok(Earlier {
            found: Some(Found {
                folder: folder.clone(),
                transcripts: latest(RecordFile::Transcripts, "answer_key")?,
                results: latest(RecordFile::Results, "grade_key")?,
            }),
            retry_errors,
        })
    }

    /// What the answers of each target cost so far, graded or not.
    pub(crate) fn spent(&self) -> Result<HashMap<String, Spent>, FileError> {
        let mut by_target: HashMap<String, Spent> = HashMap::new();
        let Some(found) = &self.found else {
            return Ok(by_target);
        };
        for line in found.folder.records::<Paid>(RecordFile::Transcripts)? {
            let Line::Record(record) = line? else {
                continue;
            };
            let Paid {
                target,
                cached,
                transcript,
            } = record.value;
            if let Some(cost) = transcript.cost_usd.filter(|_| !cached) {
                let spent = by_target.entry(target).or_default();
                spent.dollars += cost;
                spent.most = spent.most.max(cost);
            }
        }
        Ok(by_target)
    }

    /// How many lines of the journal hold no record.
    pub fn damaged_lines(&self) -> u64 {
        self.found.as_ref().map_or(0, |found| {
            lock(&found.transcripts).damaged_lines() + lock(&found.results).damaged_lines()
        })
    }

    /// How a trial ended, if it did.
    pub(crate) fn result(&self, grade_key: &str) -> Result<Option<ResultRecord>, FileError> {
        let Some(found) = &self.found else {
            return Ok(None);
        };
        let record = lock(&found.results).get::<ResultRecord>(&Key::from(grade_key))?;
        Ok(record
            .map(|record| record.value)
            .filter(|record| !(self.retry_errors && record.status == Status::Error)))
    }

    /// What the target answered, if it did.
    pub(crate) fn transcript(
        &self,
        answer_key: &str,
    ) -> Result<Option<TranscriptRecord>, FileError> {
        let Some(found) = &self.found else {
            return Ok(None);
        };
        let record = lock(&found.transcripts).get(&Key::from(answer_key))?;
        Ok(record.map(|record| record.value))
    }
}

fn lock(latest: &Mutex<Latest>) -> MutexGuard<'_, Latest> {
    latest.lock().unwrap_or_else(PoisonError::into_inner)
}
