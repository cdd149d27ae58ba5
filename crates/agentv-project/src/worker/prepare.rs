//! A worker of a run that another process coordinates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{EvalFile, Secrets, Target};
use agentv_dataset::{Dataset, LoadOptions};
use agentv_process::Runner;
use agentv_providers::{Delay, facts};
use agentv_runner::{Assignment, CallGate, ExecutorSpec, Notify, RunWorkspaces, StopHandle};

use super::spec::WorkerSpec;
use crate::error::ProjectError;
use crate::graders::ProjectGraders;
use crate::notices::Notices;
use crate::options::LimitOptions;
use crate::project::Project;
use crate::targets::{OpenSuite, TargetOptions, WorkerTargets, resolve_for_worker};

/// A worker that is ready for the trials of a run.
pub struct PreparedWorker {
    targets: Vec<Target>,
    judges: Vec<Target>,
    assignment: Assignment,
    graders: ProjectGraders,
    secrets: Secrets,
    workspaces: Option<Arc<RunWorkspaces>>,
    stop_on_required: bool,
    include_trace: bool,
    include_raw: bool,
    /// The lanes that this machine cannot ask, with the reasons.
    lacking: Vec<(usize, String)>,
}

impl Project {
    /// Prepares this machine for the trials of a run. The files that all of them need are under `base`.
    /// `targets_file` defines the targets instead of the files of the run.
    ///
    /// # Errors
    /// If the targets files cannot be used, or if there is no place for workspaces.
    pub fn prepare_worker(
        &self,
        spec: &WorkerSpec,
        base: &Path,
        targets_file: Option<&Path>,
        notices: &mut dyn Notices,
    ) -> Result<PreparedWorker, ProjectError> {
        let files: Vec<EvalFile> = spec
            .files
            .iter()
            .map(|file| spec.moved_file(file, base))
            .collect();
        for file in &files {
            std::fs::create_dir_all(&file.folder).map_err(ProjectError::not_written)?;
        }
        let named = spec.targets_file.as_ref();
        let named = named.map(|file| spec.roots.folder(file.root, base).join(&file.path));
        let limits = LimitOptions {
            timeout: spec.timeout,
            max_retries: spec.max_retries,
            no_scripts: spec.no_scripts,
            ..LimitOptions::default()
        };
        let options = TargetOptions {
            project: self,
            file: targets_file.or(named.as_deref()),
            judge: spec.judge.as_deref(),
            allow_self_judging: true,
            limits: &limits,
            dry_run: spec.dry_run.map(|(min, max)| Delay { min, max }),
        };
        let datasets = open_suites(spec, base, &self.load_options())?;
        let suites = datasets.iter().filter_map(|(index, path, dataset)| {
            OpenSuite::of(dataset, path).map(|suite| (*index, suite))
        });
        let WorkerTargets { resolved, lacking } =
            resolve_for_worker(options, &files, suites.collect(), spec, notices)?;
        let graders = ProjectGraders::new(spec.allow_outside_root, spec.dry_run.is_some())
            .without_scripts(spec.no_scripts)
            .with_environments(resolved.environments);
        Ok(PreparedWorker {
            targets: resolved.targets,
            judges: resolved.judges,
            assignment: resolved.assignment,
            graders,
            secrets: resolved.secrets,
            workspaces: self.worker_workspaces(spec, base)?,
            stop_on_required: spec.stop_on_required,
            include_trace: spec.include_trace,
            include_raw: spec.include_raw,
            lacking,
        })
    }

    fn worker_workspaces(
        &self,
        spec: &WorkerSpec,
        base: &Path,
    ) -> Result<Option<Arc<RunWorkspaces>>, ProjectError> {
        if !spec.has_workspaces {
            return Ok(None);
        }
        let place = self.workspaces_place();
        let opened = RunWorkspaces::open(place.as_deref(), base, Runner::of_this_program());
        let opened = opened.map_err(ProjectError::from_error)?;
        Ok(Some(Arc::new(opened)))
    }
}

/// Opens the suites that define targets of their own, by the indices of their eval files.
fn open_suites(
    spec: &WorkerSpec,
    base: &Path,
    options: &LoadOptions,
) -> Result<Vec<(usize, PathBuf, Dataset)>, ProjectError> {
    let suites = spec.suites.iter().map(|(index, file)| {
        let path = spec.roots.folder(file.root, base).join(&file.path);
        let dataset = Dataset::open(&path, options);
        let dataset = dataset.map_err(ProjectError::from_error)?;
        Ok((*index, path, dataset))
    });
    suites.collect()
}

impl PreparedWorker {
    /// Returns the lanes that this machine cannot ask, with the reasons.
    pub fn lacking(&self) -> &[(usize, String)] {
        &self.lacking
    }

    /// Returns true for each lane whose answers cost nothing on this machine, which may define its targets
    /// itself.
    pub fn free_lanes(&self) -> Vec<bool> {
        let lanes = self.targets.iter().chain(&self.judges);
        let are_free = lanes.map(|target| facts(&target.kind).is_some_and(|facts| facts.is_free));
        are_free.collect()
    }

    /// Returns the place for workspaces, if any trial may need one.
    pub fn workspaces(&self) -> Option<Arc<RunWorkspaces>> {
        self.workspaces.clone()
    }

    /// Returns the executor of the trials.
    pub fn executor(
        self,
        stop: StopHandle,
        notify: Notify,
        gate: Option<Arc<dyn CallGate>>,
    ) -> ExecutorSpec {
        ExecutorSpec {
            targets: self.targets,
            judges: self.judges,
            assignment: Arc::new(self.assignment),
            graders: Arc::new(self.graders),
            stop,
            stop_on_required: self.stop_on_required,
            include_trace: self.include_trace,
            include_raw: self.include_raw,
            secrets: self.secrets,
            workspaces: self.workspaces,
            notify,
            gate,
        }
    }
}
