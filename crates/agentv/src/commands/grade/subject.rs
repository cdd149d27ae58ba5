//! What is graded, and by what.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::EvaluatorSpec;
use agentv_dataset::{EvaluatorsFile, Project, Rules, read_evaluators};
use agentv_journal::RunFolder;
use agentv_runner::{
    EvalFile, GradedTarget, GradedWith, Graders, RegradePreview, Regrading, Selection, SourceRun,
    plan_regrading,
};

use super::origin::Graded;
use super::todays_files::TodaysFiles;
use super::told::tell_preview;
use crate::arguments::GradeArguments;
use crate::commands::load_options;
use crate::commands::run::files::is_same;
use crate::commands::run::folder;
use crate::commands::run::graders::ProjectGraders;
use crate::commands::run::plan::matching;
use crate::commands::run::refused::Refused;
use crate::commands::run::targets::{Asking, GradedFile, ResolvedJudges, resolve_judges};
use crate::diagnostics::Teller;
use crate::output;

/// The answers of a run, each with what grades it.
pub(super) struct Subject {
    pub(super) graded: Graded,
    /// The file whose evaluators grade in place of those of the cases, as records name it.
    pub(super) evaluators_file: Option<String>,
    pub(super) graders: ProjectGraders,
    pub(super) regrading: Regrading,
    pub(super) trials: u64,
    asked: AskedFiles,
    preview: RegradePreview,
}

/// The eval files of the run, in the order in which it met them.
struct AskedFiles {
    files: Vec<Arc<EvalFile>>,
    /// The targets that answered the cases of each.
    targets: Vec<BTreeSet<Arc<str>>>,
    /// What is read of them.
    paths: Vec<PathBuf>,
}

/// The evaluators of a file.
struct Given {
    file: EvaluatorsFile,
    /// The file as records name it.
    shown: String,
}

impl Given {
    fn read(arguments: &GradeArguments) -> Result<Option<Given>, Refused> {
        let Some(path) = &arguments.evaluators else {
            return Ok(None);
        };
        let options = load_options(&arguments.load, Rules::Agentv);
        let file = read_evaluators(path, &options).map_err(Refused::diagnostics)?;
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let shown = file.project.display(&path);
        Ok(Some(Given { file, shown }))
    }
}

impl Subject {
    /// Finds the run and its eval files, and decides by what each answer is graded.
    pub(super) fn find(arguments: &GradeArguments) -> Result<Subject, Refused> {
        let given = Given::read(arguments)?;
        let evaluators_file = given.as_ref().map(|given| given.shown.clone());
        let graded = Graded::find(arguments, evaluators_file.as_deref())?;
        let origin = read_origin(&graded.folder)?;
        let options = load_options(&arguments.load, Rules::Agentv);
        let options = given.is_none().then_some(&options);
        let todays = TodaysFiles::open(&origin, &graded.root()?, options);
        let asked = AskedFiles::of(&origin, &todays);
        let graders = graders(arguments, &graded, given.as_ref());
        let (missing, usable) = (todays.missing(), todays.usable());
        let with = match given {
            Some(given) => GradedWith::These(usable_evaluators(given, &asked, &graders)?),
            None => GradedWith::Today(Arc::new(todays)),
        };
        let selection = Selection {
            eval_ids: matching(&arguments.eval_ids)?,
            limit: arguments.limit,
            ..Selection::default()
        };
        let files = asked.files.clone();
        let planned = plan_regrading(origin, files, with, &selection, &graders);
        let (regrading, preview) = planned.map_err(|error| Refused::because(error.to_string()))?;
        if preview.trials == 0 {
            return Err(nothing_selected(arguments));
        }
        tell_preview(&preview, &missing, &usable);
        Ok(Subject {
            graded,
            evaluators_file,
            graders,
            regrading,
            trials: preview.trials,
            asked,
            preview,
        })
    }

    /// Makes those ready who judge.
    pub(super) fn judges(&self, arguments: &GradeArguments) -> Result<ResolvedJudges, Refused> {
        let files = self.asked.files.iter().zip(&self.preview.judges);
        let files: Vec<GradedFile<'_>> = files
            .map(|(file, judges)| GradedFile {
                file,
                project: project_of(file),
                judges,
            })
            .collect();
        let asking = Asking {
            targets: arguments.targets.as_ref(),
            limits: &arguments.limits,
            rehearsal: None,
        };
        resolve_judges(asking, &files, None, &self.graded.record.targets)
    }

    /// Whether several targets gave the answers.
    pub(super) fn has_several_targets(&self) -> bool {
        let all = self.asked.targets.iter().flatten();
        all.collect::<BTreeSet<_>>().len() > 1
    }

    /// Whether a file is read, so that nothing may be written to it.
    pub(super) fn reads(&self, arguments: &GradeArguments, path: &Path) -> bool {
        let mut read = arguments.evaluators.iter().chain(&self.asked.paths);
        read.any(|read| is_same(read, path))
    }

    /// What is known of the targets that gave the answers.
    pub(super) fn targets(
        &self,
        judges: &ResolvedJudges,
    ) -> HashMap<(usize, String), GradedTarget> {
        let reads_files = |name: &str| {
            let mut ran = self.graded.record.targets.iter();
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

    /// The texts of evaluators' files that are kept whatever is read now: those of a grading that
    /// goes on, and those of the run where its own evaluators grade.
    pub(super) fn kept_texts(&self) -> BTreeMap<String, String> {
        let resumed = self.graded.resumed.as_ref();
        let resumed = resumed.map(|(_, record)| record.evaluator_files.clone());
        let mut texts = resumed.unwrap_or_default();
        if self.evaluators_file.is_none() {
            texts.extend(self.graded.record.evaluator_files.clone());
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

/// What builds the evaluators: those of a file from the project around it, those of the cases from
/// what the run kept, too.
fn graders(arguments: &GradeArguments, graded: &Graded, given: Option<&Given>) -> ProjectGraders {
    let graders = ProjectGraders::new(arguments.load.allow_outside_root, false)
        .without_scripts(arguments.limits.no_scripts);
    match given {
        Some(given) => graders.at_root(Some(given.file.project.root.clone())),
        None => graders.with_kept_texts(graded.record.evaluator_files.clone()),
    }
}

/// The evaluators of a file; they can all be built, with the files that they name, which were not
/// looked into before.
fn usable_evaluators(
    given: Given,
    asked: &AskedFiles,
    graders: &ProjectGraders,
) -> Result<Arc<[EvaluatorSpec]>, Refused> {
    let teller = Teller::for_checking();
    let warnings = given.file.warnings.iter();
    warnings.for_each(|warning| teller.tell_error(warning));
    let evaluators = given.file.evaluators;
    let Some(file) = asked.files.first() else {
        return Ok(evaluators);
    };
    for spec in evaluators.iter() {
        graders
            .build(file, spec)
            .map_err(|reason| Refused::because(format!("evaluator `{}`: {reason}", spec.name)))?;
    }
    Ok(evaluators)
}

fn read_origin(folder: &RunFolder) -> Result<SourceRun, Refused> {
    folder::refuse_unfinished(folder)?;
    let origin = SourceRun::read(folder).map_err(|error| Refused::because(error.to_string()))?;
    for (file, damage) in origin.damage() {
        let shown = output::from_here(&folder.file(*file));
        output::warning(&format!("`{}`: {damage}", shown.display()));
    }
    let more = origin.damaged_lines() - origin.damage().len() as u64;
    if more > 0 {
        let more = output::counted(more, "more line");
        output::warning(&format!("{more} of run `{}` cannot be read", folder.id()));
    }
    if !origin.has_answers() {
        let message = format!(
            "nothing was graded: there is no answer in run `{}`",
            folder.id()
        );
        let hint = "name a run whose targets have answered".to_owned();
        return Err(Refused::with_hint(message, Some(hint)));
    }
    Ok(origin)
}

fn project_of(file: &EvalFile) -> Project {
    Project {
        root: file.root.to_path_buf(),
        folder: file.folder.to_path_buf(),
    }
}

fn nothing_selected(arguments: &GradeArguments) -> Refused {
    let mut reasons: Vec<String> = Vec::new();
    if !arguments.eval_ids.is_empty() {
        let patterns = arguments.eval_ids.join(" --eval-id ");
        reasons.push(format!("`--eval-id {patterns}`"));
    }
    reasons.extend(arguments.limit.map(|limit| format!("`--limit {limit}`")));
    Refused::because(format!(
        "nothing was graded: {} leaves no case",
        reasons.join(" with ")
    ))
}
