//! A run that is being written.

use std::path::PathBuf;
use std::sync::Arc;

use agentv_core::{
    GateOutcome, Planned, Program, RanTarget, RunRecord, RunVersion, Secrets, Stop, Target,
};
use agentv_journal::{FolderError, RecordFile, RunFolder, RunWriter};
use agentv_report::{RunResults, RunStatistics, Summary};
use agentv_runner::{Assignment, Ended, Journal, PreviousRun, trial_fields};
use jiff::Timestamp;

use crate::counted::counted;
use crate::error::ProjectError;
use crate::gates::{Extent, Gates, JudgedGates};
use crate::graders::KeptFiles;
use crate::notices::Notices;
use crate::obsolete_results::ResumedCases;
use crate::run_folders::not_written;
use crate::worker::RunNeeds;

/// The facts of a prepared run that its caller needs to show it.
#[derive(Debug, Clone)]
pub struct Outline {
    /// Set if answers come from more than one target.
    pub has_several_targets: bool,
    /// The number of trials per case.
    pub trials: u32,
    /// The values that must not be shown.
    pub secrets: Secrets,
}

/// A run whose folder is locked and is being written.
pub struct OpenRun {
    pub(crate) planned: Planned,
    pub(crate) record: RunRecord,
    pub(crate) folder: RunFolder,
    pub(crate) writer: RunWriter,
    pub(crate) skipped_by_file: Vec<(String, u64)>,
    pub(crate) gates: Gates,
    pub(crate) kept_files: KeptFiles,
    /// The cases of a resumed run; `None` if no result can be obsolete.
    pub(crate) resumed_cases: Option<ResumedCases>,
    /// Set if the folder had results before.
    pub(crate) is_resumed: bool,
    /// The eval files of a resumed run that the request does not name.
    pub(crate) other_files: Vec<PathBuf>,
    /// The number of trials without a record in the run whose answers are graded.
    pub(crate) not_answered: u64,
    /// The needs of workers on other machines, if they execute the trials.
    pub(crate) worker_needs: Option<Arc<RunNeeds>>,
}

/// The end of a run, for its record.
pub struct RunEnd<'a> {
    /// The reason why it stopped early.
    pub stop: Option<Stop>,
    /// Its figures.
    pub summary: &'a Summary,
    /// The intervals of its figures.
    pub statistics: &'a RunStatistics,
    /// The outcomes of its gates.
    pub gates: &'a [GateOutcome],
    /// The time of its end.
    pub now: Timestamp,
    /// Set if results that are out of date may lack their mark.
    pub lacks_marks: bool,
}

impl OpenRun {
    /// Returns the number of trials that this request selects, and of skipped cases. The record has the
    /// number of trials of the whole run.
    pub fn planned(&self) -> Planned {
        self.planned
    }

    /// Returns the request, as `run.json` records it.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Returns the folder of the run.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the files with skipped cases, and the number of those cases.
    pub fn skipped_by_file(&self) -> &[(String, u64)] {
        &self.skipped_by_file
    }

    /// Returns the name of the run that it is compared with.
    pub fn baseline(&self) -> Option<&str> {
        self.gates.baseline()
    }

    /// Compares the results with the requirements of the request.
    pub fn judge_gates(
        &self,
        summary: &Summary,
        ended: &Ended,
        notices: &mut dyn Notices,
    ) -> JudgedGates {
        let extent = Extent {
            planned: self.record.planned,
            trials: self.record.trials,
            is_stopped: ended.stop.is_some() || ended.error.is_some(),
        };
        self.gates.judge(summary, extent, &self.folder, notices)
    }

    /// Returns the number of trials without a record in the run whose answers are graded.
    pub fn not_answered(&self) -> u64 {
        self.not_answered
    }

    /// Returns the needs of workers on other machines, if they execute the trials.
    pub fn worker_needs(&self) -> Option<Arc<RunNeeds>> {
        self.worker_needs.clone()
    }

    /// Returns the eval files of a resumed run that the request does not name.
    pub fn other_files(&self) -> &[PathBuf] {
        &self.other_files
    }

    /// Returns the shard that the run is of, if it has no cases.
    pub fn empty_shard(&self) -> Option<&str> {
        let shard = self.record.shard.as_deref();
        shard.filter(|_| self.gates.is_of_empty_shard())
    }

    /// Returns true if the folder had results before: the totals then include them.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Removes the folder of a new run that has no record, and returns true if it did. Otherwise `latest`
    /// would name a run of nothing.
    pub fn remove_if_empty(&self) -> bool {
        let has_none = |name| {
            let file = std::fs::metadata(self.folder.file(name));
            file.is_ok_and(|file| file.len() == 0)
        };
        let is_empty = has_none(RecordFile::Transcripts) && has_none(RecordFile::Results);
        !self.is_resumed && is_empty && std::fs::remove_dir_all(self.folder.path()).is_ok()
    }

    /// Opens the results of the run.
    ///
    /// # Errors
    /// If `run.json` cannot be read.
    pub fn results(&self) -> Result<RunResults, ProjectError> {
        RunResults::of_folder(&self.folder).map_err(ProjectError::from_error)
    }

    /// Writes the end of the run into its record.
    ///
    /// # Errors
    /// If `run.json` cannot be written.
    pub fn write_end(&self, end: &RunEnd<'_>) -> Result<(), ProjectError> {
        let record = RunRecord {
            // A merged run ended when its last shard did.
            finished_at: self
                .record
                .finished_at
                .clone()
                .or_else(|| Some(end.now.to_string())),
            stopped: end.stop,
            totals: serde_json::to_value(end.summary).ok(),
            statistics: serde_json::to_value(end.statistics).ok(),
            gates: end.gates.to_vec(),
            earlier: self.earlier(end),
            evaluator_files: self.kept_files.texts(),
            ..self.record.clone()
        };
        let written = self.writer.write_run(&record);
        written.map_err(ProjectError::not_written)
    }

    /// Returns the earlier versions of the run's files, targets and settings: those of which it has results,
    /// as long as it has any.
    fn earlier(&self, end: &RunEnd<'_>) -> Vec<RunVersion> {
        match (end.summary.outdated, self.record.earlier.as_slice()) {
            (0, _) if !end.lacks_marks => Vec::new(),
            (0, earlier) => earlier.to_vec(),
            (_, []) => vec![self.record.version()],
            (_, earlier) => earlier.to_vec(),
        }
    }

    /// Removes results of cases that no longer exist, and returns their number. Does nothing unless the work
    /// is complete. Results of cases that the request did not select stay.
    ///
    /// # Errors
    /// If the files cannot be read, or the results cannot be replaced; they are then unchanged.
    pub fn remove_obsolete(&mut self, ended: &Ended) -> Result<u64, ProjectError> {
        let is_complete = ended.stop.is_none() && ended.error.is_none();
        let counted = ended.counted.as_ref().filter(|_| is_complete);
        let (Some(cases), Some(counted)) = (&self.resumed_cases, counted) else {
            return Ok(0);
        };
        let kept = cases.kept(&self.folder, counted);
        let Some((kept, removed)) = kept.map_err(ProjectError::from_error)? else {
            return Ok(0);
        };
        let compacted = self
            .writer
            .compact(RecordFile::Results, &trial_fields(), &kept);
        compacted.map(|_| removed).map_err(not_written)
    }
}

/// Locks the folder of a run, writes its record and opens its journal. Removes the folder again if it is
/// new and cannot be written.
pub(crate) fn open_journal(
    folder: &RunFolder,
    record: &RunRecord,
    secrets: &Secrets,
    now: Timestamp,
) -> Result<(RunWriter, Journal), ProjectError> {
    let is_new = !folder.path().join("run.json").exists();
    let open = || {
        let mut writer = folder.write(now)?;
        writer.write_run(record)?;
        let journal = Journal::open(&mut writer, secrets.clone())?;
        tracing::info!(path = %folder.path().display(), is_new, "run folder opened");
        Ok((writer, journal))
    };
    open().map_err(|error: FolderError| {
        if is_new {
            let _ = std::fs::remove_dir_all(folder.path());
        }
        not_written(error)
    })
}

/// Reads the records of the resumed run, if there is one. Warns about damaged lines.
pub(crate) fn previous_run(
    folder: Option<&RunFolder>,
    retry_errors: bool,
    notices: &mut dyn Notices,
) -> Result<PreviousRun, ProjectError> {
    let Some(folder) = folder else {
        return Ok(PreviousRun::default());
    };
    let previous_run = PreviousRun::read(folder, retry_errors).map_err(ProjectError::from_error)?;
    let damaged = previous_run.damaged_lines();
    if damaged > 0 {
        let lines = counted(damaged, "line");
        notices.warn(format!(
            "skipped {lines} of run `{}` that cannot be read: their trials are repeated",
            folder.id()
        ));
    }
    Ok(previous_run)
}

/// Returns targets as `run.json` lists them. `first` is the position of the first one in the assignment.
pub(crate) fn ran_targets(
    targets: &[Target],
    first: usize,
    assignment: &Assignment,
) -> Vec<RanTarget> {
    let ran = targets.iter().zip(first..).map(|(target, position)| {
        let programs = assignment.programs_of(position);
        let program = programs.flat_map(|(_, program)| program.clone()).collect();
        ran_target(target, program)
    });
    ran.collect()
}

fn ran_target(target: &Target, program: Program) -> RanTarget {
    RanTarget {
        program,
        name: target.name.clone(),
        provider: target.kind.clone(),
        settings: target.settings.clone(),
        settings_digest: target.settings_digest.to_string(),
        // A dry run looks up no variable, so such a name is meaningless.
        judge_target: target
            .judge_target
            .clone()
            .filter(|judge| !judge.contains("${{")),
    }
}
