//! A run that a worker works for.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use agentv_core::RunEvent;
use agentv_project::{Notice, WorkerSpec};
use agentv_runner::{Executor, Notify, RunWorkspaces, StopHandle};
use async_nats::jetstream::object_store::ObjectStore;
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

use super::files::RunFiles;
use super::gate::EngineGate;
use super::live::Worker;
use super::queue::work_on_lane;
use crate::error::ClusterError;
use crate::names::{RunNames, SPEC};
use crate::protocol::{Announcement, Event};

/// A run that a worker works for.
pub(super) struct JoinedRun {
    pub(super) id: String,
    pub(super) names: RunNames,
    pub(super) spec: WorkerSpec,
    pub(super) objects: ObjectStore,
    pub(super) files: RunFiles,
    pub(super) executor: Executor,
    pub(super) stop: StopHandle,
    pub(super) workspaces: Option<Arc<RunWorkspaces>>,
    /// The lanes that this machine cannot ask, with the reasons.
    pub(super) lacking: Vec<(usize, String)>,
    /// True for each lane whose answers cost nothing on this machine.
    free_lanes: Vec<bool>,
    is_stopping: AtomicBool,
    /// Ends everything that belongs to the run.
    pub(super) over: CancellationToken,
}

/// Joins a run: gets its description and its files, and makes its targets ready.
pub(super) async fn join(
    worker: &Arc<Worker>,
    announcement: &Announcement,
) -> Result<Arc<JoinedRun>, JoinError> {
    if announcement.version != VERSION {
        return Err(JoinError::Version(announcement.version.clone()));
    }
    open(worker, &announcement.run).await
}

/// The version of this worker.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The reason why a run cannot be joined.
#[derive(Debug, thiserror::Error)]
pub(super) enum JoinError {
    #[error("it needs version {0} of agentv, and this worker has {VERSION}")]
    Version(String),
    #[error(transparent)]
    Server(#[from] ClusterError),
    #[error("cannot write files: {0}")]
    Files(#[from] std::io::Error),
    #[error(transparent)]
    Project(#[from] agentv_project::ProjectError),
    #[error("the worker failed")]
    Panicked(#[from] tokio::task::JoinError),
}

async fn open(worker: &Arc<Worker>, run: &str) -> Result<Arc<JoinedRun>, JoinError> {
    let names = worker.options.name.run(run);
    let objects = worker.jetstream.get_object_store(names.store()).await;
    let objects = objects.map_err(ClusterError::server("show the files of the run"))?;
    let spec = read_spec(&objects).await?;
    let base = worker
        .options
        .cache
        .join("runs")
        .join(format!("{run}-{}", worker.id));
    let files = RunFiles::open(base, worker.options.cache.join("files"))?;
    for file in &spec.needed {
        files.lay(&objects, &spec, file).await?;
    }
    let prepared = {
        let (worker, spec) = (Arc::clone(worker), spec.clone());
        let base: PathBuf = files.base().to_owned();
        tokio::task::spawn_blocking(move || {
            let mut notices: Vec<Notice> = Vec::new();
            let file = worker.options.targets_file.as_deref();
            let project = &worker.options.project;
            let prepared = project.prepare_worker(&spec, &base, file, &mut notices);
            for notice in notices {
                if let Notice::Warning(text) | Notice::Note(text) = notice {
                    worker.say(text);
                }
            }
            prepared
        })
        .await??
    };
    let mut lacking = prepared.lacking().to_vec();
    let workspaces = prepared.workspaces();
    let free_lanes = prepared.free_lanes();
    let stop = StopHandle::default();
    let gate = EngineGate::new(worker, &names, &spec);
    let notify = events_to(worker, &names);
    let executor = Executor::new(prepared.executor(stop.clone(), notify, Some(gate)));
    for (lane, of) in spec.lanes.iter().enumerate() {
        if !lacking.iter().any(|(lacking, _)| *lacking == lane)
            && let Err(error) = executor.prepare_lane(lane).await
        {
            lacking.push((lane, format!("target `{}` is not ready: {error}", of.name)));
        }
    }
    let lacking = with_judges(&lacking, spec.answering);
    Ok(Arc::new(JoinedRun {
        id: run.to_owned(),
        names,
        spec,
        objects,
        files,
        executor,
        stop,
        workspaces,
        lacking,
        free_lanes,
        is_stopping: AtomicBool::new(false),
        over: CancellationToken::new(),
    }))
}

/// Returns the lanes that cannot be asked. Without one of the judges, no lane can.
fn with_judges(lacking: &[(usize, String)], answering: usize) -> Vec<(usize, String)> {
    match lacking.iter().find(|(lane, _)| *lane >= answering) {
        Some((_, reason)) => (0..answering).map(|lane| (lane, reason.clone())).collect(),
        None => lacking.to_vec(),
    }
}

async fn read_spec(objects: &ObjectStore) -> Result<WorkerSpec, ClusterError> {
    let object = objects.get(SPEC).await;
    let mut object = object.map_err(ClusterError::server("show the description of the run"))?;
    let mut bytes = Vec::new();
    let read = object.read_to_end(&mut bytes).await;
    read.map_err(ClusterError::server("send the description of the run"))?;
    serde_json::from_slice(&bytes).map_err(ClusterError::server("describe the run"))
}

/// Returns a receiver of events that sends them to the coordinating process.
fn events_to(worker: &Arc<Worker>, names: &RunNames) -> Notify {
    let (worker, subject): (Weak<Worker>, String) = (Arc::downgrade(worker), names.events());
    Arc::new(move |event: RunEvent| {
        let event = Event::OfTrial(Box::new(event));
        if let (Some(worker), Ok(bytes)) = (worker.upgrade(), serde_json::to_vec(&event)) {
            let subject = subject.clone();
            tokio::spawn(async move { worker.client.publish(subject, bytes.into()).await });
        }
    })
}

impl JoinedRun {
    /// Begins to take trials.
    pub(super) fn begin(self: &Arc<Self>, worker: &Arc<Worker>) {
        let lacking = |lane: &usize| self.lacking.iter().any(|(of, _)| of == lane);
        for lane in (0..self.spec.answering).filter(|lane| !lacking(lane)) {
            tokio::spawn(work_on_lane(Arc::clone(worker), Arc::clone(self), lane));
        }
    }

    /// Returns true if the answers of a lane cost nothing on this machine.
    pub(super) fn is_free(&self, lane: usize) -> bool {
        self.free_lanes.get(lane).copied().unwrap_or_default()
    }

    pub(super) fn set_stopping(&self, is_stopping: bool) {
        self.is_stopping.store(is_stopping, Ordering::Relaxed);
    }

    /// Returns true if no further trial may begin.
    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed) || self.over.is_cancelled()
    }

    /// Ends the trials in flight, the targets, and the files of the run.
    pub(super) async fn end(&self) {
        self.over.cancel();
        self.stop.abort(agentv_core::Stop::Terminated);
        self.executor.end_targets().await;
        self.files.remove();
    }
}
