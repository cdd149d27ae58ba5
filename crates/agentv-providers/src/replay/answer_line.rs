//! Recorded answers as lines of a file.

use std::io;

use agentv_core::Transcript;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{self, AnswerError};

/// One answer of a recording.
pub(super) struct RecordedAnswer {
    pub(super) id: String,
    /// The trial that the answer is for. `None` is for every trial.
    pub(super) trial: Option<u32>,
    pub(super) target: Option<String>,
    pub(super) eval_file: Option<String>,
    pub(super) transcript: Transcript,
}

/// A line that is not an answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum AnswerLineError {
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    #[error("invalid JSON: {}", answer::reason_in_line(.0))]
    NotJson(serde_json::Error),
    #[error("expected an object with `id`, found {0}")]
    NotAnObject(&'static str),
    #[error("missing id")]
    NoId,
    #[error("`id`: expected a string, found {0}")]
    WrongId(&'static str),
    #[error("`trial`: expected a whole number that is 1 or more")]
    WrongTrial,
    #[error(transparent)]
    NotAnAnswer(#[from] AnswerError),
    #[error(transparent)]
    NotATranscript(serde_json::Error),
}

/// Removes a byte-order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

impl RecordedAnswer {
    /// Parses a line of a file that a user wrote.
    ///
    /// # Errors
    /// If the line is not an answer with an `id`.
    pub(super) fn of_answer(line: &[u8]) -> Result<RecordedAnswer, AnswerLineError> {
        let value = serde_json::from_slice(without_mark(line)).map_err(AnswerLineError::NotJson)?;
        let Value::Object(mut fields) = value else {
            return Err(AnswerLineError::NotAnObject(answer::described(&value)));
        };
        let id = match fields.shift_remove("id") {
            Some(Value::String(id)) => id,
            Some(other) => return Err(AnswerLineError::WrongId(answer::described(&other))),
            None => return Err(AnswerLineError::NoId),
        };
        let trial = fields.shift_remove("trial");
        let trial = trial.filter(|trial| !trial.is_null()).map(|trial| {
            let number = trial.as_u64().and_then(|number| u32::try_from(number).ok());
            number.ok_or(AnswerLineError::WrongTrial)
        });
        Ok(RecordedAnswer {
            id,
            trial: trial.transpose()?,
            target: None,
            eval_file: None,
            transcript: answer::of_fields(fields)?,
        })
    }

    /// Parses a transcript of a run.
    ///
    /// # Errors
    /// If the line is not a transcript.
    pub(super) fn of_transcript(line: &[u8]) -> Result<RecordedAnswer, AnswerLineError> {
        let line: TranscriptLine =
            serde_json::from_slice(line).map_err(AnswerLineError::NotATranscript)?;
        Ok(RecordedAnswer {
            id: line.eval_id,
            trial: Some(line.trial),
            target: Some(line.target),
            eval_file: Some(line.eval_file),
            transcript: line.transcript,
        })
    }
}

/// The fields of a transcript record that a replay needs.
#[derive(Deserialize)]
pub(super) struct TranscriptLine {
    pub(super) eval_id: String,
    eval_file: String,
    target: String,
    trial: u32,
    transcript: Transcript,
}

/// The id of a line of either kind.
#[derive(Deserialize)]
pub(super) struct LineId {
    #[serde(alias = "eval_id")]
    pub(super) id: String,
}
