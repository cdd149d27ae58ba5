//! A run, as its folder describes it.

use agentv_core::{RanFile, RanTarget, ResultRecord, RunRecord};
use agentv_journal::{FileError, FolderError, RunFolder};

use super::{RunLine, RunState};
use crate::results::RunResults;
use crate::summary::{Summary, SummaryFold};

/// A run of the past. Its description is read at once, its results only when needed.
#[derive(Debug, Clone)]
pub struct PastRun {
    folder: RunFolder,
    record: RunRecord,
}

impl PastRun {
    /// Reads the run in a folder; returns `None` if it has no `run.json` yet.
    ///
    /// # Errors
    /// Fails if `run.json` cannot be read.
    pub fn open(folder: RunFolder) -> Result<Option<PastRun>, FolderError> {
        let record = folder.run::<RunRecord>()?;
        Ok(record.map(|record| {
            // Many runs are listed together, and these texts are never shown.
            let evaluator_files = std::collections::BTreeMap::new();
            let record = RunRecord {
                evaluator_files,
                ..record
            };
            PastRun { folder, record }
        }))
    }

    /// Returns its folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns its description.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Checks if two runs have the same task: the same relevant content of files, and the same
    /// selection of cases. Only such runs can be compared.
    pub fn is_like(&self, other: &PastRun, counts: &dyn Fn(&str) -> bool) -> bool {
        let files = |run: &PastRun| -> Vec<String> {
            let files = run.record.files.iter().filter(|file| counts(&file.path));
            let mut files: Vec<String> = files.map(|file| file.path.clone()).collect();
            files.sort_unstable();
            files
        };
        let (one, other_record) = (&self.record, &other.record);
        files(self) == files(other)
            && one.eval_ids == other_record.eval_ids
            && one.limit == other_record.limit
            && one.shard == other_record.shard
            && one.dry_run == other_record.dry_run
            && one.rerun_of.is_some() == other_record.rerun_of.is_some()
    }

    /// Sums up the run on one line.
    ///
    /// # Errors
    /// Fails if its results cannot be read.
    pub fn line(&self) -> Result<RunLine, FileError> {
        let running = self.folder.is_being_written();
        // The totals that a resumed run wrote when it was stopped are out of date.
        let totals = self.record.totals.as_ref().filter(|_| !running);
        let totals =
            totals.and_then(|totals| serde_json::from_value::<Summary>(totals.clone()).ok());
        let summary = match totals {
            Some(summary) => summary,
            None => self.fold(&|_| true)?,
        };
        Ok(self.line_of(&summary, running))
    }

    /// Sums up the run on one line, considering only the wanted results.
    ///
    /// # Errors
    /// Fails if its results cannot be read.
    pub fn line_of_some(
        &self,
        wanted: &dyn Fn(&ResultRecord) -> bool,
    ) -> Result<RunLine, FileError> {
        let summary = self.fold(wanted)?;
        let line = self.line_of(&summary, self.folder.is_being_written());
        let targets = summary
            .targets
            .iter()
            .map(|target| target.target.to_string());
        Ok(RunLine {
            targets: targets.collect(),
            // The run does not say how many of these were planned.
            planned: summary.trials,
            ..line
        })
    }

    fn fold(&self, wanted: &dyn Fn(&ResultRecord) -> bool) -> Result<Summary, FileError> {
        let mut fold = SummaryFold::new();
        RunResults::without_run(&self.folder).each(&mut |record| {
            if wanted(&record) {
                fold.add(&record);
            }
        })?;
        Ok(fold.finish(0))
    }

    fn line_of(&self, summary: &Summary, running: bool) -> RunLine {
        let record = &self.record;
        RunLine {
            id: self.folder.id().to_string(),
            started_at: record.started_at.clone(),
            finished_at: record.finished_at.clone(),
            state: self.state(summary, running),
            stopped: record.stopped.filter(|_| !running),
            files: record
                .files
                .iter()
                .map(|RanFile { path, .. }| path.clone())
                .collect(),
            targets: record
                .targets
                .iter()
                .map(|RanTarget { name, .. }| name.clone())
                .collect(),
            trials: summary.trials,
            planned: record.planned,
            skipped: record.files.iter().map(|file| file.skipped).sum(),
            statuses: summary.statuses,
            pass_rate: summary.pass_rate,
            mean_score: summary.scores.map(|scores| scores.mean),
            cost_usd: summary.cost_usd,
            dry_run: record.dry_run,
            shard: record.shard.clone(),
            rerun_of: record.rerun_of.clone(),
            graded_from: record.graded_from.clone(),
            calibrated_with: record.calibrated_with.clone(),
            merged_from: record.merged_from.clone(),
        }
    }

    fn state(&self, summary: &Summary, running: bool) -> RunState {
        let record = &self.record;
        // Only for totals: a selection of results says nothing about the others.
        let totals = record.totals.as_ref();
        let trials = totals.and_then(|totals| totals.get("trials")?.as_u64());
        let missing = trials.unwrap_or(summary.trials) < record.planned;
        match (&record.finished_at, record.stopped) {
            _ if running => RunState::Running,
            (_, Some(_)) => RunState::Stopped,
            (Some(_), None) if !missing => RunState::Finished,
            (Some(_) | None, None) => RunState::Unfinished,
        }
    }
}
