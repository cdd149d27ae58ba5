//! `agentv run`: cases against targets, graded and written down.

mod ending;
mod files;
pub(super) mod folder;
mod graders;
pub(super) mod refused;
pub(super) mod reporting;
mod signals;
mod targets;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::{Planned, RanTarget, RunRecord};
use agentv_dataset::Rules;
use agentv_journal::{RunFolder, RunWriter};
use agentv_runner::{Cache, Earlier, Ended, Journal, RunSpec, Selection, StopHandle, survey};
use globset::{Glob, GlobSetBuilder};
use jiff::Timestamp;

use super::load_options;
use crate::arguments::RunArguments;
use crate::exit::{Exit, OutputError};
use crate::output;
use files::EvalFiles;
use graders::ProjectGraders;
use refused::Refused;
use reporting::Reporting;
use targets::ResolvedTargets;

/// How long what is in flight gets once the run is to stop.
const GRACE: Duration = Duration::from_secs(3);

pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, OutputError> {
    let clock = Clock {
        wall: Timestamp::now(),
        started: Instant::now(),
    };
    match prepare(arguments, &clock) {
        Ok(prepared) => execute(arguments, prepared, &clock),
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
    record: RunRecord,
    root: PathBuf,
    folder: RunFolder,
    writer: RunWriter,
    skipped: Vec<(String, u64)>,
}

/// Checks everything that the user wrote, then makes the run's folder.
fn prepare(arguments: &RunArguments, clock: &Clock) -> Result<Prepared, Refused> {
    let options = load_options(&arguments.load, Rules::Agentv);
    let files = EvalFiles::open(&arguments.paths, &options, arguments.strict)?;
    let results = folder::results_of(files.root());
    let mut selection = selection(arguments)?;
    let rerun = match &arguments.rerun_failed {
        Some(name) => {
            let earlier = folder::find(&results, name)?;
            selection.trials = Some(folder::failed_trials(&earlier)?);
            Some(earlier.id().to_string())
        }
        None => None,
    };
    let survey = survey(
        &files,
        &selection,
        &arguments.chosen_targets,
        arguments.trials,
    )
    .map_err(|error| Refused::because(error.to_string()))?;
    if survey.trials == 0 {
        return Err(nothing_selected(arguments));
    }
    let resolved = targets::resolve(arguments, &files, &survey)?;
    let planned = Planned {
        trials: survey.trials,
        skipped: files.skipped(),
    };
    let record = record_of(arguments, &files, &resolved, clock, rerun)?;
    let reporting = Reporting::new(arguments, resolved.targets.len(), resolved.secrets.clone())?;
    let cache = cache(arguments, files.root())?;
    let (folder, record) = match is_resumed(arguments) {
        Some(name) => resumed(&results, name, record)?,
        None => (folder::create(&results, clock.wall)?, record),
    };
    let mut writer = folder.write(clock.wall).map_err(folder::unusable)?;
    let journal = Journal::open(&mut writer, resolved.secrets)
        .map_err(|error| Refused::not_written(error.to_string()))?;
    writer
        .write_run(&record)
        .map_err(|error| Refused::not_written(error.to_string()))?;
    let earlier = earlier(arguments, &folder)?;
    Ok(Prepared {
        skipped: files.skipped_by_file(),
        root: files.root().to_owned(),
        spec: RunSpec {
            source: Arc::new(files),
            selection,
            targets: resolved.targets,
            assignment: resolved.assignment,
            trials: arguments.trials,
            planned,
            graders: Arc::new(ProjectGraders::new(arguments.load.allow_outside_root)),
            journal,
            earlier,
            cache,
            budget: arguments.budget,
            max_time: arguments.max_time,
            include_trace: arguments.include_trace,
            dry_run: arguments.dry_run,
            dump_prompts: arguments.dump_prompts.clone(),
            grace: GRACE,
        },
        reporting,
        record,
        folder,
        writer,
    })
}

/// The answers of earlier runs, where they are wanted.
fn cache(arguments: &RunArguments, root: &Path) -> Result<Option<Cache>, Refused> {
    if !arguments.cache || arguments.dry_run {
        return Ok(None);
    }
    let cache = Cache::open(&root.join(".agentv/cache/answers.sqlite"));
    cache
        .map(Some)
        .map_err(|error| Refused::because(error.to_string()))
}

/// The run that is asked to go on: `Some("")` for the newest of the same.
fn is_resumed(arguments: &RunArguments) -> Option<&str> {
    match &arguments.resume {
        Some(name) => Some(name.as_deref().unwrap_or_default()),
        None => arguments.retry_errors.then_some(""),
    }
}

fn resumed(
    results: &Path,
    name: &str,
    record: RunRecord,
) -> Result<(RunFolder, RunRecord), Refused> {
    let folder = match name {
        "" => folder::find_same(results, &record)?,
        name => folder::find(results, name)?,
    };
    let earlier: Option<RunRecord> = folder.run().map_err(folder::unusable)?;
    let started_at = earlier.map_or(record.started_at, |earlier| earlier.started_at);
    Ok((
        folder,
        RunRecord {
            started_at,
            ..record
        },
    ))
}

fn earlier(arguments: &RunArguments, folder: &RunFolder) -> Result<Earlier, Refused> {
    if is_resumed(arguments).is_none() {
        return Ok(Earlier::default());
    }
    let earlier = Earlier::read(folder, arguments.retry_errors)
        .map_err(|error| Refused::because(error.to_string()))?;
    let damaged = earlier.damaged_lines();
    if damaged > 0 {
        let lines = output::counted(damaged, "line");
        output::warning(&format!(
            "{lines} of run `{}` cannot be read: what they held is done again",
            folder.id()
        ));
    }
    Ok(earlier)
}

fn selection(arguments: &RunArguments) -> Result<Selection, Refused> {
    let mut globs = GlobSetBuilder::new();
    for pattern in &arguments.eval_ids {
        let glob = Glob::new(pattern).map_err(|error| {
            Refused::because(format!("--eval-id `{pattern}`: {}", error.kind()))
        })?;
        globs.add(glob);
    }
    let globs = globs
        .build()
        .map_err(|error| Refused::because(error.to_string()))?;
    Ok(Selection {
        eval_ids: (!arguments.eval_ids.is_empty()).then_some(globs),
        shard: arguments.shard,
        limit: arguments.limit,
        trials: None,
    })
}

fn nothing_selected(arguments: &RunArguments) -> Refused {
    let mut reasons = Vec::new();
    if !arguments.eval_ids.is_empty() {
        reasons.push(format!(
            "`--eval-id {}`",
            arguments.eval_ids.join(" --eval-id ")
        ));
    }
    if let Some(shard) = arguments.shard {
        reasons.push(format!("`--shard {shard}`"));
    }
    if let Some(limit) = arguments.limit {
        reasons.push(format!("`--limit {limit}`"));
    }
    if let Some(run) = &arguments.rerun_failed {
        reasons.push(format!("`--rerun-failed {run}`"));
    }
    Refused::because(format!(
        "nothing was run: {} leaves no case",
        reasons.join(" with ")
    ))
}

fn record_of(
    arguments: &RunArguments,
    files: &EvalFiles,
    resolved: &ResolvedTargets,
    clock: &Clock,
    rerun_of: Option<String>,
) -> Result<RunRecord, Refused> {
    let targets = resolved.targets.iter().map(|target| RanTarget {
        name: target.name.clone(),
        provider: target.kind.clone(),
        settings: target.settings.clone(),
    });
    Ok(RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: clock.wall.to_string(),
        finished_at: None,
        files: files.ran()?,
        chosen_targets: arguments.chosen_targets.clone(),
        targets: targets.collect(),
        trials: arguments.trials,
        eval_ids: arguments.eval_ids.clone(),
        shard: arguments.shard.map(|shard| shard.to_string()),
        limit: arguments.limit,
        dry_run: arguments.dry_run,
        rerun_of,
        merged_from: Vec::new(),
        stopped: None,
        totals: None,
    })
}

/// Runs what was prepared, and says what came of it.
fn execute(
    arguments: &RunArguments,
    prepared: Prepared,
    clock: &Clock,
) -> Result<Exit, OutputError> {
    raise_file_limit();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return Ok(Refused::because(format!("cannot start: {error}")).tell()),
    };
    let stop = StopHandle::default();
    // Without signals a run can still be killed, and resumed.
    let _listening = signals::listen(stop.clone());
    let reporting = Arc::new(Mutex::new(prepared.reporting));
    let planned = prepared.spec.planned;
    let ended: Ended = runtime.block_on(agentv_runner::run(
        prepared.spec,
        stop,
        Arc::clone(&reporting) as agentv_runner::SharedReporter,
    ));
    // What hangs on after it was given up ends with the process.
    runtime.shutdown_background();
    let mut reporting = reporting.lock().unwrap_or_else(PoisonError::into_inner);
    ending::end(
        arguments,
        &mut reporting,
        &ended,
        &ending::Run {
            planned,
            record: prepared.record,
            root: &prepared.root,
            folder: &prepared.folder,
            writer: &prepared.writer,
            skipped: &prepared.skipped,
            elapsed: clock.started.elapsed(),
        },
    )
}

/// Thousands of requests or commands in flight need as many files open.
fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // A limit that cannot be raised is told by the first file that cannot be opened.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
