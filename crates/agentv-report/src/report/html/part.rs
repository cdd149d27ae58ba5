//! One share of a run's trials: their rows, and their details.

use std::sync::{Mutex, PoisonError};

use agentv_core::ResultRecord;
use agentv_journal::Latest;

use super::block;
use super::columns::Columns;
use super::details::{Detail, Details};
use super::evaluators::EvaluatorFold;
use super::sample::Sample;
use super::transcripts::TranscriptTexts;
use crate::report::ReportFailure;
use crate::run_fold::RunFold;

/// One share of a run's trials, ready to be written.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) details: Vec<Detail>,
    pub(super) rows: String,
    pub(super) evaluators: EvaluatorFold,
    /// The trials in it.
    pub(super) shown: u64,
    /// The lines that hold no result.
    pub(super) damaged: u64,
}

/// What makes parts, one in each thread.
#[derive(Debug)]
pub(super) struct PartMaker<'a> {
    /// Which run the trials are of.
    pub(super) run: usize,
    pub(super) results: Latest,
    pub(super) transcripts: TranscriptTexts<'a>,
    pub(super) sample: &'a Sample,
    /// Takes every trial, those that are not shown too.
    pub(super) fold: &'a Mutex<RunFold>,
}

impl PartMaker<'_> {
    /// Makes the part of the results at some places in the file.
    pub(super) fn make(&mut self, offsets: &[u64]) -> Result<Part, ReportFailure> {
        let mut columns = Columns::of_run(self.run);
        let mut details = Details::default();
        let mut evaluators = EvaluatorFold::default();
        let mut damaged = 0;
        for offset in offsets {
            let text = self.results.text_at(*offset)?;
            let Ok(record) = serde_json::from_str::<ResultRecord>(text) else {
                damaged += 1;
                continue;
            };
            self.fold
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .add(&record);
            let said = record.evaluator_results.iter();
            said.for_each(|result| evaluators.add(result));
            if self.sample.has(&record) {
                self.transcripts.find(&record, |transcript, question| {
                    columns.push(&record, &question);
                    details.push(text, transcript)
                })??;
            }
        }
        let details = details.finish()?;
        columns.divided(&details);
        Ok(Part {
            details,
            shown: columns.len() as u64,
            rows: block::packed_json(&columns)?,
            evaluators,
            damaged,
        })
    }
}
