//! The preparation of a grading: everything is checked before any judge is asked.

use std::sync::Arc;

use agentv_core::{Planned, RunRecord};
use agentv_runner::{RunSpec, TrialsSpec};
use jiff::Timestamp;

use super::answers_to_grade::AnswersToGrade;
use super::graded_run::GradedRun;
use super::options::GradeOptions;
use crate::error::ProjectError;
use crate::gates::Gates;
use crate::graders::KeptFiles;
use crate::notices::Notices;
use crate::open_run::{OpenRun, Outline, open_journal, previous_run, ran_targets};
use crate::output_files::{CasesRead, OutputFile, ReadFiles};
use crate::project::Project;
use crate::run::{GRACE, joined_selection, narrowing_flags, with_earlier};
use crate::targets::ResolvedJudges;

/// A grading that was checked in full. Nothing was asked, and nothing was written.
pub struct PreparedGrading {
    options: GradeOptions,
    answers: AnswersToGrade,
    judges: ResolvedJudges,
    gates: Gates,
}

impl Project {
    /// Checks everything that a grading needs: the run, today's eval files, judges and gates.
    ///
    /// # Errors
    /// If the grading cannot begin.
    pub fn prepare_grading(
        &self,
        mut options: GradeOptions,
        notices: &mut dyn Notices,
    ) -> Result<PreparedGrading, ProjectError> {
        let answers = AnswersToGrade::find(self, &mut options, notices)?;
        let judges = answers.judges(self, &options, notices)?;
        let graded = &answers.graded;
        let resumed = graded.resumed.as_ref();
        let is_dry_run = graded.run.record.dry_run;
        let gates = Gates::open(&options.gates, &graded.runs, resumed, is_dry_run, notices)?;
        let mut gates = gates.with_advice(advice(&options, graded));
        let missing = &graded.run.record.missing_shards;
        if !missing.is_empty() {
            gates = gates.of_shards(missing.clone());
        }
        Ok(PreparedGrading {
            options,
            answers,
            judges,
            gates,
        })
    }
}

impl PreparedGrading {
    /// Returns the facts that the caller needs to show the grading.
    pub fn outline(&self) -> Outline {
        Outline {
            has_several_targets: self.answers.has_several_targets(),
            trials: self.answers.graded.run.record.trials,
            secrets: self.judges.secrets.clone(),
        }
    }

    /// Checks that no file that the caller writes replaces another, a run, or a file that the grading
    /// reads.
    ///
    /// # Errors
    /// Names the first file that does.
    pub fn check_outputs(&self, outputs: &[OutputFile<'_>]) -> Result<(), ProjectError> {
        let mut files = self.answers.read_files(&self.options);
        files.extend(self.judges.read_files.iter().cloned());
        let read = ReadFiles {
            results: self.answers.graded.runs.path(),
            files,
            graders: &self.answers.graders,
            cases: CasesRead::Graded(&self.answers.regrading),
        };
        read.refuse(outputs)
    }

    /// Creates the folder of the grading, or locks that of the grading that is resumed. The caller then
    /// runs the spec.
    ///
    /// # Errors
    /// If the folder cannot be written, or the records of a resumed grading cannot be read.
    pub fn begin(
        self,
        now: Timestamp,
        notices: &mut dyn Notices,
    ) -> Result<(RunSpec, OpenRun), ProjectError> {
        let kept_files = KeptFiles::new(
            self.answers.kept_texts(),
            self.answers.graders.read_texts(),
            self.judges.secrets.clone(),
        );
        let record = RunRecord {
            evaluator_files: kept_files.texts(),
            ..self.record(now)
        };
        let PreparedGrading {
            options,
            answers,
            judges,
            gates,
        } = self;
        let resumed = answers.graded.resumed.as_ref().map(|run| &run.folder);
        let folder = match resumed {
            Some(folder) => folder.clone(),
            None => answers.graded.runs.create(now)?,
        };
        let (writer, journal) = open_journal(&folder, &record, &judges.secrets, now)?;
        let planned = Planned {
            trials: answers.trials,
            // Cases that the run could not use have no answer to grade.
            skipped: record.files.iter().map(|file| file.skipped).sum(),
        };
        let run = OpenRun {
            planned,
            record,
            folder,
            writer,
            skipped_by_file: Vec::new(),
            gates,
            kept_files,
            resumed_cases: None,
            is_resumed: resumed.is_some(),
            worker_needs: None,
            other_files: Vec::new(),
            not_answered: answers.not_answered,
        };
        let spec = RunSpec {
            previous_run: previous_run(resumed, options.retry_errors, notices)?,
            trials: TrialsSpec::Answers {
                targets: answers.targets(&judges),
                source: Arc::new(answers.regrading),
            },
            targets: Vec::new(),
            planned,
            cache: None,
            workspaces: None,
            dump_prompts: None,
            graders: Arc::new(answers.graders.with_environments(judges.environments)),
            judges: judges.judges,
            assignment: judges.assignment,
            journal,
            budget: options.limits.budget,
            max_time: options.limits.max_time,
            stop_on_required: options.stop_on_required,
            include_trace: options.include_trace,
            include_raw: false,
            grace: GRACE,
            engine: None,
            has_dependencies: false,
        };
        Ok((spec, run))
    }

    /// Returns the content of `run.json`: the request of the graded run, with that of the grading.
    fn record(&self, now: Timestamp) -> RunRecord {
        let graded = &self.answers.graded;
        let before = graded.resumed.as_ref().map(|resumed| &resumed.record);
        let selection = &self.options.selection;
        let (eval_ids, limit) = match before {
            Some(before) => joined_selection(before, selection),
            // All answers of a narrowed run are those of its selection.
            None if narrowing_flags(selection).is_empty() => {
                let asked = &graded.run.record;
                (asked.eval_ids.clone(), asked.limit)
            }
            None => (selection.eval_ids.clone(), selection.limit),
        };
        // A part of the answers is graded in a grading that has others.
        let whole = before.map_or(0, |before| before.planned);
        let planned = whole.max(self.answers.trials + self.answers.not_answered);
        let record = RunRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: before.map_or_else(|| now.to_string(), |before| before.started_at.clone()),
            finished_at: None,
            judges: ran_targets(&self.judges.judges, 0, &self.judges.assignment),
            planned,
            eval_ids,
            limit,
            graded_from: Some(graded.run.folder.id().to_string()),
            evaluators_file: self.answers.evaluators_file.clone(),
            stop_on_required: self.options.stop_on_required,
            pass_threshold: self.options.load.pass_threshold,
            judge: self.options.judge.clone(),
            allow_self_judging: self.options.allow_self_judging,
            merged_from: Vec::new(),
            merged_at: None,
            gates: Vec::new(),
            stopped: None,
            totals: None,
            statistics: None,
            ..graded.run.record.clone()
        };
        match before {
            Some(before) => with_earlier(record, before),
            None => record,
        }
    }
}

/// Returns the way to repeat results that are out of date.
fn advice(options: &GradeOptions, graded: &GradedRun) -> String {
    let flags = narrowing_flags(&options.selection);
    if flags.is_empty() || graded.resumed.is_none() {
        let run = graded.run.folder.id();
        return format!("resume run `{run}`, then grade it again");
    }
    format!("resume without {}", flags.join(" and "))
}
