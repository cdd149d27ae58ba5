//! The records of a run, written as they come.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use agentv_core::{ResultRecord, Secrets, TranscriptRecord};
use agentv_journal::{Append, AppendError, FolderError, RecordFile, RunWriter};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The two record files of a run, open for appending. Secrets are replaced here, so that none
/// reaches the disk, whatever put it into a record.
#[derive(Debug)]
pub struct Journal {
    transcripts: Mutex<Append>,
    results: Mutex<Append>,
    secrets: Secrets,
    /// Where the results begin that count, of a run that goes on: a new one has no others.
    counted: Option<Mutex<Vec<u64>>>,
}

impl Journal {
    /// Opens the record files of a run folder.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub fn open(writer: &mut RunWriter, secrets: Secrets) -> Result<Journal, FolderError> {
        let mut open = |file| Ok::<_, FolderError>(Mutex::new(writer.append(file)?.defer_sync()));
        Ok(Journal {
            transcripts: open(RecordFile::Transcripts)?,
            results: open(RecordFile::Results)?,
            secrets,
            counted: None,
        })
    }

    /// What must not be written anywhere.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Writes what a target answered.
    pub(crate) fn write_transcript(&self, record: &TranscriptRecord) -> Result<(), AppendError> {
        self.write(&self.transcripts, record).map(drop)
    }

    /// Writes how a trial ended; gives the record as it was written, where that differs.
    pub(crate) fn write_result(
        &self,
        record: &ResultRecord,
    ) -> Result<Option<ResultRecord>, AppendError> {
        let (redacted, offset) = self.write(&self.results, record)?;
        self.count(offset);
        Ok(redacted)
    }

    /// The same, noting which results count.
    pub(crate) fn counting(self) -> Journal {
        Journal {
            counted: Some(Mutex::default()),
            ..self
        }
    }

    /// Notes that the result that begins here counts.
    pub(crate) fn count(&self, offset: u64) {
        if let Some(counted) = &self.counted {
            let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            counted.push(offset);
        }
    }

    /// Where the results begin that count, in file order; nothing of a new run, where all do.
    pub(crate) fn take_counted(&self) -> Option<Vec<u64>> {
        let counted = self.counted.as_ref()?;
        let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted = std::mem::take(&mut *counted);
        counted.sort_unstable();
        Some(counted)
    }

    /// Appends a record; gives it as it was written where a secret was replaced in it, and where it
    /// begins.
    fn write<T: Serialize + DeserializeOwned>(
        &self,
        file: &Mutex<Append>,
        record: &T,
    ) -> Result<(Option<T>, u64), AppendError> {
        // Encoded before the file is locked: others write meanwhile.
        let mut json = Vec::with_capacity(1024);
        // A record consists of texts and finite numbers, which JSON has.
        let _ = serde_json::to_writer(&mut json, record);
        let mut redacted = None;
        if self.secrets.redact_json(&mut json) {
            redacted = serde_json::from_slice(&json).ok();
            if redacted.is_none() {
                json = self.redacted_by_value(record);
                redacted = serde_json::from_slice(&json).ok();
            }
        }
        let appended = lock(file).append_json(&json, Instant::now())?;
        Ok((redacted, appended.offset))
    }

    /// The JSON of a record that a secret is in which is also part of its form, such as digits.
    fn redacted_by_value<T: Serialize>(&self, record: &T) -> Vec<u8> {
        let mut value = serde_json::to_value(record).unwrap_or_default();
        self.secrets.redact_value(&mut value);
        value.to_string().into_bytes()
    }

    /// Makes what was written survive power loss, while others write on.
    pub(crate) fn sync(&self) -> Result<(), AppendError> {
        for file in [&self.transcripts, &self.results] {
            let pending = lock(file).begin_sync()?;
            if let Some(pending) = pending {
                let synced = pending.wait();
                lock(file).end_sync(synced)?;
            }
        }
        Ok(())
    }
}

fn lock(file: &Mutex<Append>) -> MutexGuard<'_, Append> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}
