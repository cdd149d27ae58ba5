//! The record files of a run, open for appending.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use agentv_core::{Artifact, ResultRecord, Secrets, TranscriptRecord, append_json};
use agentv_journal::{Append, AppendError, FolderError, RecordFile, RunWriter, create_private};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::trial::prompt_dump::file_name;

/// The two record files of a run, open for appending. Secrets are removed here, so that none
/// reaches the disk.
#[derive(Debug)]
pub struct Journal {
    transcripts: Mutex<Append>,
    results: Mutex<Append>,
    secrets: Secrets,
    /// The offsets of the results that count; `None` for a new run, where all do.
    counted: Option<Mutex<Vec<u64>>>,
    /// The run folder.
    folder: PathBuf,
}

impl Journal {
    /// Opens the record files of a run folder.
    ///
    /// # Errors
    /// Fails if a file cannot be opened.
    pub fn open(writer: &mut RunWriter, secrets: Secrets) -> Result<Journal, FolderError> {
        let mut open = |file| Ok::<_, FolderError>(Mutex::new(writer.append(file)?.defer_sync()));
        Ok(Journal {
            transcripts: open(RecordFile::Transcripts)?,
            results: open(RecordFile::Results)?,
            secrets,
            counted: None,
            folder: writer.folder().path().to_owned(),
        })
    }

    /// Returns the values that must not be written anywhere.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Writes the answer of a target.
    pub(crate) fn write_transcript(&self, record: &TranscriptRecord) -> Result<(), AppendError> {
        self.write(&self.transcripts, record).map(drop)
    }

    /// Writes the files that belong to a transcript, without secrets, and returns where they are. One that
    /// another run has written is omitted.
    pub(crate) fn write_artifacts(&self, record: &TranscriptRecord) -> io::Result<Vec<Artifact>> {
        let mut written = Vec::new();
        for artifact in &record.transcript.artifacts {
            match (&artifact.content, &artifact.path) {
                (Some(content), _) => {
                    let mut bytes = content.clone().into_bytes();
                    self.secrets.redact_json(&mut bytes);
                    let path = artifact_path(record, &artifact.name);
                    let file = self.folder.join(&path);
                    create_private(&file)?;
                    fs::write(&file, bytes)?;
                    written.push(Artifact {
                        path: Some(path),
                        content: None,
                        name: artifact.name.clone(),
                    });
                }
                (None, Some(path)) if self.folder.join(path).is_file() => {
                    written.push(artifact.clone());
                }
                (None, _) => {}
            }
        }
        Ok(written)
    }

    /// Writes the result of a trial. Returns the record as written if a secret was removed from it.
    pub(crate) fn write_result(
        &self,
        record: &ResultRecord,
    ) -> Result<Option<ResultRecord>, AppendError> {
        let (redacted, offset) = self.write(&self.results, record)?;
        self.count(offset);
        Ok(redacted)
    }

    /// Writes a result again with a mark. It counts as little as the one that it replaces.
    pub(crate) fn mark_result(&self, record: &ResultRecord) -> Result<(), AppendError> {
        self.write(&self.results, record).map(drop)
    }

    /// Returns this journal with the results that count noted.
    pub(crate) fn counting(self) -> Journal {
        Journal {
            counted: Some(Mutex::default()),
            ..self
        }
    }

    /// Notes that the result at this offset counts.
    pub(crate) fn count(&self, offset: u64) {
        if let Some(counted) = &self.counted {
            let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            counted.push(offset);
        }
    }

    /// Returns the offsets of the results that count, in file order; `None` for a new run, where
    /// all do.
    pub(crate) fn counted(&self) -> Option<Vec<u64>> {
        let counted = self.counted.as_ref()?;
        let counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted = counted.clone();
        counted.sort_unstable();
        Some(counted)
    }

    /// Appends a record. Returns it as written if a secret was removed from it, and its offset.
    fn write<T: Serialize + DeserializeOwned>(
        &self,
        file: &Mutex<Append>,
        record: &T,
    ) -> Result<(Option<T>, u64), AppendError> {
        // Encode before the file is locked, so that others can write meanwhile.
        let mut json = Vec::with_capacity(2048);
        // A record consists of texts and finite numbers, which JSON can represent.
        let _ = append_json(&mut json, record);
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

    /// Returns the JSON of a record whose secret also occurs in its syntax, such as a number.
    fn redacted_by_value<T: Serialize>(&self, record: &T) -> Vec<u8> {
        let mut value = serde_json::to_value(record).unwrap_or_default();
        self.secrets.redact_value(&mut value);
        value.to_string().into_bytes()
    }

    /// Makes the written records survive a power failure. Others can write meanwhile.
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

/// Returns the path of an artifact from the run folder.
fn artifact_path(record: &TranscriptRecord, name: &str) -> String {
    let trial = file_name(&record.eval_file, &record.eval_id, &record.target);
    let trial = trial.trim_end_matches(".json");
    let name: String = name
        .chars()
        .map(|letter| {
            if matches!(letter, '/' | '\\' | '\0') {
                '_'
            } else {
                letter
            }
        })
        .collect();
    let name = name.trim_start_matches('.');
    format!("artifacts/{trial}-{}/{name}", record.trial)
}

fn lock(file: &Mutex<Append>) -> MutexGuard<'_, Append> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}
