//! The transcripts of results: questions and answers.

use std::sync::{Mutex, PoisonError};

use agentv_core::ResultRecord;
use agentv_journal::{FileError, Key, KeyFields, Latest};

use crate::results::RunResults;
use crate::transcript_question::TranscriptQuestion;

/// The transcripts of a run, for any number of threads.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    run: &'a RunResults,
    own: Option<Latest>,
    /// By answer key only: cases with the same question may share an answer. Most runs need none.
    any: Mutex<Option<Latest>>,
}

/// A reader of transcripts.
#[derive(Debug)]
pub(super) struct TranscriptTexts<'a> {
    shared: &'a Shared<'a>,
    own: Option<Latest>,
}

impl<'a> Shared<'a> {
    pub(super) fn of(run: &'a RunResults) -> Result<Shared<'a>, FileError> {
        let key = KeyFields::new(["answer_key", "eval_id"]);
        Ok(Shared {
            run,
            own: run.latest_transcripts(&key)?,
            any: Mutex::new(None),
        })
    }

    /// Checks if there are any.
    pub(super) fn is_known(&self) -> bool {
        self.own.as_ref().is_some_and(|own| !own.is_empty())
    }

    /// Returns a reader for a thread.
    pub(super) fn reader(&'a self) -> Result<TranscriptTexts<'a>, FileError> {
        let own = self.own.as_ref().map(Latest::reopen).transpose()?;
        Ok(TranscriptTexts { shared: self, own })
    }

    fn of_another_case(&self, answer_key: &str) -> Result<Option<String>, FileError> {
        let mut any = self.any.lock().unwrap_or_else(PoisonError::into_inner);
        if any.is_none() {
            *any = self
                .run
                .latest_transcripts(&KeyFields::new(["answer_key"]))?;
        }
        let Some(any) = any.as_mut() else {
            return Ok(None);
        };
        let text = any.text(&Key::from(answer_key))?;
        Ok(text.map(str::to_owned))
    }
}

impl TranscriptTexts<'_> {
    /// Returns the text of a result's transcript, and its last question.
    pub(super) fn find<T>(
        &mut self,
        record: &ResultRecord,
        found: impl FnOnce(Option<&str>, String) -> T,
    ) -> Result<T, FileError> {
        if let Some(own) = &mut self.own {
            let key = Key::of([
                record.answer_key.as_str().into(),
                record.eval_id.as_str().into(),
            ]);
            if let Some(text) = own.text(&key)? {
                return Ok(with_question(text, found));
            }
            if record.candidate_answer.is_some()
                && let Some(text) = self.shared.of_another_case(&record.answer_key)?
            {
                return Ok(with_question(&text, found));
            }
        }
        Ok(found(None, String::new()))
    }
}

/// Passes on a transcript with its question, or nothing if it is not a transcript.
fn with_question<T>(text: &str, found: impl FnOnce(Option<&str>, String) -> T) -> T {
    match serde_json::from_str::<TranscriptQuestion<'_>>(text) {
        Ok(asked) => found(Some(text), asked.question().into_owned()),
        Err(_) => found(None, String::new()),
    }
}
