//! The answers that are graded, and the evaluators that grade them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use agentv_core::EvaluatorSpec;
use agentv_dataset::{EvaluatorsFile, Project as ProjectFolder, read_evaluators};
use agentv_runner::{
    EvalFile, GradedTarget, GradedWith, Graders, RegradePreview, Regrading, SourceRun,
    plan_regrading,
};

use super::graded_run::GradedRun;
use super::options::GradeOptions;
use super::preview_warnings::warn_of_recorded_grades;
use super::todays_files::TodaysFiles;
use crate::counted::counted;
use crate::error::ProjectError;
use crate::graders::ProjectGraders;
use crate::notices::Notices;
use crate::project::Project;
use crate::run::{narrowing_flags, reasons, selection};
use crate::run_folders::FoundRun;
use crate::targets::{GradedFile, ResolvedJudges, TargetOptions, resolve_judges};

/// The answers of a run, each with its evaluators.
pub(super) struct AnswersToGrade {
    pub(super) graded: GradedRun,
    /// The file whose evaluators replace those of the cases, by its name in records.
    pub(super) evaluators_file: Option<String>,
    pub(super) graders: ProjectGraders,
    pub(super) regrading: Regrading,
    pub(super) trials: u64,
    /// The number of trials without a record in the run; 0 if only some of its cases are graded.
    pub(super) not_answered: u64,
    asked: AskedFiles,
    todays: Arc<TodaysFiles>,
    preview: RegradePreview,
}

/// The eval files of the graded run, in its order.
struct AskedFiles {
    files: Vec<Arc<EvalFile>>,
    /// The targets that answered the cases of each file.
    targets: Vec<BTreeSet<Arc<str>>>,
    /// The paths that are read.
    paths: Vec<PathBuf>,
}

/// Evaluators from a file of their own.
struct GivenEvaluators {
    file: EvaluatorsFile,
    /// The name of the file in records.
    shown: String,
}

impl GivenEvaluators {
    fn read(options: &GradeOptions) -> Result<Option<GivenEvaluators>, ProjectError> {
        let Some(path) = &options.evaluators_file else {
            return Ok(None);
        };
        let file = read_evaluators(path, &options.load).map_err(ProjectError::Problems)?;
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let shown = file.project.display(&path);
        Ok(Some(GivenEvaluators { file, shown }))
    }
}

impl AnswersToGrade {
    /// Finds the run and its eval files, and chooses the evaluators of each answer. Completes the options
    /// with those of the run.
    pub(super) fn find(
        project: &Project,
        options: &mut GradeOptions,
        notices: &mut dyn Notices,
    ) -> Result<AnswersToGrade, ProjectError> {
        let given = GivenEvaluators::read(options)?;
        let evaluators_file = given.as_ref().map(|given| given.shown.clone());
        let graded = GradedRun::find(project, options, evaluators_file.as_deref(), notices)?;
        options.complete(&graded.resumed.as_ref().unwrap_or(&graded.run).record);
        let origin = read_origin(project, &graded.run, notices)?;
        let load = given.is_none().then_some(&options.load);
        let todays = TodaysFiles::open(&origin, &graded.root()?, load, project, notices);
        let todays = Arc::new(todays);
        let asked = AskedFiles::of(&origin, &todays);
        let graders = graders(options, &graded, given.as_ref());
        let (missing, usable) = (todays.missing(), todays.usable());
        let with = match given {
            Some(given) => GradedWith::These(usable_evaluators(given, &asked, &graders, notices)?),
            None => GradedWith::Today(Arc::clone(&todays) as _),
        };
        let recorded = origin.trial_count();
        let not_answered = match narrowing_flags(&options.selection).as_slice() {
            [] => graded.run.record.planned.saturating_sub(recorded),
            _ => 0,
        };
        let selection = selection(&options.selection)?;
        let files = asked.files.clone();
        let planned = plan_regrading(origin, files, with, &selection, &graders);
        let (regrading, preview) = planned.map_err(ProjectError::from_error)?;
        if preview.trials == 0 {
            return Err(nothing_selected(options));
        }
        warn_of_recorded_grades(project, &preview, &missing, &usable, notices);
        Ok(AnswersToGrade {
            graded,
            evaluators_file,
            graders,
            regrading: regrading.passing_from(options.load.pass_threshold),
            trials: preview.trials,
            not_answered,
            asked,
            todays,
            preview,
        })
    }

    /// Makes the judges ready.
    pub(super) fn judges(
        &self,
        project: &Project,
        options: &GradeOptions,
        notices: &mut dyn Notices,
    ) -> Result<ResolvedJudges, ProjectError> {
        let files = self.asked.files.iter().zip(&self.preview.judges);
        let files: Vec<GradedFile<'_>> = files
            .map(|(file, judges)| GradedFile {
                file,
                folder: folder_of(file),
                judges,
            })
            .collect();
        let targets = TargetOptions {
            project,
            file: options.targets_file.as_deref(),
            judge: options.judge.as_deref(),
            allow_self_judging: options.allow_self_judging,
            limits: &options.limits,
            dry_run: None,
        };
        let ran = &self.graded.run.record.targets;
        resolve_judges(targets, self.todays.suites(), &files, None, ran, notices)
    }

    /// Checks if the answers come from more than one target.
    pub(super) fn has_several_targets(&self) -> bool {
        let all = self.asked.targets.iter().flatten();
        all.collect::<BTreeSet<_>>().len() > 1
    }

    /// Returns the files that are read, which nothing may replace.
    pub(super) fn read_files(&self, options: &GradeOptions) -> Vec<PathBuf> {
        let given = options.evaluators_file.iter().cloned();
        let files = self.asked.files.iter();
        let settings = files.filter_map(|file| folder_of(file).config_file());
        let today = self.asked.paths.iter().cloned();
        given.chain(settings).chain(today).collect()
    }

    /// Returns the facts about the targets that gave the answers.
    pub(super) fn targets(
        &self,
        judges: &ResolvedJudges,
    ) -> HashMap<(usize, String), GradedTarget> {
        let reads_files = |name: &str| {
            let mut ran = self.graded.run.record.targets.iter();
            let ran = ran.find(|target| target.name == name);
            let facts = ran.and_then(|target| agentv_providers::facts(&target.provider));
            facts.is_some_and(|facts| facts.reads_files)
        };
        let of_files = self.asked.files.iter().zip(&self.asked.targets);
        let all = of_files.flat_map(|(file, targets)| {
            let names = targets.iter();
            names.map(|target| (file.index, target.to_string()))
        });
        all.map(|key| {
            let known = GradedTarget {
                judge: judges.usual.get(&key).cloned(),
                reads_files: reads_files(&key.1),
            };
            (key, known)
        })
        .collect()
    }

    /// Returns texts of evaluators' files that the record keeps in any case: those of a resumed grading, and
    /// those of the run if its own evaluators grade.
    pub(super) fn kept_texts(&self) -> BTreeMap<String, String> {
        let resumed = self.graded.resumed.as_ref();
        let resumed = resumed.map(|resumed| resumed.record.evaluator_files.clone());
        let mut texts = resumed.unwrap_or_default();
        if self.evaluators_file.is_none() {
            texts.extend(self.graded.run.record.evaluator_files.clone());
        }
        texts
    }
}

impl AskedFiles {
    fn of(origin: &SourceRun, todays: &TodaysFiles) -> AskedFiles {
        let targets = origin.files().iter().map(|file| file.targets.clone());
        AskedFiles {
            files: todays.files().to_vec(),
            targets: targets.collect(),
            paths: todays.paths(),
        }
    }
}

/// Returns the builder of evaluators. Evaluators of a file start from the project around it. Evaluators of
/// cases may also use the texts that the run kept.
fn graders(
    options: &GradeOptions,
    graded: &GradedRun,
    given: Option<&GivenEvaluators>,
) -> ProjectGraders {
    let graders = ProjectGraders::new(options.load.allow_outside_root, false)
        .without_scripts(options.limits.no_scripts);
    match given {
        Some(given) => graders.at_root(Some(given.file.project.root.clone())),
        None => graders.with_kept_texts(graded.run.record.evaluator_files.clone()),
    }
}

/// Checks that all evaluators of a file can be built, with the files that they name, and returns them.
fn usable_evaluators(
    given: GivenEvaluators,
    asked: &AskedFiles,
    graders: &ProjectGraders,
    notices: &mut dyn Notices,
) -> Result<Arc<[EvaluatorSpec]>, ProjectError> {
    for warning in given.file.warnings {
        notices.problem(warning);
    }
    let evaluators = given.file.evaluators;
    let Some(file) = asked.files.first() else {
        return Ok(evaluators);
    };
    for spec in evaluators.iter() {
        graders.build(file, spec).map_err(|reason| {
            ProjectError::because(format!("evaluator `{}`: {reason}", spec.name))
        })?;
    }
    Ok(evaluators)
}

fn read_origin(
    project: &Project,
    run: &FoundRun,
    notices: &mut dyn Notices,
) -> Result<SourceRun, ProjectError> {
    run.refuse_unfinished()?;
    run.warn_of_missing_marks(notices);
    let folder = &run.folder;
    let origin = SourceRun::read(folder).map_err(ProjectError::from_error)?;
    for (file, damage) in origin.damage() {
        let shown = project.shown(&folder.file(*file));
        notices.warn(format!("`{}`: {damage}", shown.display()));
    }
    let more = origin.damaged_lines() - origin.damage().len() as u64;
    if more > 0 {
        let more = counted(more, "more line");
        notices.warn(format!(
            "skipped {more} of run `{}` that cannot be read",
            folder.id()
        ));
    }
    if !origin.has_answers() {
        let message = format!("nothing was graded: run `{}` has no answers", folder.id());
        let hint = "name a run with answers".to_owned();
        return Err(ProjectError::with_hint(message, Some(hint)));
    }
    Ok(origin)
}

fn folder_of(file: &EvalFile) -> ProjectFolder {
    ProjectFolder {
        root: file.root.to_path_buf(),
        folder: file.folder.to_path_buf(),
    }
}

fn nothing_selected(options: &GradeOptions) -> ProjectError {
    ProjectError::because(format!(
        "nothing was graded: no case matches {}",
        reasons(&options.selection).join(" and ")
    ))
}
