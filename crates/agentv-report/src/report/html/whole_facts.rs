//! The facts about a run without its trials, read on all cores.

use std::sync::{Mutex, PoisonError};

use agentv_core::ResultRecord;
use agentv_journal::{FileError, Latest};

use super::evaluators::EvaluatorFold;
use super::facts::RunFacts;
use super::parts::Whole;
use crate::in_order::{Divided, in_order};
use crate::results::RunResults;
use crate::run_fold::RunFold;

/// The number of records that are added at once.
const SHARE: usize = 1_024;

impl RunFacts {
    /// Reads all results of a run and returns the facts about it.
    ///
    /// # Errors
    /// Fails if the results cannot be read.
    pub fn read(run: &RunResults) -> Result<RunFacts, FileError> {
        let latest = run.latest()?;
        let fold = Mutex::new(RunFold::of_trials(run.trials()?));
        let offsets = latest.offsets();
        let shares: Vec<&[u64]> = offsets.chunks(SHARE).collect();
        let mut evaluators = EvaluatorFold::default();
        let mut damaged = latest.damaged_lines();
        let results = ResultsOf {
            latest: &latest,
            fold: &fold,
        };
        in_order(&results, &shares, &mut |(more, unread)| {
            evaluators.extend(more);
            damaged += unread;
            Ok(())
        })?;
        let fold = fold.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (summary, statistics) = fold.finish(run.skipped());
        let whole = Whole {
            shown: summary.trials,
            summary,
            statistics,
            evaluators,
            damaged,
            transcripts: run.transcripts_file().is_some(),
        };
        Ok(RunFacts::of(run, whole))
    }
}

/// The results of a run, read by several threads.
struct ResultsOf<'a> {
    latest: &'a Latest,
    fold: &'a Mutex<RunFold>,
}

impl<'a> Divided for ResultsOf<'a> {
    type Item = &'a [u64];
    type Worker = Latest;
    type Output = (EvaluatorFold, u64);
    type Error = FileError;

    fn worker(&self) -> Result<Latest, FileError> {
        self.latest.reopen()
    }

    fn make(&self, latest: &mut Latest, offsets: &&'a [u64]) -> Result<Self::Output, FileError> {
        let mut records = Vec::with_capacity(offsets.len());
        for offset in *offsets {
            let record = serde_json::from_str::<ResultRecord>(latest.text_at(*offset)?);
            records.extend(record.ok());
        }
        let mut evaluators = EvaluatorFold::default();
        let results = records.iter().flat_map(|record| &record.evaluator_results);
        results.for_each(|result| evaluators.add(result));
        let mut fold = self.fold.lock().unwrap_or_else(PoisonError::into_inner);
        records.iter().for_each(|record| fold.add(record));
        Ok((evaluators, (offsets.len() - records.len()) as u64))
    }
}
