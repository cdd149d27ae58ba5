//! A run, as its folder describes it.

use agentv_core::{RanFile, RanTarget, ResultRecord, RunRecord};
use agentv_journal::{FileError, FolderError, RunFolder};
use serde_json::Value;

use super::{RunLine, RunState};
use crate::results::RunResults;
use crate::run_fold::RunFold;
use crate::summary::{Costs, Statuses, Summary};

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

    /// Checks if the run has all of these tags.
    pub fn has_tags(&self, tags: &[String]) -> bool {
        tags.iter().all(|tag| self.record.tags.contains(tag))
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

    /// Sums up the run on one line per target.
    ///
    /// # Errors
    /// Fails if its results cannot be read.
    pub fn lines(&self) -> Result<Vec<RunLine>, FileError> {
        let running = self.folder.is_being_written();
        // The figures that a resumed run wrote when it was stopped are out of date.
        let figures = Figures::recorded(&self.record).filter(|_| !running);
        let figures = figures.map_or_else(|| self.fold(&|_| true), Ok)?;
        let mut lines = self.lines_of(&figures, running);
        self.add_targets_without_results(&mut lines, &figures);
        Ok(lines)
    }

    /// Adds a line for each target that has no result yet, so that the figures of the others are not taken
    /// for those of the whole run.
    fn add_targets_without_results(&self, lines: &mut Vec<RunLine>, figures: &Figures) {
        let Some(whole) = lines.first().cloned() else {
            return;
        };
        let (names, found) = (&whole.targets, &figures.summary.targets);
        if whole.state == RunState::Finished || self.record.targets.len() < 2 || found.is_empty() {
            return;
        }
        if let [only] = found.as_slice()
            && names.len() > 1
        {
            lines[0].targets = vec![only.target.to_string()];
            lines[0].planned = self.planned_of_target(only.statuses.total());
        }
        let names = self.record.targets.iter().map(|target| &target.name);
        let missing = names.filter(|name| !found.iter().any(|one| *one.target == ***name));
        lines.extend(missing.map(|name| RunLine {
            targets: vec![name.clone()],
            trials: 0,
            planned: self.planned_of_target(0),
            statuses: Statuses::default(),
            pass_rate: None,
            pass_rate_interval: None,
            mean_score: None,
            mean_score_interval: None,
            outdated: 0,
            costs: Costs::default(),
            ..whole.clone()
        }));
    }

    /// Returns the number of trials that were planned for a target with this number of results. It is known if
    /// every case has the same targets.
    fn planned_of_target(&self, trials: u64) -> u64 {
        let record = &self.record;
        let targets = record.chosen_targets.len() as u64;
        let is_even = targets > 1 && record.planned.is_multiple_of(targets);
        if is_even && record.rerun_of.is_none() {
            trials.max(record.planned / targets)
        } else {
            trials
        }
    }

    /// Sums up the run on one line per target, considering only the wanted results.
    ///
    /// # Errors
    /// Fails if its results cannot be read.
    pub fn lines_of_some(
        &self,
        wanted: &dyn Fn(&ResultRecord) -> bool,
    ) -> Result<Vec<RunLine>, FileError> {
        let figures = self.fold(wanted)?;
        let lines = self.lines_of(&figures, self.folder.is_being_written());
        let targets = figures.summary.targets.iter();
        let targets: Vec<String> = targets.map(|target| target.target.to_string()).collect();
        let only = |line: RunLine| RunLine {
            targets: match targets.len() {
                0 | 1 => targets.clone(),
                _ => line.targets,
            },
            // The run does not say how many of these were planned.
            planned: line.trials,
            ..line
        };
        Ok(lines.into_iter().map(only).collect())
    }

    fn fold(&self, wanted: &dyn Fn(&ResultRecord) -> bool) -> Result<Figures, FileError> {
        let mut fold = RunFold::of_trials(self.record.trials);
        RunResults::without_run(&self.folder).each(&mut |record| {
            if wanted(&record) {
                fold.add(&record);
            }
        })?;
        let (summary, statistics) = fold.finish(0);
        Ok(Figures {
            summary,
            statistics: serde_json::to_value(statistics).unwrap_or_default(),
        })
    }

    fn lines_of(&self, figures: &Figures, running: bool) -> Vec<RunLine> {
        let whole = self.line_of(figures, running);
        let targets = &figures.summary.targets;
        if targets.len() < 2 {
            return vec![whole];
        }
        let lines = targets.iter().map(|target| RunLine {
            targets: vec![target.target.to_string()],
            trials: target.statuses.total(),
            planned: self.planned_of_target(target.statuses.total()),
            statuses: target.statuses,
            pass_rate: target.pass_rate,
            pass_rate_interval: figures.interval(&target.target, "pass_rate"),
            mean_score: target.mean_score,
            mean_score_interval: figures.interval(&target.target, "mean_score"),
            costs: target.costs.clone(),
            ..whole.clone()
        });
        lines.collect()
    }

    fn line_of(&self, figures: &Figures, running: bool) -> RunLine {
        let (record, summary) = (&self.record, &figures.summary);
        let target = summary.targets.first().map(|target| &*target.target);
        let interval = |figure| figures.interval(target?, figure);
        RunLine {
            id: self.folder.id().to_string(),
            started_at: record.started_at.clone(),
            finished_at: record.finished_at.clone(),
            state: self.state(summary, running),
            stopped: record.stopped.filter(|_| !running),
            tags: record.tags.clone(),
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
            skipped: record
                .files
                .iter()
                .fold(0, |sum: u64, file| sum.saturating_add(file.skipped)),
            outdated: summary.outdated,
            statuses: summary.statuses,
            pass_rate: summary.pass_rate,
            pass_rate_interval: interval("pass_rate"),
            mean_score: summary.scores.and_then(|scores| scores.mean),
            mean_score_interval: interval("mean_score"),
            pass_thresholds: summary.pass_thresholds.clone(),
            costs: summary.costs.clone(),
            dry_run: record.dry_run,
            shard: record.shard.clone(),
            rerun_of: record.rerun_of.clone(),
            graded_from: record.graded_from.clone(),
            calibrated_with: record.calibrated_with.clone(),
            merged_from: record.merged_from.clone(),
            missing_shards: record.missing_shards.clone(),
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

/// The figures of a run, and their intervals as they are written.
struct Figures {
    summary: Summary,
    statistics: Value,
}

impl Figures {
    /// Returns the figures that `run.json` has.
    fn recorded(record: &RunRecord) -> Option<Figures> {
        let totals = record.totals.clone()?;
        Some(Figures {
            summary: serde_json::from_value(totals).ok()?,
            // Runs of earlier versions have no intervals.
            statistics: record.statistics.clone().unwrap_or_default(),
        })
    }

    /// Returns the interval of a figure of a target.
    fn interval(&self, target: &str, figure: &str) -> Option<[f64; 2]> {
        let targets = self.statistics.get("targets")?.as_array()?;
        let found = targets.iter().find(|found| found["target"] == target)?;
        let end = |name: &str| found.get(figure)?.get(name)?.as_f64();
        Some([end("low")?, end("high")?])
    }
}
