//! One part of a run's trials: their rows and their details.

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

/// One part of a run's trials, ready to be written.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) details: Vec<Detail>,
    pub(super) rows: Vec<u8>,
    pub(super) evaluators: EvaluatorFold,
    /// The number of its trials.
    pub(super) shown: u64,
    /// The number of lines that are not results.
    pub(super) damaged: u64,
}

/// A maker of parts, one per thread.
#[derive(Debug)]
pub(super) struct PartMaker<'a> {
    /// The index of the run.
    pub(super) run: usize,
    pub(super) results: Latest,
    pub(super) transcripts: TranscriptTexts<'a>,
    pub(super) sample: &'a Sample,
    /// The fold of all trials, including those that are not shown.
    pub(super) fold: &'a Mutex<RunFold>,
}

impl PartMaker<'_> {
    /// Makes the part of the results at some offsets of the file.
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
