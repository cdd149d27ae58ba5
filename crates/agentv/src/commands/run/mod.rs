//! `agentv run`: cases against targets, graded and written down.

pub(super) mod ending;
pub(super) mod files;
pub(super) mod folder;
pub(super) mod gates;
pub(super) mod graders;
pub(super) mod kept_files;
pub(super) mod open_files;
pub(super) mod plan;
pub(super) mod refused;
pub(super) mod reporting;
pub(super) mod rerun;
mod signals;
pub(super) mod targets;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::{Planned, RanTarget, Reporter, RunRecord, Secrets, Target};
use agentv_dataset::Rules;
use agentv_journal::{FolderError, RecordFile, RunFolder, RunWriter};
use agentv_runner::{
    Cache, Ended, Journal, PreviousRun, RunSpec, SharedReporter, StopHandle, TrialsSpec, survey,
    trial_fields,
};
use jiff::Timestamp;

use super::load_options;
use crate::arguments::RunArguments;
use crate::exit::{Exit, OutputError};
use crate::output;
use files::EvalFiles;
use gates::Gates;
use graders::ProjectGraders;
use kept_files::KeptFiles;
use plan::{Plan, Resumed, nothing_selected};
use refused::Refused;
use reporting::{Reporting, Told};
use targets::ResolvedTargets;

/// How long what is in flight gets once the run is to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(3);

pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, OutputError> {
    let clock = Clock {
        wall: Timestamp::now(),
        started: Instant::now(),
    };
    match prepare(arguments, &clock) {
        Ok(prepared) => execute(arguments, prepared),
        Err(refused) => Ok(refused.tell()),
    }
}

/// When the run began, for people and for measuring.
struct Clock {
    wall: Timestamp,
    started: Instant,
}

/// A run that was checked in full, and of which nothing was asked yet.
struct Prepared {
    spec: RunSpec,
    reporting: Reporting,
    run: ending::Run,
    /// Whether a run goes on with everything that its files have.
    is_whole: bool,
}

/// Checks everything that the user wrote, then makes the run's folder.
fn prepare(arguments: &RunArguments, clock: &Clock) -> Result<Prepared, Refused> {
    let options = load_options(&arguments.load, Rules::Agentv);
    let files = EvalFiles::open(arguments, &options)?;
    let results = folder::results_of(files.root());
    let plan = Plan::of(arguments, &files, &results)?;
    let graders = ProjectGraders::new(arguments.load.allow_outside_root, arguments.dry_run)
        .without_scripts(arguments.limits.no_scripts);
    let survey = survey(
        &files,
        &plan.selection,
        &graders,
        &plan.chosen_targets,
        plan.trials,
    )
    .map_err(|error| Refused::because(error.to_string()))?;
    if survey.trials == 0 {
        return Err(nothing_selected(arguments));
    }
    let resolved = targets::resolve(arguments, &plan, &files, &survey)?;
    let planned = Planned {
        trials: survey.trials,
        skipped: files.skipped(),
    };
    let kept_files = kept_files(&plan, &graders, &resolved.secrets);
    let record = RunRecord {
        evaluator_files: kept_files.texts(),
        ..record_of(arguments, &plan, &files, &resolved, planned, clock)?
    };
    let cache = cache(arguments, files.root())?;
    let told = Told {
        verbose: arguments.load.verbose,
        several_targets: resolved.targets.len() > 1,
        trials: plan.trials,
        secrets: &resolved.secrets,
    };
    let reporting = Reporting::new(&arguments.output, &told, &|path| files.uses(path))?;
    let going_on = plan.resumed.as_ref().map(|resumed| &resumed.folder);
    let gates = Gates::open(&arguments.gates, &results, going_on)?;
    let folder = match &plan.resumed {
        Some(resumed) => resumed.folder.clone(),
        None => folder::create(&results, clock.wall)?,
    };
    let (writer, journal) = write(&folder, &record, &resolved.secrets, clock.wall)?;
    Ok(Prepared {
        is_whole: plan.is_whole(arguments),
        run: ending::Run {
            planned,
            record,
            folder,
            writer,
            skipped: files.skipped_by_file(),
            gates,
            kept_files,
            started: clock.started,
        },
        spec: RunSpec {
            trials: TrialsSpec::Cases {
                source: Arc::new(files),
                selection: plan.selection,
                trials: plan.trials,
                dry_run: arguments.dry_run,
            },
            targets: resolved.targets,
            judges: resolved.judges,
            assignment: resolved.assignment,
            planned,
            graders: Arc::new(graders.with_environments(resolved.environments)),
            journal,
            previous_run: match &plan.resumed {
                Some(Resumed { folder, .. }) => previous_run(folder, arguments.retry_errors)?,
                None => PreviousRun::default(),
            },
            cache,
            budget: arguments.limits.budget,
            max_time: arguments.limits.max_time,
            stop_on_required: arguments.stop_on_required,
            include_trace: arguments.output.include_trace,
            dump_prompts: arguments.dump_prompts.clone(),
            grace: GRACE,
        },
        reporting,
    })
}

/// Locks the run's folder, says in it what is run, and opens its records. A folder that is new and
/// cannot be written is taken away again.
pub(crate) fn write(
    folder: &RunFolder,
    record: &RunRecord,
    secrets: &Secrets,
    now: Timestamp,
) -> Result<(RunWriter, Journal), Refused> {
    let is_new = !folder.path().join("run.json").exists();
    let open = || {
        let mut writer = folder.write(now)?;
        writer.write_run(record)?;
        let journal = Journal::open(&mut writer, secrets.clone())?;
        Ok((writer, journal))
    };
    open().map_err(|error: FolderError| {
        if is_new {
            let _ = std::fs::remove_dir_all(folder.path());
        }
        folder::not_written(error)
    })
}

fn kept_files(plan: &Plan, graders: &ProjectGraders, secrets: &Secrets) -> KeptFiles {
    let before = plan.resumed.as_ref();
    let before = before.map(|resumed| resumed.record.evaluator_files.clone());
    KeptFiles::new(
        before.unwrap_or_default(),
        graders.read_texts(),
        secrets.clone(),
    )
}

/// The answers of earlier runs, where they are wanted.
fn cache(arguments: &RunArguments, root: &Path) -> Result<Option<Cache>, Refused> {
    if !arguments.cache || arguments.dry_run {
        return Ok(None);
    }
    let cache = Cache::open(&root.join(".agentv/cache/answers.sqlite"));
    cache.map(Some).map_err(|error| {
        let hint = "remove the file to begin a new cache, or leave `--cache` out".to_owned();
        Refused::with_hint(error.to_string(), Some(hint))
    })
}

/// What a run that goes on has done already.
pub(crate) fn previous_run(folder: &RunFolder, retry_errors: bool) -> Result<PreviousRun, Refused> {
    let previous_run = PreviousRun::read(folder, retry_errors)
        .map_err(|error| Refused::because(error.to_string()))?;
    let damaged = previous_run.damaged_lines();
    if damaged > 0 {
        let lines = output::counted(damaged, "line");
        output::warning(&format!(
            "{lines} of run `{}` cannot be read: what they held is done again",
            folder.id()
        ));
    }
    Ok(previous_run)
}

/// What `run.json` says; of a run that goes on, what it said before is kept where it still holds.
fn record_of(
    arguments: &RunArguments,
    plan: &Plan,
    files: &EvalFiles,
    resolved: &ResolvedTargets,
    planned: Planned,
    clock: &Clock,
) -> Result<RunRecord, Refused> {
    let before = plan.resumed.as_ref().map(|resumed| resumed.record.clone());
    let is_new = before.is_none();
    let before = before.unwrap_or_default();
    let mut targets: Vec<RanTarget> = resolved.targets.iter().map(ran_target).collect();
    let others = before.targets.into_iter();
    let is_named = |name: &str| resolved.targets.iter().any(|target| target.name == name);
    targets.extend(others.filter(|target| !is_named(&target.name)));
    Ok(RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: match is_new {
            true => clock.wall.to_string(),
            false => before.started_at,
        },
        finished_at: None,
        files: files.ran()?,
        chosen_targets: plan.chosen_targets.clone(),
        targets,
        judges: resolved.judges.iter().map(ran_target).collect(),
        trials: plan.trials,
        planned: planned.trials,
        eval_ids: arguments.eval_ids.clone(),
        shard: arguments.shard.map(|shard| shard.to_string()),
        limit: arguments.limit,
        dry_run: arguments.dry_run,
        rerun_of: plan.rerun_of.clone(),
        stop_on_required: arguments.stop_on_required,
        merged_from: before.merged_from,
        ..RunRecord::default()
    })
}

pub(crate) fn ran_target(target: &Target) -> RanTarget {
    RanTarget {
        name: target.name.clone(),
        provider: target.kind.clone(),
        settings: target.settings.clone(),
        // In a rehearsal no variable is looked up: such a name says nothing.
        judge_target: target
            .judge_target
            .clone()
            .filter(|judge| !judge.contains("${{")),
    }
}

/// Runs what was prepared, and says what came of it.
fn execute(arguments: &RunArguments, prepared: Prepared) -> Result<Exit, OutputError> {
    let Prepared {
        spec,
        reporting,
        mut run,
        is_whole,
    } = prepared;
    let worked = work(reporting, |stop, reporter| {
        agentv_runner::run(spec, stop, reporter)
    });
    let (ended, reporting) = match worked {
        Ok(worked) => worked,
        Err(refused) => return Ok(refused.tell()),
    };
    if is_whole {
        tidy(&mut run.writer, &ended);
    }
    let mut reporting = reporting.lock().unwrap_or_else(PoisonError::into_inner);
    ending::end(&arguments.output, &mut reporting, &ended, &run)
}

/// Takes results of cases that are gone out of a run that went on to its end.
fn tidy(writer: &mut RunWriter, ended: &Ended) {
    let counted = ended.counted.as_ref();
    let Some(counted) = counted.filter(|_| ended.stop.is_none() && ended.error.is_none()) else {
        return;
    };
    if let Err(error) = writer.compact(RecordFile::Results, &trial_fields(), counted) {
        output::warning(&format!(
            "results of cases that are gone are still in the run: {error}"
        ));
    }
}

/// Does the work of a run, with signals heard, and says how it ended.
pub(crate) fn work<R: Reporter + Send + 'static, W: Future<Output = Ended>>(
    reporting: R,
    work: impl FnOnce(StopHandle, SharedReporter) -> W,
) -> Result<(Ended, Arc<Mutex<R>>), Refused> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Refused::because(format!("cannot start: {error}")))?;
    let stop = StopHandle::default();
    let reporting = Arc::new(Mutex::new(reporting));
    let reporter = Arc::clone(&reporting) as SharedReporter;
    // Without signals a run can still be killed, and resumed.
    let _listening = signals::listen(stop.clone(), Arc::clone(&reporter));
    let ended = runtime.block_on(work(stop, reporter));
    // What hangs on after it was given up ends with the process.
    runtime.shutdown_background();
    Ok((ended, reporting))
}
