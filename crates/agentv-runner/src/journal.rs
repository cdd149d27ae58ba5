//! The records of a run, written as they come.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use agentv_core::{ResultRecord, Secrets, TranscriptRecord};
use agentv_journal::{Append, AppendError, FolderError, RecordFile, RunWriter};
use serde::Serialize;

/// The two record files of a run, open for appending. Secrets are replaced here, so that none
/// reaches the disk, whatever put it into a record.
#[derive(Debug)]
pub struct Journal {
    transcripts: Mutex<Append>,
    results: Mutex<Append>,
    secrets: Secrets,
}

impl Journal {
    /// Opens the record files of a run folder.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub fn open(writer: &mut RunWriter, secrets: Secrets) -> Result<Journal, FolderError> {
        let mut open = |file| Ok::<_, FolderError>(Mutex::new(writer.append(file)?.sync_apart()));
        Ok(Journal {
            transcripts: open(RecordFile::Transcripts)?,
            results: open(RecordFile::Results)?,
            secrets,
        })
    }

    /// What must not be written anywhere.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Writes what a target answered.
    pub(crate) fn write_transcript(&self, record: &TranscriptRecord) -> Result<(), AppendError> {
        self.write(&self.transcripts, record)?;
        Ok(())
    }

    /// Writes how a trial ended; gives the record as it was written, where that differs.
    pub(crate) fn write_result(
        &self,
        record: &ResultRecord,
    ) -> Result<Option<ResultRecord>, AppendError> {
        let redacted = self.write(&self.results, record)?;
        Ok(redacted.and_then(|json| serde_json::from_slice(&json).ok()))
    }

    /// Appends a record; gives its JSON where a secret was replaced in it.
    fn write<T: Serialize>(
        &self,
        file: &Mutex<Append>,
        record: &T,
    ) -> Result<Option<Vec<u8>>, AppendError> {
        // Encoded before the file is locked: others write meanwhile.
        let mut json = Vec::with_capacity(1024);
        // A record consists of texts and finite numbers, which JSON has.
        let _ = serde_json::to_writer(&mut json, record);
        let redacted = self.secrets.redact_json(&mut json);
        lock(file).append_json(&json, Instant::now())?;
        Ok(redacted.then_some(json))
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
