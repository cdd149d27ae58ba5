//! The preparation of a run: everything is checked before any target is asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{EvalFile, Planned, RanFile, RanTarget, RunRecord, Target};
use agentv_process::Runner;
use agentv_runner::{Cache, Changes, NoWorkspace, RunSpec, RunWorkspaces, TrialsSpec, survey};
use jiff::Timestamp;

use super::changes::{changes_of, untracked_of};
use super::options::RunOptions;
use super::plan::{Plan, reasons};
use super::resumed::joined_selection;
use crate::error::ProjectError;
use crate::eval_files::{EvalFiles, FilesRequest};
use crate::gates::Gates;
use crate::graders::{KeptFiles, ProjectGraders};
use crate::notices::Notices;
use crate::obsolete_results::ResumedCases;
use crate::open_run::{OpenRun, Outline, open_journal, previous_run, ran_targets};
use crate::options::{LimitOptions, Resume};
use crate::output_files::{CasesRead, OutputFile, ReadFiles};
use crate::project::Project;
use crate::run_folders::RunFolders;
use crate::targets::{ResolvedTargets, TargetOptions, resolve_targets};
use crate::worker::{Roots, RunNeeds, WorkerSpec, named_file, shared_files};

/// The time that trials in flight get once the run is to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(3);

/// A run that was checked in full. Nothing was asked, and nothing was written.
pub struct PreparedRun {
    options: RunOptions,
    files: EvalFiles,
    runs: RunFolders,
    plan: Plan,
    graders: ProjectGraders,
    resolved: ResolvedTargets,
    planned: Planned,
    /// The number of trials of the whole run, if it is resumed with a part of its cases.
    whole: u64,
    /// The digests of the files that cases embed and evaluators read.
    read_files: BTreeMap<String, String>,
    /// A digest of all of these files, if some are omitted.
    read_files_digest: Option<String>,
    cache: Option<Cache>,
    gates: Gates,
    workspaces: WorkspacePlan,
    /// True if a selected case depends on others.
    has_dependencies: bool,
}

/// The workspaces that a run needs.
struct WorkspacePlan {
    is_needed: bool,
    /// The folder that the user prefers for them.
    place: Option<PathBuf>,
}

impl WorkspacePlan {
    /// Makes the place for the workspaces, if they are needed.
    fn open(&self, root: &Path) -> Result<Option<Arc<RunWorkspaces>>, ProjectError> {
        if !self.is_needed {
            return Ok(None);
        }
        let runner = Runner::of_this_program();
        let opened = RunWorkspaces::open(self.place.as_deref(), root, runner);
        // With the cause that the system gives.
        let opened = opened.map_err(|error| ProjectError::from_error(NoWorkspace::from(error)))?;
        Ok(Some(Arc::new(opened)))
    }
}

impl Project {
    /// Checks everything that a run needs: eval files, targets, evaluators, gates and earlier runs.
    ///
    /// # Errors
    /// If the run cannot begin.
    pub fn prepare_run(
        &self,
        options: RunOptions,
        notices: &mut dyn Notices,
    ) -> Result<PreparedRun, ProjectError> {
        let request = FilesRequest {
            paths: &options.paths,
            load: &options.load,
            strict: options.strict,
            outputs: &options.outputs,
            resumes_newest: options.resume == Some(Resume::Newest),
        };
        let mut files = EvalFiles::open(&request, notices)?;
        let options = with_settings_of(&files, options.clone(), notices);
        let runs = self.run_folders_of(files.root());
        let mut plan = Plan::of(&options, &files, &runs, notices)?;
        plan.open_files(&mut files, &options, notices)?;
        let options = RunOptions {
            limits: options.limits.of_shard(plan.selection.shard),
            ..options
        };
        let is_dry = options.dry_run.is_some();
        let graders = ProjectGraders::new(options.load.allow_outside_root, is_dry)
            .without_scripts(options.limits.no_scripts);
        let survey = survey(
            &files,
            &plan.selection,
            plan.selected_before.as_ref(),
            &graders,
            &plan.chosen_targets,
            plan.trials,
        )
        .map_err(|error| ProjectError::because(error.to_string()))?;
        if survey.trials == 0 && !survey.is_elsewhere {
            return Err(nothing_selected(&options));
        }
        // A resumed run may have results of other cases.
        let is_empty_shard = survey.trials == 0 && survey.trials_before == 0;
        let targets = TargetOptions {
            project: self,
            file: options.targets_file.as_deref(),
            judge: plan.grading.judge.as_deref(),
            allow_self_judging: plan.grading.allow_self_judging,
            limits: &options.limits,
            dry_run: options.dry_run,
        };
        let resolved = resolve_targets(targets, &plan.chosen_targets, &files, &survey, notices)?;
        note_divided_limits(&options.limits, &resolved, notices);
        let before = plan.resumed.as_ref().map(|resumed| &resumed.record);
        let skipped = files_of(&files, before).map(|file| file.skipped);
        let planned = Planned {
            trials: survey.trials,
            skipped: files.skipped() + skipped.sum::<u64>(),
        };
        // Trials of files that cannot be opened are known by their number alone.
        let elsewhere = match files_of(&files, before).next() {
            Some(_) => before.map_or(0, |before| before.planned),
            None => 0,
        };
        let elsewhere = elsewhere.saturating_sub(survey.trials_before);
        let whole = survey.trials + survey.trials_only_before + elsewhere;
        let cache = cache(&options, files.root())?;
        let resumed = plan.resumed.as_ref();
        let gates = Gates::open(&options.gates, &runs, resumed, is_dry, notices)?;
        let mut targets = resolved.targets.iter();
        let workspaces = WorkspacePlan {
            is_needed: survey.has_workspaces
                || targets.any(|target| target.provider.needs_workspace()),
            place: self.workspaces_place(),
        };
        let gates = if is_empty_shard {
            gates.of_empty_shard()
        } else {
            gates
                .with_advice(plan.advice(&options, &files))
                .needing_new_run(!plan.unusable_files(&files).is_empty())
        };
        let read_files = files.prompt_files().into_iter().chain(survey.files.listed);
        Ok(PreparedRun {
            read_files: read_files.collect(),
            read_files_digest: survey.files.digest,
            options,
            files,
            runs,
            plan,
            graders,
            resolved,
            planned,
            whole,
            cache,
            gates,
            workspaces,
            has_dependencies: survey.has_dependencies,
        })
    }
}

impl PreparedRun {
    /// Returns the facts that the caller needs to show the run.
    pub fn outline(&self) -> Outline {
        Outline {
            has_several_targets: self.resolved.targets.len() > 1,
            trials: self.plan.trials,
            secrets: self.resolved.secrets.clone(),
        }
    }

    /// Checks that no file that the caller writes replaces another, a run, or a file that the run reads.
    ///
    /// # Errors
    /// Names the first file that does.
    pub fn check_outputs(&self, outputs: &[OutputFile<'_>]) -> Result<(), ProjectError> {
        let mut files = self.files.read_files();
        files.extend(self.resolved.read_files.iter().cloned());
        let read = ReadFiles {
            results: self.runs.path(),
            files,
            graders: &self.graders,
            cases: CasesRead::Asked(&self.files),
        };
        read.refuse(outputs)
    }

    /// Creates the folder of the run, or locks that of the run that is resumed. The caller then runs the
    /// spec.
    ///
    /// # Errors
    /// If the folder cannot be written, or the records of a resumed run cannot be read.
    pub fn begin(
        self,
        now: Timestamp,
        notices: &mut dyn Notices,
    ) -> Result<(RunSpec, OpenRun), ProjectError> {
        let workspaces = self.workspaces.open(self.files.root())?;
        let worker_needs = if self.options.has_engine {
            Some(RunNeeds::new(self.worker_spec()?, workspaces.clone()))
        } else {
            None
        };
        let kept_files = self.kept_files();
        let record = RunRecord {
            evaluator_files: kept_files.texts(),
            ..self.record(now)?
        };
        let PreparedRun {
            options,
            plan,
            resolved,
            planned,
            ..
        } = self;
        let before = plan.resumed.as_ref().map(|resumed| &resumed.record);
        let changes = match before {
            Some(before) => changes_of(before, &record, &resolved.targets),
            None => Changes {
                untracked: untracked_of(&record, &resolved.targets),
                ..Changes::default()
            },
        };
        let resumed = plan.resumed.as_ref().map(|resumed| &resumed.folder);
        let folder = match resumed {
            Some(folder) => folder.clone(),
            None => self.runs.create(now)?,
        };
        let (writer, journal) = open_journal(&folder, &record, &resolved.secrets, now)?;
        let named = plan.selection.eval_files.as_ref();
        let other_files = named.map(|named| self.files.paths_besides(named));
        let files = Arc::new(self.files);
        let run = OpenRun {
            other_files: other_files.unwrap_or_default(),
            not_answered: 0,
            planned,
            record,
            folder,
            writer,
            skipped_by_file: files.skipped_by_file(),
            gates: self.gates,
            kept_files,
            resumed_cases: resumed.map(|_| ResumedCases {
                files: Arc::clone(&files),
                selection: plan.selection.clone(),
            }),
            is_resumed: resumed.is_some(),
            worker_needs: worker_needs.map(Arc::new),
        };
        if options.limits.budget.is_some() {
            warn_of_unlimited(&resolved.targets, notices);
        }
        let spec = RunSpec {
            trials: TrialsSpec::Cases {
                source: files,
                selection: plan.selection,
                trials: plan.trials,
                dry_run: options.dry_run.is_some(),
            },
            targets: resolved.targets,
            judges: resolved.judges,
            assignment: resolved.assignment,
            planned,
            graders: Arc::new(self.graders.with_environments(resolved.environments)),
            journal,
            previous_run: previous_run(resumed, options.retry_errors, notices)?
                .with_changes(changes)
                .map_err(ProjectError::from_error)?,
            cache: self.cache,
            budget: options.limits.budget,
            max_time: options.limits.max_time,
            stop_on_required: plan.grading.stop_on_required,
            include_trace: options.include_trace,
            workspaces,
            include_raw: options.include_raw,
            dump_prompts: options.dump_prompts,
            grace: GRACE,
            engine: None,
            has_dependencies: self.has_dependencies,
        };
        Ok((spec, run))
    }

    /// Returns the description of the run for workers on other machines.
    ///
    /// # Errors
    /// If the targets file of the request is outside of the project.
    fn worker_spec(&self) -> Result<WorkerSpec, ProjectError> {
        let PreparedRun {
            options, resolved, ..
        } = self;
        let files: Vec<EvalFile> = self
            .files
            .folders()
            .map(|(file, _)| (**file).clone())
            .collect();
        let roots = Roots::of(files.iter());
        let mut paths = resolved.shared_files();
        paths.extend(
            files
                .iter()
                .map(|file| file.root.join(".agentv/config.yaml")),
        );
        let named = options.targets_file.as_deref();
        let named = named.and_then(|path| path.canonicalize().ok());
        let targets_file = named.map(|path| named_file(&path, &roots)).transpose();
        let targets_file = targets_file.map_err(ProjectError::from_error)?;
        let mut needed = shared_files(&paths, &roots);
        needed.extend(targets_file.clone());
        let mut suites = Vec::new();
        for (index, suite) in self.files.suites() {
            let path = suite.path.canonicalize();
            let path = path.map_err(ProjectError::from_error)?;
            let file = named_file(&path, &roots).map_err(ProjectError::from_error)?;
            suites.push((index, file));
        }
        needed.extend(suites.iter().map(|(_, file)| file.clone()));
        Ok(WorkerSpec {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            lanes: resolved.worker_lanes(),
            answering: resolved.targets.len(),
            needed,
            suites,
            targets_file,
            judge: self.plan.grading.judge.clone(),
            timeout: options.limits.timeout,
            max_retries: options.limits.max_retries,
            no_scripts: options.limits.no_scripts,
            dry_run: options.dry_run.map(|delay| (delay.min, delay.max)),
            allow_outside_root: options.load.allow_outside_root,
            stop_on_required: self.plan.grading.stop_on_required,
            include_trace: options.include_trace,
            include_raw: options.include_raw,
            has_workspaces: self.workspaces.is_needed,
            roots,
            files,
        })
    }

    fn kept_files(&self) -> KeptFiles {
        let resumed = self.plan.resumed.as_ref();
        let before = resumed.map(|resumed| resumed.record.evaluator_files.clone());
        KeptFiles::new(
            before.unwrap_or_default(),
            self.graders.read_texts(),
            self.resolved.secrets.clone(),
        )
    }

    /// Returns the content of `run.json`. A resumed run keeps the parts of its record that still apply.
    fn record(&self, now: Timestamp) -> Result<RunRecord, ProjectError> {
        let PreparedRun {
            options,
            plan,
            resolved,
            ..
        } = self;
        let selection = &options.selection;
        let before = plan.resumed.as_ref().map(|resumed| resumed.record.clone());
        let is_new = before.is_none();
        let before = before.unwrap_or_default();
        let assignment = &resolved.assignment;
        let mut targets: Vec<RanTarget> = ran_targets(&resolved.targets, 0, assignment);
        keep_others(&mut targets, before.targets.clone());
        let mut judges = ran_targets(&resolved.judges, resolved.targets.len(), assignment);
        keep_others(&mut judges, before.judges.clone());
        let mut files = self.files.ran()?;
        files.extend(files_of(&self.files, Some(&before)).cloned());
        let (eval_ids, limit) = if is_new {
            (selection.eval_ids.clone(), selection.limit)
        } else {
            joined_selection(&before, selection)
        };
        let shard = selection.shard.map(|shard| shard.to_string());
        let mut read_files = self.read_files.clone();
        for (path, digest) in &before.read_files {
            read_files.entry(path.clone()).or_insert(digest.clone());
        }
        let record = RunRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: if is_new {
                now.to_string()
            } else {
                before.started_at.clone()
            },
            finished_at: None,
            tags: plan.tags.clone(),
            files,
            chosen_targets: plan.chosen_targets.clone(),
            targets,
            judges,
            trials: plan.trials,
            planned: self.whole,
            eval_ids,
            shard: if is_new { shard } else { before.shard.clone() },
            balance: if is_new {
                plan.balance.clone()
            } else {
                before.balance.clone()
            },
            limit,
            dry_run: options.dry_run.is_some(),
            judge: plan.grading.judge.clone(),
            allow_self_judging: plan.grading.allow_self_judging,
            pass_threshold: plan.grading.pass_threshold,
            merged_at: before.merged_at.clone(),
            rerun_of: plan.rerun_of.clone(),
            stop_on_required: plan.grading.stop_on_required,
            merged_from: before.merged_from.clone(),
            read_files,
            read_files_digest: self.read_files_digest.clone(),
            ..RunRecord::default()
        };
        Ok(if is_new {
            record
        } else {
            with_earlier(record, &before)
        })
    }
}

/// Adds the version of a resumed run, and earlier ones, until its results are known to be current.
pub(crate) fn with_earlier(mut record: RunRecord, before: &RunRecord) -> RunRecord {
    let version = before.version();
    let is_other = version != record.version();
    let versions = before.earlier.iter().cloned();
    for version in versions.chain(is_other.then_some(version)) {
        if !record.earlier.contains(&version) {
            record.earlier.push(version);
        }
    }
    record
}

/// Adds the settings that the eval files give and the options do not.
fn with_settings_of(
    files: &EvalFiles,
    mut options: RunOptions,
    notices: &mut dyn Notices,
) -> RunOptions {
    let (settings, differing) = files.run_settings();
    for name in differing {
        notices.warn(format!(
            "the eval files differ in their `{name}`, so that setting is not used: give it as a flag"
        ));
    }
    // A run that is resumed or repeated has its own.
    let is_new = options.resumed().is_none() && options.rerun_failed.is_none();
    if is_new && options.chosen_targets.is_empty() {
        options.chosen_targets = settings.targets;
    }
    if is_new {
        options.trials = options.trials.or(settings.trials);
    }
    let limits = &mut options.limits;
    limits.workers = limits.workers.or(settings.workers.map(u64::from));
    limits.budget = limits.budget.or(settings.budget);
    let timeout = settings.timeout_seconds;
    let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limits.timeout = limits.timeout.or(timeout);
    options.judge = options.judge.or(settings.judge);
    options
}

/// Says that a shard has only a part of the limits of its request.
fn note_divided_limits(
    limits: &LimitOptions,
    resolved: &ResolvedTargets,
    notices: &mut dyn Notices,
) {
    let Some(count) = limits.sharers.filter(|count| count.get() > 1) else {
        return;
    };
    let mut targets = resolved.targets.iter().chain(&resolved.judges);
    let has_rates = targets.any(|target| {
        let limits = &target.limits;
        limits.requests_per_minute.is_some() || limits.tokens_per_minute.is_some()
    });
    let what = match (limits.budget, has_rates) {
        (Some(budget), true) => {
            format!("a budget of ${budget:.2}, and the same part of each limit per minute")
        }
        (Some(budget), false) => format!("a budget of ${budget:.2}"),
        (None, true) => "only its part of each limit per minute".to_owned(),
        (None, false) => return,
    };
    notices.note(format!(
        "one of {count} shards, this run has {what} (`--whole-limits` gives it the whole)"
    ));
}

/// Returns the files of a resumed run that are not open.
fn files_of<'r>(
    files: &EvalFiles,
    before: Option<&'r RunRecord>,
) -> impl Iterator<Item = &'r RanFile> {
    let names: Vec<String> = files.names().into_iter().map(str::to_owned).collect();
    let ran = before.into_iter().flat_map(|before| &before.files);
    ran.filter(move |file| !names.contains(&file.path))
}

/// Adds the targets that a resumed run had and that the request does not need.
fn keep_others(targets: &mut Vec<RanTarget>, before: Vec<RanTarget>) {
    let names: Vec<String> = targets.iter().map(|target| target.name.clone()).collect();
    targets.extend(
        before
            .into_iter()
            .filter(|target| !names.contains(&target.name)),
    );
}

/// Opens the cache of answers, if the request uses it.
fn cache(options: &RunOptions, root: &Path) -> Result<Option<Cache>, ProjectError> {
    if !options.cache || options.dry_run.is_some() {
        return Ok(None);
    }
    let path = root.join(".agentv/cache/answers.sqlite");
    let cache = Cache::open(&path);
    tracing::info!(path = %path.display(), "cache opened");
    cache.map(Some).map_err(|error| {
        let hint = "remove the file to start a new cache, or omit `--cache`".to_owned();
        ProjectError::with_hint(error.to_string(), Some(hint))
    })
}

/// Warns about targets that the budget cannot stop: those whose cost is not known, and those that make calls
/// by themselves.
fn warn_of_unlimited(targets: &[Target], notices: &mut dyn Notices) {
    for target in targets {
        if !target.provider.knows_cost() {
            notices.warn(format!(
                "`--budget` cannot stop target `{}`, because the price of its model is not known; set `price` \
                 of the target",
                target.name
            ));
        } else if !target.provider.enforces_budget() {
            notices.warn(format!(
                "`--budget` cannot stop target `{}` in the middle of a trial, because it calls its model \
                 without the proxy; to use the proxy, set `api_key` and remove `proxy: false`",
                target.name
            ));
        }
    }
}

fn nothing_selected(options: &RunOptions) -> ProjectError {
    let mut reasons = reasons(&options.selection);
    let rerun = options.rerun_failed.iter();
    reasons.extend(rerun.map(|run| format!("`--rerun-failed {run}`")));
    ProjectError::because(format!(
        "nothing was run: no case matches {}",
        reasons.join(" and ")
    ))
}
