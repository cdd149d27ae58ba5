//! The life of a worker, from the connection to its leaving.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::BoxFuture;
use agentv_project::Project;
use async_nats::Client;
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::{Context, ErrorCode};
use futures_util::StreamExt;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::busy::Busy;
use super::joined_run::{JoinedRun, join};
use super::queue::QueueCount;
use crate::address::{EngineAddress, jetstream_of};
use crate::error::ClusterError;
use crate::names::EngineName;
use crate::protocol::{Announcement, RunState, WorkerReport, WorkerRun};

/// The options of a worker.
pub struct WorkerOptions {
    /// The server.
    pub address: EngineAddress,
    /// The name of the engine.
    pub name: EngineName,
    /// The number of trials to work on at a time.
    pub slots: usize,
    /// The file that defines the targets, instead of the files of each run.
    pub targets_file: Option<PathBuf>,
    /// The environment variables of this machine.
    pub project: Project,
    /// The folder for files of runs.
    pub cache: PathBuf,
    /// The time that trials in flight get once the worker is to leave.
    pub grace: Duration,
    /// Prints a notice.
    pub say: Arc<dyn Fn(String) + Send + Sync>,
}

/// The ways to end a worker.
#[derive(Debug, Clone, Default)]
pub struct Leave {
    /// Takes no further trials, and leaves when those in flight have ended or their time is over.
    pub soon: CancellationToken,
    /// Hands the trials in flight back at once.
    pub at_once: CancellationToken,
}

/// The time between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// The time over which the rate of trials is measured.
const LATELY: Duration = Duration::from_secs(60);

/// The silence of a coordinating process after which no further trial of its run begins.
const SILENT_AFTER: Duration = Duration::from_secs(5);

/// A worker at work.
pub(super) struct Worker {
    pub(super) id: String,
    pub(super) options: WorkerOptions,
    pub(super) client: Client,
    pub(super) jetstream: Context,
    pub(super) slots: Arc<Semaphore>,
    pub(super) queues: QueueCount,
    pub(super) leave: Leave,
    /// The trials in flight.
    pub(super) in_flight: TaskTracker,
    pub(super) done: AtomicU64,
    /// The number of trials that were done, at moments of the last minute.
    lately: Mutex<VecDeque<(Instant, u64)>>,
    runs: Mutex<HashMap<String, RunAtWork>>,
    pub(super) busy: Busy,
}

/// A run that this worker knows.
struct RunAtWork {
    state: RunKnown,
    seen: Instant,
}

enum RunKnown {
    Joining,
    Joined(Arc<JoinedRun>),
    Refused(String),
}

/// Works until it is to leave.
///
/// # Errors
/// If the server cannot be used.
pub fn work(options: WorkerOptions, leave: Leave) -> BoxFuture<'static, Result<(), ClusterError>> {
    // Boxed: a caller in another crate would compile the whole future again.
    Box::pin(work_until(options, leave))
}

async fn work_until(options: WorkerOptions, leave: Leave) -> Result<(), ClusterError> {
    let client = options.address.connect("agentv worker").await?;
    let jetstream = jetstream_of(&client, &options.address).await?;
    let worker = Arc::new(Worker {
        id: crate::new_worker_id(),
        slots: Arc::new(Semaphore::new(options.slots.max(1))),
        queues: QueueCount::default(),
        options,
        client,
        jetstream,
        leave,
        in_flight: TaskTracker::new(),
        done: AtomicU64::new(0),
        lately: Mutex::default(),
        runs: Mutex::default(),
        busy: Busy::default(),
    });
    worker.say(format!(
        "connected to `{}`, engine `{}`: {} slots",
        worker.options.address, worker.options.name, worker.options.slots
    ));
    let reporting = tokio::spawn(report_regularly(Arc::clone(&worker)));
    let alive = Arc::clone(&worker);
    let living = tokio::spawn(async move { alive.busy.show_life(&alive.client).await });
    let leaving = worker.leave.soon.clone();
    tokio::select! {
        listened = listen(&worker) => listened?,
        () = leaving.cancelled() => {}
    }
    worker.drain().await;
    reporting.abort();
    living.abort();
    worker.report().await;
    let _ = worker.client.flush().await;
    Ok(())
}

impl Worker {
    pub(super) fn say(&self, text: String) {
        (self.options.say)(text);
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, RunAtWork>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the coordinating process of a run was heard lately.
    pub(super) fn hears(&self, run: &str) -> bool {
        let runs = self.runs();
        runs.get(run)
            .is_some_and(|run| run.seen.elapsed() < SILENT_AFTER)
    }

    /// Waits for the trials in flight, as long as they have time, and ends what is left.
    async fn drain(self: &Arc<Self>) {
        self.in_flight.close();
        tokio::select! {
            () = self.in_flight.wait() => {}
            () = tokio::time::sleep(self.options.grace) => {}
            () = self.leave.at_once.cancelled() => {}
        }
        self.leave.at_once.cancel();
        self.in_flight.wait().await;
        let runs: Vec<Arc<JoinedRun>> = {
            let mut runs = self.runs();
            let joined = runs.drain().filter_map(|(_, run)| match run.state {
                RunKnown::Joined(joined) => Some(joined),
                RunKnown::Joining | RunKnown::Refused(_) => None,
            });
            joined.collect()
        };
        for run in runs {
            run.end().await;
        }
    }

    async fn report(&self) {
        if let Ok(bytes) = serde_json::to_vec(&self.status()) {
            let subject = self.options.name.workers();
            let _ = self.client.publish(subject, bytes.into()).await;
        }
    }

    fn status(&self) -> WorkerReport {
        let runs = self.runs();
        let known = runs.iter().filter_map(|(run, at_work)| {
            let (refused, lacking) = match &at_work.state {
                RunKnown::Joining => return None,
                RunKnown::Joined(joined) => (None, joined.lacking.clone()),
                RunKnown::Refused(reason) => (Some(reason.clone()), Vec::new()),
            };
            Some(WorkerRun {
                run: run.clone(),
                refused,
                lacking,
            })
        });
        WorkerReport {
            id: self.id.clone(),
            host: crate::host(),
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            slots: self.options.slots,
            busy: self.busy.shown(),
            done: self.done.load(Ordering::Relaxed),
            per_minute: self.per_minute(),
            runs: known.collect(),
            is_leaving: self.leave.soon.is_cancelled(),
        }
    }

    /// Returns the number of trials that ended per minute, lately.
    fn per_minute(&self) -> f64 {
        let done = self.done.load(Ordering::Relaxed);
        let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        lately.push_back((Instant::now(), done));
        while lately.len() > 2 && lately[0].0.elapsed() > LATELY {
            lately.pop_front();
        }
        let (since, before) = lately[0];
        match since.elapsed().as_secs_f64() {
            seconds if seconds < 0.5 => 0.0,
            seconds => (done - before) as f64 * 60.0 / seconds,
        }
    }

    /// Takes the announcement of a run.
    async fn take(self: &Arc<Self>, announcement: Announcement) {
        let run = announcement.run.clone();
        if announcement.state == RunState::Over {
            let ended = self.runs().remove(&run);
            if let Some(RunKnown::Joined(joined)) = ended.map(|ended| ended.state) {
                self.say(format!("run `{run}` is over"));
                tokio::spawn(async move { joined.end().await });
            }
            return;
        }
        {
            let mut runs = self.runs();
            if let Some(known) = runs.get_mut(&run) {
                known.seen = Instant::now();
                if let RunKnown::Joined(joined) = &known.state {
                    joined.set_stopping(announcement.state == RunState::Stopping);
                }
                return;
            }
            let joining = RunAtWork {
                state: RunKnown::Joining,
                seen: Instant::now(),
            };
            runs.insert(run.clone(), joining);
        }
        let worker = Arc::clone(self);
        tokio::spawn(async move { worker.join(announcement).await });
    }

    async fn join(self: Arc<Self>, announcement: Announcement) {
        let run = announcement.run.clone();
        let joined = join(&self, &announcement).await;
        let state = match joined {
            Ok(joined) => {
                self.say(format!("works for run `{run}`"));
                for (_, reason) in &joined.lacking {
                    self.say(format!("leaves a target to other workers: {reason}"));
                }
                RunKnown::Joined(joined)
            }
            Err(error) => {
                self.say(format!("refuses run `{run}`: {error}"));
                RunKnown::Refused(error.to_string())
            }
        };
        let joined = match &state {
            RunKnown::Joined(joined) => Some(Arc::clone(joined)),
            RunKnown::Joining | RunKnown::Refused(_) => None,
        };
        // The run may be over by now.
        let is_wanted = match self.runs().get_mut(&run) {
            Some(known) => {
                known.state = state;
                true
            }
            None => false,
        };
        self.report().await;
        if let Some(joined) = joined {
            if is_wanted {
                joined.begin(&self)
            } else {
                joined.end().await
            }
        }
    }

    /// Forgets runs that are refused and whose coordinating process is silent, so that they are joined again
    /// when it returns. Ends those that are gone from the server: their end may not have been heard.
    async fn forget_silent(&self) {
        let mut silent = Vec::new();
        self.runs().retain(|_, run| {
            let is_silent = run.seen.elapsed() > SILENT_AFTER * 2;
            match &run.state {
                RunKnown::Refused(_) => !is_silent,
                RunKnown::Joined(joined) => {
                    silent.extend(is_silent.then(|| Arc::clone(joined)));
                    true
                }
                RunKnown::Joining => true,
            }
        });
        for run in silent {
            let found = self.jetstream.get_stream(run.names.trials()).await;
            let is_gone = found.is_err_and(|error| is_not_found(&error));
            if is_gone && self.runs().remove(&run.id).is_some() {
                self.say(format!("run `{}` is over", run.id));
                run.end().await;
            }
        }
    }
}

/// Returns true if the server has no such stream.
fn is_not_found(error: &GetStreamError) -> bool {
    let missing = ErrorCode::STREAM_NOT_FOUND;
    matches!(error.kind(), GetStreamErrorKind::JetStream(error) if error.error_code() == missing)
}

async fn listen(worker: &Arc<Worker>) -> Result<(), ClusterError> {
    let subject = worker.options.name.announcements();
    loop {
        let subscribed = worker.client.subscribe(subject.clone()).await;
        let mut announcements =
            subscribed.map_err(ClusterError::server("announce its runs to this worker"))?;
        while let Some(message) = announcements.next().await {
            if let Ok(announcement) = serde_json::from_slice(&message.payload) {
                worker.take(announcement).await;
            }
        }
    }
}

async fn report_regularly(worker: Arc<Worker>) {
    let mut ticks = tokio::time::interval(REPORT_EVERY);
    loop {
        ticks.tick().await;
        worker.report().await;
        worker.forget_silent().await;
    }
}
