//! The preparation of a calibration: everything is checked before any judge is asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use agentv_core::{Planned, RunRecord};
use agentv_runner::{GradedTarget, RunSpec, TrialsSpec};
use jiff::Timestamp;

use super::calibration::JudgedAnswers;
use super::labelled_answers::{LabelledAnswers, LabelsFound};
use super::options::CalibrateOptions;
use crate::error::ProjectError;
use crate::gates::Gates;
use crate::graders::{KeptFiles, ProjectGraders};
use crate::notices::Notices;
use crate::open_run::{OpenRun, Outline, open_journal, previous_run, ran_targets};
use crate::options::Resume;
use crate::output_files::{CasesRead, OutputFile, ReadFiles, files_around};
use crate::project::Project;
use crate::run::GRACE;
use crate::run_folders::{FoundRun, RunFolders};
use crate::targets::{GradedFile, ResolvedJudges, TargetOptions, resolve_judges};

/// A calibration that was checked in full. Nothing was asked, and nothing was written.
pub struct PreparedCalibration {
    options: CalibrateOptions,
    answers: LabelledAnswers,
    found: LabelsFound,
    graders: ProjectGraders,
    judges: ResolvedJudges,
    runs: RunFolders,
    resumed: Option<FoundRun>,
}

impl Project {
    /// Checks everything that a calibration needs: the labelled answers and the judges.
    ///
    /// # Errors
    /// If the calibration cannot begin.
    pub fn prepare_calibration(
        &self,
        options: CalibrateOptions,
        now: Timestamp,
        notices: &mut dyn Notices,
    ) -> Result<PreparedCalibration, ProjectError> {
        let answers =
            LabelledAnswers::open(&options.file, &options.load, now.to_string(), notices)?;
        let graders = ProjectGraders::new(options.load.allow_outside_root, false)
            .without_scripts(options.limits.no_scripts);
        let found = answers.find_labels(&graders)?;
        let targets = TargetOptions {
            project: self,
            file: options.targets_file.as_deref(),
            judge: None,
            allow_self_judging: true,
            limits: &options.limits,
            dry_run: None,
        };
        let file = GradedFile {
            file: &answers.file,
            folder: answers.folder().clone(),
            judges: &found.judges,
        };
        let judges = resolve_judges(
            targets,
            HashMap::new(),
            &[file],
            options.judge.as_deref(),
            &[],
            notices,
        )?;
        let runs = self.run_folders_of(&answers.folder().root);
        let resumed = resumed(&options, &answers, &runs, notices)?;
        Ok(PreparedCalibration {
            options,
            answers,
            found,
            graders,
            judges,
            runs,
            resumed,
        })
    }
}

impl PreparedCalibration {
    /// Returns the facts that the caller needs to show the calibration.
    pub fn outline(&self) -> Outline {
        Outline {
            has_several_targets: false,
            trials: 1,
            secrets: self.judges.secrets.clone(),
        }
    }

    /// Checks that no file that the caller writes replaces another, a run, or a file that the calibration
    /// reads.
    ///
    /// # Errors
    /// Names the first file that does.
    pub fn check_outputs(&self, outputs: &[OutputFile<'_>]) -> Result<(), ProjectError> {
        let mut files = files_around(&self.options.file, self.answers.folder());
        files.extend(self.judges.read_files.iter().cloned());
        let read = ReadFiles {
            results: self.runs.path(),
            files,
            graders: &self.graders,
            cases: CasesRead::Graded(&self.answers),
        };
        read.refuse(outputs)
    }

    /// Returns a collector for the results, which compares them with the labels.
    pub fn judged_answers(&self) -> JudgedAnswers {
        JudgedAnswers::with_labels(self.found.labels.clone())
    }

    /// Creates the folder of the calibration, or locks that of the calibration that is resumed. The caller
    /// then runs the spec.
    ///
    /// # Errors
    /// If the folder cannot be written, or the records of a resumed calibration cannot be read.
    pub fn begin(
        self,
        now: Timestamp,
        notices: &mut dyn Notices,
    ) -> Result<(RunSpec, OpenRun), ProjectError> {
        let kept_files = KeptFiles::new(
            self.kept_texts(),
            self.graders.read_texts(),
            self.judges.secrets.clone(),
        );
        let record = RunRecord {
            evaluator_files: kept_files.texts(),
            ..self.record(now)?
        };
        let planned = self.planned();
        let PreparedCalibration {
            options, judges, ..
        } = self;
        let resumed = self.resumed.as_ref().map(|resumed| &resumed.folder);
        let folder = match resumed {
            Some(folder) => folder.clone(),
            None => self.runs.create(now)?,
        };
        let (writer, journal) = open_journal(&folder, &record, &judges.secrets, now)?;
        let run = OpenRun {
            other_files: Vec::new(),
            not_answered: 0,
            planned,
            record,
            folder,
            writer,
            skipped_by_file: Vec::new(),
            gates: Gates::default(),
            kept_files,
            resumed_cases: None,
            is_resumed: false,
            worker_needs: None,
        };
        let graded = judges.usual.into_iter().map(|(target, judge)| {
            let judge = Some(judge);
            let reads_files = false;
            (target, GradedTarget { judge, reads_files })
        });
        let spec = RunSpec {
            trials: TrialsSpec::Answers {
                source: Arc::new(self.answers),
                targets: graded.collect(),
            },
            targets: Vec::new(),
            planned,
            cache: None,
            workspaces: None,
            dump_prompts: None,
            judges: judges.judges,
            assignment: judges.assignment,
            graders: Arc::new(self.graders.with_environments(judges.environments)),
            journal,
            previous_run: previous_run(resumed, options.retry_errors, notices)?,
            budget: options.limits.budget,
            max_time: options.limits.max_time,
            stop_on_required: false,
            include_trace: options.include_trace,
            include_raw: false,
            grace: GRACE,
            engine: None,
            has_dependencies: false,
        };
        Ok((spec, run))
    }

    fn planned(&self) -> Planned {
        Planned {
            trials: self.found.labels.len() as u64,
            skipped: 0,
        }
    }

    fn kept_texts(&self) -> BTreeMap<String, String> {
        let before = self.resumed.as_ref();
        let before = before.map(|resumed| resumed.record.evaluator_files.clone());
        before.unwrap_or_default()
    }

    /// Returns the content of `run.json`.
    fn record(&self, now: Timestamp) -> Result<RunRecord, ProjectError> {
        let before = self.resumed.as_ref();
        let before = before.map(|resumed| resumed.record.started_at.clone());
        Ok(RunRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: before.unwrap_or_else(|| now.to_string()),
            files: vec![self.answers.ran(&self.options.file)?],
            chosen_targets: self.options.judge.iter().cloned().collect(),
            judges: ran_targets(&self.judges.judges, 0, &self.judges.assignment),
            trials: 1,
            planned: self.planned().trials,
            calibrated_with: Some(self.answers.file.name.to_string()),
            ..RunRecord::default()
        })
    }
}

/// Finds the calibration that is resumed.
fn resumed(
    options: &CalibrateOptions,
    answers: &LabelledAnswers,
    runs: &RunFolders,
    notices: &mut dyn Notices,
) -> Result<Option<FoundRun>, ProjectError> {
    let file = &*answers.file.name;
    match options.resumed() {
        None => Ok(None),
        Some(Resume::Named(name)) => {
            let found = runs.find(&name, notices)?;
            if found.record.calibrated_with.as_deref() != Some(file) {
                let message = format!(
                    "run `{}` is not a calibration with `{file}`",
                    found.folder.id()
                );
                return Err(ProjectError::because(message));
            }
            Ok(Some(found))
        }
        Some(Resume::Newest) => {
            let newest = runs.find_newest(|record| {
                record.calibrated_with.as_deref() == Some(file)
                    && record.chosen_targets.iter().eq(&options.judge)
            })?;
            let newest = newest.ok_or_else(|| {
                let message = format!(
                    "no calibration to resume found in `{}`",
                    runs.shown().display()
                );
                let hint = "omit `--resume` to start a new one".to_owned();
                ProjectError::with_hint(message, Some(hint))
            });
            newest.map(Some)
        }
    }
}
