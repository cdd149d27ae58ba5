//! The records of a run, located in its files.

use std::panic;
use std::thread;

use agentv_journal::{FileError, Latest};

use super::transcripts::Shared;
use crate::results::RunResults;

/// The records of a run that count, located but not read yet.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    pub(super) run: &'a RunResults,
    pub(super) results: Latest,
    pub(super) transcripts: Shared<'a>,
}

impl<'a> Sources<'a> {
    /// Locates the records of a run in both of its files at once.
    pub(super) fn of(run: &'a RunResults) -> Result<Sources<'a>, FileError> {
        thread::scope(|scope| {
            let transcripts = scope.spawn(|| Shared::of(run));
            let results = run.latest()?;
            let transcripts = transcripts.join();
            Ok(Sources {
                run,
                results,
                transcripts: transcripts.unwrap_or_else(|panic| panic::resume_unwind(panic))?,
            })
        })
    }
}
