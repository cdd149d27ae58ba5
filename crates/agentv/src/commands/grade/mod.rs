//! `agentv grade`: the answers of an earlier run, graded again.

mod origin;
mod todays_files;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use agentv_core::{Planned, RunRecord};
use agentv_dataset::{EvaluatorsFile, Project, Rules, read_evaluators};
use agentv_journal::{RunFolder, RunWriter};
use agentv_runner::{
    Earlier, EvalFile, GradeSpec, GradedTarget, GradedWith, Graders, Origin, Outlook, Selection,
    plan_regrading,
};
use jiff::Timestamp;

use super::load_options;
use super::run::files::is_same;
use super::run::gates::Gates;
use super::run::graders::ProjectGraders;
use super::run::plan::matching;
use super::run::refused::Refused;
use super::run::reporting::{Reporting, Told};
use super::run::targets::{Asking, GradedFile, ResolvedJudges, resolve_judges};
use super::run::{GRACE, earlier, ending, folder, ran_target, work, write};
use crate::arguments::GradeArguments;
use crate::diagnostics::Teller;
use crate::exit::{Exit, OutputError};
use crate::output;
use origin::Graded;
use todays_files::TodaysFiles;

pub(crate) fn run(arguments: &GradeArguments) -> Result<Exit, OutputError> {
    let started = Instant::now();
    let prepared = match prepare(arguments, Timestamp::now()) {
        Ok(prepared) => prepared,
        Err(refused) => return Ok(refused.tell()),
    };
    let (spec, planned) = (prepared.spec, prepared.planned);
    let worked = work(prepared.reporting, |stop, reporter| {
        agentv_runner::grade(spec, stop, reporter)
    });
    let (ended, reporting) = match worked {
        Ok(worked) => worked,
        Err(refused) => return Ok(refused.tell()),
    };
    let mut reporting = reporting.lock().unwrap_or_else(PoisonError::into_inner);
    ending::end(
        &arguments.output,
        &mut reporting,
        &ended,
        &ending::Run {
            planned,
            record: prepared.record,
            folder: &prepared.folder,
            writer: &prepared.writer,
            skipped: &[],
            gates: &prepared.gates,
            elapsed: started.elapsed(),
        },
    )
}

/// A grading that was checked in full, and of which nobody was asked yet.
struct Prepared {
    spec: GradeSpec,
    planned: Planned,
    reporting: Reporting,
    gates: Gates,
    record: RunRecord,
    folder: RunFolder,
    writer: RunWriter,
}

/// Checks everything, then makes the folder of the grading.
fn prepare(arguments: &GradeArguments, now: Timestamp) -> Result<Prepared, Refused> {
    let options = load_options(&arguments.load, Rules::Agentv);
    let given = match &arguments.evaluators {
        Some(path) => Some(read_evaluators(path, &options).map_err(Refused::diagnostics)?),
        None => None,
    };
    let evaluators_file = arguments.evaluators.as_deref().zip(given.as_ref());
    let evaluators_file = evaluators_file.map(|(path, given)| shown(path, given));
    let graded = Graded::find(arguments, evaluators_file.as_deref())?;
    let origin = read_origin(&graded.folder)?;
    let root = graded.root()?;
    let todays = TodaysFiles::open(&origin, &root, given.is_none().then_some(&options));
    let targets: Vec<_> = origin
        .files()
        .iter()
        .map(|file| file.targets.clone())
        .collect();
    let several_targets = targets
        .iter()
        .flatten()
        .collect::<std::collections::BTreeSet<_>>();
    let several_targets = several_targets.len() > 1;
    let graders = ProjectGraders::new(arguments.load.allow_outside_root, false)
        .at_root(given.as_ref().map(|given| given.project.root.clone()));
    let selection = Selection {
        eval_ids: matching(&arguments.eval_ids)?,
        limit: arguments.limit,
        ..Selection::default()
    };
    let files = todays.files().to_vec();
    let projects: Vec<Project> = files.iter().map(|file| project_of(file)).collect();
    let (missing, usable) = (todays.missing(), todays.usable());
    let reads = todays.paths();
    let with = match given {
        Some(given) => {
            let evaluators = tell_warnings(given);
            check(&evaluators, &files, &graders)?;
            GradedWith::These(evaluators)
        }
        None => GradedWith::Today(Arc::new(todays)),
    };
    let (regrading, outlook) = plan_regrading(origin, files.clone(), with, &selection, &graders)
        .map_err(|error| Refused::because(error.to_string()))?;
    if outlook.trials == 0 {
        return Err(nothing_selected(arguments));
    }
    if !arguments.output.quiet {
        tell_outlook(&outlook, &missing, &usable);
    }
    let asked: Vec<GradedFile<'_>> = files
        .iter()
        .zip(projects)
        .zip(&outlook.judges)
        .map(|((file, project), judges)| GradedFile {
            file,
            project,
            judges,
        })
        .collect();
    let asking = Asking {
        targets: arguments.targets.as_ref(),
        limits: &arguments.limits,
        rehearsal: None,
    };
    let judges = resolve_judges(asking, &asked, None)?;
    let planned = Planned {
        trials: outlook.trials,
        skipped: 0,
    };
    let told = Told {
        verbose: arguments.load.verbose,
        several_targets,
        trials: graded.record.trials,
        secrets: &judges.secrets,
    };
    let reads = |path: &Path| {
        let given = arguments.evaluators.iter().chain(&reads);
        given.into_iter().any(|read| is_same(read, path))
    };
    let reporting = Reporting::new(&arguments.output, &told, &reads)?;
    let going_on = graded.resumed.as_ref().map(|(folder, _)| folder);
    let gates = Gates::open(&arguments.gates, &graded.results, going_on)?;
    let record = record_of(arguments, &graded, &judges, planned, evaluators_file, now);
    let folder = match &graded.resumed {
        Some((folder, _)) => folder.clone(),
        None => folder::create(&graded.results, now)?,
    };
    let (writer, journal) = write(&folder, &record, &judges.secrets, now)?;
    let graded_targets = graded_targets(&graded.record, &judges, &files, &targets);
    Ok(Prepared {
        spec: GradeSpec {
            answers: Arc::new(regrading),
            graded: graded_targets,
            judges: judges.judges,
            assignment: judges.assignment,
            planned,
            graders: Arc::new(graders.with_environments(judges.environments)),
            journal,
            earlier: match &graded.resumed {
                Some((folder, _)) => earlier(folder, arguments.retry_errors)?,
                None => Earlier::default(),
            },
            budget: arguments.limits.budget,
            max_time: arguments.limits.max_time,
            stop_on_required: arguments.stop_on_required,
            include_trace: arguments.output.include_trace,
            grace: GRACE,
        },
        planned,
        reporting,
        gates,
        record,
        folder,
        writer,
    })
}

/// The evaluators file as records name it.
fn shown(path: &Path, given: &EvaluatorsFile) -> String {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    given.project.display(&path)
}

fn tell_warnings(given: EvaluatorsFile) -> Vec<agentv_core::EvaluatorSpec> {
    let teller = Teller::for_checking();
    let warnings = given.warnings.iter();
    warnings.for_each(|warning| teller.tell_error(warning));
    given.evaluators
}

/// Whether evaluators can be built: the files that they name were not looked into before.
fn check(
    evaluators: &[agentv_core::EvaluatorSpec],
    files: &[Arc<EvalFile>],
    graders: &ProjectGraders,
) -> Result<(), Refused> {
    let Some(file) = files.first() else {
        return Ok(());
    };
    for spec in evaluators {
        graders
            .build(file, spec)
            .map_err(|reason| Refused::because(format!("evaluator `{}`: {reason}", spec.name)))?;
    }
    Ok(())
}

fn read_origin(folder: &RunFolder) -> Result<Origin, Refused> {
    folder::refuse_unfinished(folder)?;
    let origin = Origin::read(folder).map_err(|error| Refused::because(error.to_string()))?;
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

/// Says what is graded by what was recorded rather than by what is written today.
fn tell_outlook(outlook: &Outlook, missing: &[PathBuf], usable: &[usize]) {
    for path in missing {
        let shown = output::from_here(path);
        output::note(&format!(
            "`{}` is not there: its cases are graded as recorded",
            shown.display()
        ));
    }
    let changed: u64 = outlook.changed.iter().sum();
    if changed > 0 {
        let have = if changed == 1 { "has" } else { "have" };
        let cases = output::counted(changed, "case");
        output::note(&format!(
            "{cases} {have} another input today: graded as recorded"
        ));
    }
    let gone = outlook.gone.iter().enumerate();
    let gone: u64 = gone
        .filter(|(index, _)| usable.contains(index))
        .map(|(_, gone)| gone)
        .sum();
    if gone > 0 {
        let (are, their) = match gone {
            1 => ("is", "its eval file"),
            _ => ("are", "their eval files"),
        };
        let cases = output::counted(gone, "case");
        output::note(&format!(
            "{cases} {are} not in {their} today: graded as recorded"
        ));
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

/// What is known of the targets that gave the answers.
fn graded_targets(
    origin: &RunRecord,
    judges: &ResolvedJudges,
    files: &[Arc<EvalFile>],
    targets: &[std::collections::BTreeSet<Arc<str>>],
) -> std::collections::HashMap<(usize, String), GradedTarget> {
    let reads_files = |name: &str| {
        let mut ran = origin.targets.iter();
        let ran = ran.find(|target| target.name == name);
        ran.is_some_and(|target| agentv_providers::reads_files(&target.provider))
    };
    let of_files = files.iter().zip(targets);
    let all = of_files.flat_map(|(file, targets)| {
        targets
            .iter()
            .map(|target| (file.index, target.to_string()))
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

/// What `run.json` says: what was asked is what the origin says of itself.
fn record_of(
    arguments: &GradeArguments,
    graded: &Graded,
    judges: &ResolvedJudges,
    planned: Planned,
    evaluators_file: Option<String>,
    now: Timestamp,
) -> RunRecord {
    let before = graded.resumed.as_ref().map(|(_, record)| record);
    RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: before.map_or_else(|| now.to_string(), |before| before.started_at.clone()),
        finished_at: None,
        judges: judges.judges.iter().map(ran_target).collect(),
        planned: planned.trials,
        eval_ids: arguments.eval_ids.clone(),
        limit: arguments.limit,
        rerun_of: None,
        graded_from: Some(graded.folder.id().to_string()),
        evaluators_file,
        stop_on_required: arguments.stop_on_required,
        merged_from: Vec::new(),
        stopped: None,
        totals: None,
        ..graded.record.clone()
    }
}
