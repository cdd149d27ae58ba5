//! What a run that is resumed has done already.

use std::sync::{Mutex, MutexGuard, PoisonError};

use agentv_core::{ResultRecord, Status, TranscriptRecord};
use agentv_journal::{FileError, Key, KeyFields, Latest, RecordFile, RunFolder};

/// What the journal of a run holds by key. Of a new run: nothing.
#[derive(Debug, Default)]
pub struct Earlier {
    found: Option<Found>,
    retry_errors: bool,
}

#[derive(Debug)]
struct Found {
    transcripts: Mutex<Latest>,
    results: Mutex<Latest>,
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
                transcripts: latest(RecordFile::Transcripts, "answer_key")?,
                results: latest(RecordFile::Results, "grade_key")?,
            }),
            retry_errors,
        })
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
