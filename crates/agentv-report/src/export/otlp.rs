//! A run as traces in OTLP JSON, with the GenAI conventions of OpenTelemetry.

use std::io::{self, Write};

use agentv_core::ResultRecord;
use agentv_journal::FileError;
use thiserror::Error;

use super::spans::document;
use crate::results::RunResults;

/// A run that could not be exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The run could not be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// There are results only.
    #[error("it has no transcripts; name the folder of a run")]
    NoTranscripts,
    /// The traces could not be written.
    #[error("the traces could not be written: {0}")]
    NotWritten(#[from] io::Error),
}

/// Writes a line of OTLP JSON for each trial that has an answer, in the order in which trials ended. Returns
/// their number.
///
/// # Errors
/// If the run cannot be read, or the traces cannot be written.
pub fn write_otlp(results: &RunResults, out: &mut dyn Write) -> Result<u64, ExportError> {
    let Some(mut transcripts) = results.transcripts()? else {
        return Err(ExportError::NoTranscripts);
    };
    let mut count = 0;
    let mut failed = None;
    let mut write = |record: &ResultRecord| -> Result<(), ExportError> {
        if let Some(transcript) = transcripts.get(&record.answer_key)? {
            writeln!(out, "{}", document(&transcript, record))?;
            count += 1;
        }
        Ok(())
    };
    results.each(&mut |record| {
        if failed.is_none() {
            failed = write(&record).err();
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(count),
    }
}
