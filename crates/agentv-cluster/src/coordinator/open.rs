//! The beginning and the end of coordinating a run.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use agentv_core::{BoxFuture, RunEvent, TookPart, Trial};
use agentv_project::RunNeeds;
use agentv_runner::{Executor, RemoteEngine, RemoteNews};
use async_nats::Client;
use async_nats::jetstream;
use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::calls::Calls;
use super::shared::{Shared, Trials};
use super::store::{FileStore, put};
use super::streams::{make_streams, remove_streams};
use super::workers::Workers;
use super::{advisories, calls, handover, news, reconcile, workers};
use crate::address::EngineAddress;
use crate::error::ClusterError;
use crate::names::{EngineName, SPEC};
use crate::protocol::{Announcement, RunState};

/// A run that workers are to execute.
pub struct CoordinatorSpec {
    /// The server.
    pub address: EngineAddress,
    /// The name of the engine.
    pub name: EngineName,
    /// The id of the run.
    pub run: String,
    /// The needs of its trials.
    pub needs: Arc<RunNeeds>,
}

/// The process that coordinates a run. It executes no trial itself.
pub struct Coordinator {
    shared: Arc<Shared>,
    name: EngineName,
    announcement: Announcement,
    tasks: Mutex<JoinSet<()>>,
}

/// The number of trials that wait on the server or are in work, unless the target limits it.
const WINDOW: usize = 1024;

/// The time between two announcements of a run.
const ANNOUNCE_EVERY: Duration = Duration::from_secs(1);

impl Coordinator {
    /// Connects to the server and makes a run ready for workers. A run that another process coordinated before
    /// continues: results that are waiting are taken.
    ///
    /// # Errors
    /// If the server cannot be used, or if another process coordinates the run.
    pub fn open(
        spec: CoordinatorSpec,
    ) -> LocalBoxFuture<'static, Result<Coordinator, ClusterError>> {
        // Boxed: a caller in another crate would compile the whole future again.
        Box::pin(Coordinator::connect(spec))
    }

    async fn connect(spec: CoordinatorSpec) -> Result<Coordinator, ClusterError> {
        let client = spec.address.connect("agentv run").await?;
        let jetstream = jetstream::new(client.clone());
        let names = spec.name.run(&spec.run);
        let is_resumed = jetstream.get_stream(names.trials()).await.is_ok();
        if is_resumed {
            refuse_second(&client, &spec.name, &spec.run).await?;
        }
        let objects = make_streams(&jetstream, &names, spec.needs.spec().answering).await?;
        let shared = Arc::new(Shared {
            client,
            jetstream,
            names,
            objects,
            files: FileStore::default(),
            needs: spec.needs,
            executor: OnceLock::new(),
            trials: Mutex::new(Trials {
                ended: is_resumed.then(HashSet::new),
                ..Trials::default()
            }),
            workers: Workers::new(spec.run.clone()),
            calls: Calls::default(),
            caught_up: OnceCell::new(),
            over: CancellationToken::new(),
        });
        put_shared(&shared).await?;
        let announcement = Announcement {
            run: spec.run,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            coordinator: format!("{}, process {}", crate::host(), std::process::id()),
            state: RunState::Going,
        };
        Ok(Coordinator {
            shared,
            name: spec.name,
            announcement,
            tasks: Mutex::default(),
        })
    }

    /// Returns the workers and machines that took part so far.
    pub fn took_part(&self) -> TookPart {
        self.shared.workers.took_part()
    }

    /// Ends the run for all workers, and removes everything of it from the server.
    ///
    /// # Errors
    /// If the server cannot be reached. `agentv engine clean` then removes what is left.
    pub fn close(&self) -> BoxFuture<'_, Result<(), ClusterError>> {
        Box::pin(self.remove())
    }

    async fn remove(&self) -> Result<(), ClusterError> {
        self.shared.over.cancel();
        let over = Announcement {
            state: RunState::Over,
            ..self.announcement.clone()
        };
        announce(&self.shared.client, &self.name, &over).await;
        let mut tasks = {
            let mut tasks = self.tasks.lock().unwrap_or_else(|it| it.into_inner());
            std::mem::take(&mut *tasks)
        };
        tasks.shutdown().await;
        remove_streams(&self.shared.jetstream, &self.shared.names).await?;
        let _ = self.shared.client.flush().await;
        Ok(())
    }

    fn begin(&self) {
        let shared = &self.shared;
        let mut tasks = self.tasks.lock().unwrap_or_else(|it| it.into_inner());
        tasks.spawn(announce_regularly(
            Arc::clone(shared),
            self.name.clone(),
            self.announcement.clone(),
        ));
        tasks.spawn(news::take_news(Arc::clone(shared)));
        tasks.spawn(news::take_events(Arc::clone(shared)));
        tasks.spawn(workers::listen(Arc::clone(shared), self.name.workers()));
        tasks.spawn(calls::answer(Arc::clone(shared)));
        tasks.spawn(reconcile::reconcile(Arc::clone(shared)));
        tasks.spawn(advisories::listen(Arc::clone(shared)));
    }
}

impl RemoteEngine for Coordinator {
    fn attach(&self, executor: &Arc<Executor>) {
        if self.shared.executor.set(Arc::clone(executor)).is_ok() {
            self.begin();
        }
    }

    fn slots(&self, workers: Option<usize>) -> usize {
        workers.unwrap_or(WINDOW).min(WINDOW * 16)
    }

    fn execute(&self, trial: &Trial, lane: usize) -> UnboundedReceiver<RemoteNews> {
        let (sender, receiver) = unbounded_channel();
        handover::hand_over(&self.shared, Arc::new(trial.clone()), lane, sender);
        receiver
    }

    fn caught_up(&self) -> BoxFuture<'_, ()> {
        let shared = &self.shared;
        let catching_up = || news::catch_up(shared);
        Box::pin(async move { *shared.caught_up.get_or_init(catching_up).await })
    }
}

/// Refuses to coordinate a run that another process coordinates: it would announce it within two seconds.
async fn refuse_second(client: &Client, name: &EngineName, run: &str) -> Result<(), ClusterError> {
    let subscribed = client.subscribe(name.announcements()).await;
    let mut announcements = subscribed.map_err(ClusterError::server("be listened to"))?;
    let other = async {
        while let Some(message) = announcements.next().await {
            let found = serde_json::from_slice::<Announcement>(&message.payload);
            if let Ok(found) = found
                && found.run == run
                && found.state != RunState::Over
            {
                return Some(found.coordinator);
            }
        }
        None
    };
    match tokio::time::timeout(ANNOUNCE_EVERY * 2, other).await {
        Ok(Some(by)) => Err(ClusterError::Busy {
            run: run.to_owned(),
            by,
        }),
        _ => Ok(()),
    }
}

/// The number of files that are stored at a time.
const FILES_AT_ONCE: usize = 16;

/// Stores the files that all trials need, and the description of the run.
async fn put_shared(shared: &Shared) -> Result<(), ClusterError> {
    let spec = shared.needs.spec();
    let files = stream::iter(&spec.needed).map(Ok);
    let files = files.try_for_each_concurrent(FILES_AT_ONCE, |file| {
        let (objects, needs) = (&shared.objects, &shared.needs);
        shared.files.put_file(objects, needs, file)
    });
    let described = async {
        let spec = serde_json::to_vec(spec);
        let spec = spec.map_err(ClusterError::server("encode the description of a run"))?;
        put(&shared.objects, SPEC, &mut spec.as_slice()).await
    };
    // No worker reads them before the run is announced.
    tokio::try_join!(files, described).map(|((), ())| ())
}

async fn announce_regularly(shared: Arc<Shared>, name: EngineName, mut announcement: Announcement) {
    let mut ticks = tokio::time::interval(ANNOUNCE_EVERY);
    let executor = shared.executor.get().cloned();
    let mut is_stopping = false;
    loop {
        // Workers learn at once that nothing more is to begin.
        let stopped = async {
            match &executor {
                Some(executor) if !is_stopping => executor.stopped().await,
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = ticks.tick() => {}
            () = stopped => is_stopping = true,
        }
        announcement.state = shared.state();
        if let Some(executor) = &executor {
            let workers = shared.workers.activities();
            executor.pass_on(RunEvent::Workers { workers });
        }
        announce(&shared.client, &name, &announcement).await;
    }
}

async fn announce(client: &Client, name: &EngineName, announcement: &Announcement) {
    if let Ok(bytes) = serde_json::to_vec(announcement) {
        let _ = client.publish(name.announcements(), bytes.into()).await;
    }
}
