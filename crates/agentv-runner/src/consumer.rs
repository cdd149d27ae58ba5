//! The one place that writes the records of a run and notifies its reporters.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use agentv_core::{
    Reporter, ResultRecord, RunEvent, Secrets, Step, Transcript, TranscriptRecord, Trial,
};

use crate::cache::{Cache, CacheError, CachedAnswer};
use crate::failure::{Failure, RunError};
use crate::journal::Journal;
use crate::resume::spending::Spending;
use crate::schedule::comparisons::Comparisons;
use crate::schedule::dependencies::Dependencies;
use crate::schedule::lane::Lane;
use crate::trial::prompt_dump::dump;

/// A reporter that several tasks notify.
pub type SharedReporter = Arc<Mutex<dyn Reporter + Send>>;

/// Takes the steps of trials in any order, writes them to the journal, and notifies the reporters.
pub(crate) struct Consumer {
    pub(crate) journal: Journal,
    pub(crate) reporter: SharedReporter,
    pub(crate) cache: Option<Cache>,
    pub(crate) cache_failed: AtomicBool,
    /// The warnings about figures of targets that were reported, up to the first value.
    pub(crate) warned: Mutex<BTreeSet<String>>,
    /// The money that the run has spent, if it is resumed.
    pub(crate) spending: Option<Mutex<Spending>>,
    /// The folder that prompts are written to.
    pub(crate) dump_prompts: Option<PathBuf>,
    pub(crate) failure: Arc<Failure>,
    /// The trials whose answers are compared with others.
    pub(crate) comparisons: Comparisons,
    /// The trials that others depend on, if any do.
    pub(crate) dependencies: OnceLock<Arc<Dependencies>>,
}

impl Consumer {
    /// Passes an event to the reporters.
    pub(crate) fn notify(&self, event: &RunEvent) {
        let mut reporter = self.reporter.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = reporter.on_event(event) {
            drop(reporter);
            self.failure.set(RunError::Report(error));
        }
    }

    /// Reports that work on a trial begins. First writes its prompt, if the user asked for prompts and
    /// the target is going to be asked. Breaks if that fails.
    pub(crate) fn begin(&self, trial: &Trial, lane: Option<&Lane>) -> ControlFlow<()> {
        if let Some(folder) = &self.dump_prompts
            && trial.work.asks()
            && let Err(source) = dump(folder, trial, lane, self.secrets())
        {
            let folder = folder.clone();
            self.failure.set(RunError::Dump { folder, source });
            return ControlFlow::Break(());
        }
        self.notify(&RunEvent::Started(trial.name()));
        ControlFlow::Continue(())
    }

    /// Writes a step of a trial. Reports its end. Breaks if the step could not be written.
    pub(crate) fn take(&self, step: Step) -> ControlFlow<()> {
        let written = match step {
            Step::Answered(record) => self.write_answer(&record),
            Step::Ended(record) => self.write_result(record, false),
        };
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure.set(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Writes a result and reports it. `reused` says whether it was in the journal before.
    pub(crate) fn write_result(
        &self,
        mut record: Box<ResultRecord>,
        reused: bool,
    ) -> Result<(), RunError> {
        self.note_replaced(&mut record);
        let redacted = self.journal.write_result(&record);
        let redacted = redacted.map_err(RunError::Write)?;
        self.report_result(redacted.map_or(record, Box::new), reused);
        Ok(())
    }

    /// Notes in a result the cost of earlier answers and grades of its trial. Returns true if that changes it.
    pub(crate) fn note_replaced(&self, record: &mut ResultRecord) -> bool {
        let Some(spending) = &self.spending else {
            return false;
        };
        let mut spending = spending.lock().unwrap_or_else(PoisonError::into_inner);
        let replaced = spending.replaced_by(record);
        std::mem::replace(&mut record.replaced_cost_usd, replaced) != replaced
    }

    /// Reports a result that is on disk.
    pub(crate) fn report_result(&self, record: Box<ResultRecord>, reused: bool) {
        let record: Arc<ResultRecord> = Arc::from(record);
        self.notify(&RunEvent::Finished {
            record: Arc::clone(&record),
            reused,
        });
        if let Some(dependencies) = self.dependencies.get() {
            dependencies.end(&record);
        }
    }

    /// Reports that a trial that had begun gets no result.
    pub(crate) fn abandon(&self, trial: &Trial) {
        self.notify(&RunEvent::Abandoned(trial.name()));
    }

    /// Reports something that the user should know, without secrets.
    pub(crate) fn notice(&self, message: &str) {
        let message = self.secrets().redact(message).into_owned();
        self.notify(&RunEvent::Noticed { message });
    }

    /// Returns the secrets that are removed from everything written.
    pub(crate) fn secrets(&self) -> &Secrets {
        self.journal.secrets()
    }

    /// Returns the answer that another run got for this key.
    pub(crate) fn cached_answer(&self, answer_key: &str) -> Option<CachedAnswer> {
        let found = self.cache.as_ref()?.get(answer_key);
        found.unwrap_or_else(|error| {
            self.notice_cache(&error);
            None
        })
    }

    fn write_answer(&self, record: &TranscriptRecord) -> Result<(), RunError> {
        let stored;
        let record = if record.transcript.artifacts.is_empty() {
            record
        } else {
            let artifacts = self.journal.write_artifacts(record);
            let artifacts = artifacts.map_err(|source| RunError::Artifact { source })?;
            let mut without_content = record.clone();
            without_content.transcript.artifacts = artifacts;
            stored = without_content;
            &stored
        };
        let written = self.journal.write_transcript(record);
        written.map_err(RunError::Write)?;
        if let Some(spending) = &self.spending {
            let mut spending = spending.lock().unwrap_or_else(PoisonError::into_inner);
            spending.add_answer(record);
        }
        let is_answer = !record.cached && record.error.is_none();
        if let Some(cache) = self.cache.as_ref().filter(|_| is_answer) {
            let transcript = without_raw(&record.transcript);
            let measured = record.timing.total_ms;
            let kept = cache.put(&record.answer_key, &transcript, record.redacted, measured);
            if let Err(error) = kept {
                self.notice_cache(&error);
            }
        }
        self.warn(record);
        Ok(())
    }

    /// Reports the figures of an answer that were ignored, each figure of a target once.
    fn warn(&self, record: &TranscriptRecord) {
        for warning in &record.transcript.warnings {
            let figure = warning.split(':').next().unwrap_or_default();
            let key = format!("{}: {figure}", record.target);
            let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = warned.insert(key);
            drop(warned);
            if is_new {
                let (target, case) = (&record.target, &record.eval_id);
                self.notice(&format!("target `{target}`, case `{case}`: {warning}"));
            }
        }
    }

    /// Reports the first failure of the cache. The run continues without it.
    fn notice_cache(&self, error: &CacheError) {
        if !self.cache_failed.swap(true, Ordering::Relaxed) {
            self.notice(&error.to_string());
        }
    }
}

/// Returns a transcript for other runs, which have requests of their own.
fn without_raw(transcript: &Transcript) -> Cow<'_, Transcript> {
    if transcript.raw.is_empty() {
        return Cow::Borrowed(transcript);
    }
    let raw = Vec::new();
    Cow::Owned(Transcript {
        raw,
        ..transcript.clone()
    })
}
