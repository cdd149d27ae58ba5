//! The engine as others see it: its workers and its runs, and what crashes left behind.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use agentv_core::BoxFuture;
use async_nats::Client;
use async_nats::jetstream::Context;
use futures_util::{StreamExt, TryStreamExt};

use crate::address::{EngineAddress, jetstream_of};
use crate::error::ClusterError;
use crate::names::EngineName;
use crate::protocol::{Announcement, RunState, WorkerReport};

/// The time in which every worker and every run reports itself at least once.
const LISTEN: Duration = Duration::from_millis(2500);

/// The workers and runs of an engine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EngineStatus {
    /// The workers, by host and process.
    pub workers: Vec<WorkerReport>,
    /// The runs, by id.
    pub runs: Vec<RunStatus>,
}

/// A run of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStatus {
    /// The id.
    pub run: String,
    /// The process that coordinates it; `None` if it is gone.
    pub coordinator: Option<String>,
    /// The number of trials that wait or are in work.
    pub trials: u64,
}

/// A run that was removed.
pub type CleanedRun = String;

/// Checks that a server can be used.
///
/// # Errors
/// If no server answers, or if it has no JetStream.
pub fn check(address: &EngineAddress) -> BoxFuture<'_, Result<(), ClusterError>> {
    // Boxed: a caller in another crate would compile the whole future again.
    Box::pin(async move {
        let client = address.connect("agentv run").await?;
        jetstream_of(&client, address).await.map(|_| ())
    })
}

/// Returns the workers and runs of an engine.
///
/// # Errors
/// If the server cannot be used.
pub fn status<'s>(
    address: &'s EngineAddress,
    name: &'s EngineName,
) -> BoxFuture<'s, Result<EngineStatus, ClusterError>> {
    Box::pin(find_status(address, name))
}

async fn find_status(
    address: &EngineAddress,
    name: &EngineName,
) -> Result<EngineStatus, ClusterError> {
    let client = address.connect("agentv engine status").await?;
    let jetstream = jetstream_of(&client, address).await?;
    let (workers, announced) = listen(&client, name).await?;
    let left = runs_on_server(&jetstream, name).await?;
    let mut runs: BTreeMap<String, RunStatus> = BTreeMap::new();
    for (run, trials) in left {
        let status = RunStatus {
            coordinator: announced.get(&run).cloned(),
            trials,
            run: run.clone(),
        };
        runs.insert(run, status);
    }
    let mut workers: Vec<WorkerReport> = workers.into_values().collect();
    workers.sort_by(|one, other| (&one.host, one.pid).cmp(&(&other.host, other.pid)));
    Ok(EngineStatus {
        workers,
        runs: runs.into_values().collect(),
    })
}

/// Removes runs from the server that no process coordinates.
///
/// # Errors
/// If the server cannot be used.
pub fn clean<'s>(
    address: &'s EngineAddress,
    name: &'s EngineName,
) -> BoxFuture<'s, Result<Vec<CleanedRun>, ClusterError>> {
    Box::pin(remove_left(address, name))
}

async fn remove_left(
    address: &EngineAddress,
    name: &EngineName,
) -> Result<Vec<CleanedRun>, ClusterError> {
    let client = address.connect("agentv engine clean").await?;
    let jetstream = jetstream_of(&client, address).await?;
    let (_, announced) = listen(&client, name).await?;
    let mut removed: BTreeSet<String> = BTreeSet::new();
    let names: Vec<String> = stream_names(&jetstream).await?;
    for stream in names {
        if let Some(run) = run_of(&stream, name)
            && !announced.contains_key(&run)
        {
            let deleted = jetstream.delete_stream(&stream).await;
            deleted.map_err(ClusterError::server("remove a run"))?;
            removed.insert(run);
        }
    }
    Ok(removed.into_iter().collect())
}

type Workers = BTreeMap<String, WorkerReport>;
/// The coordinating processes, by the ids of their runs as streams name them.
type Announced = BTreeMap<String, String>;

async fn listen(client: &Client, name: &EngineName) -> Result<(Workers, Announced), ClusterError> {
    let listen = ClusterError::server::<async_nats::SubscribeError>;
    let reports = client.subscribe(name.workers()).await;
    let mut reports = reports.map_err(listen("list its workers"))?;
    let announcements = client.subscribe(name.announcements()).await;
    let mut announcements = announcements.map_err(listen("list its runs"))?;
    let (mut workers, mut announced) = (Workers::new(), Announced::new());
    let listening = async {
        loop {
            tokio::select! {
                Some(message) = reports.next() => {
                    if let Ok(report) = serde_json::from_slice::<WorkerReport>(&message.payload) {
                        workers.insert(report.id.clone(), report);
                    }
                }
                Some(message) = announcements.next() => {
                    let found = serde_json::from_slice::<Announcement>(&message.payload);
                    if let Ok(found) = found && found.state != RunState::Over {
                        announced.insert(name.run(&found.run).id(), found.coordinator);
                    }
                }
                else => break,
            }
        }
    };
    let _ = tokio::time::timeout(LISTEN, listening).await;
    workers.retain(|_, report| !report.is_leaving);
    Ok((workers, announced))
}

/// Returns the runs that have streams on the server, with the number of their trials.
async fn runs_on_server(
    jetstream: &Context,
    name: &EngineName,
) -> Result<BTreeMap<String, u64>, ClusterError> {
    let mut runs = BTreeMap::new();
    let mut streams = jetstream.streams();
    while let Some(stream) = streams
        .try_next()
        .await
        .map_err(ClusterError::server("list its streams"))?
    {
        if let Some(run) = run_of(&stream.config.name, name) {
            let is_trials = stream.config.name.ends_with("-trials");
            let trials = if is_trials { stream.state.messages } else { 0 };
            *runs.entry(run).or_insert(0) += trials;
        }
    }
    Ok(runs)
}

async fn stream_names(jetstream: &Context) -> Result<Vec<String>, ClusterError> {
    let names: Result<Vec<String>, _> = jetstream.stream_names().try_collect().await;
    names.map_err(ClusterError::server("list its streams"))
}

/// Returns the run that a stream belongs to.
fn run_of(stream: &str, name: &EngineName) -> Option<String> {
    // An object store is a stream with this prefix.
    let stream = stream.strip_prefix("OBJ_").unwrap_or(stream);
    let rest = stream.strip_prefix(&name.streams())?;
    let (run, kind) = rest.rsplit_once('-')?;
    matches!(kind, "trials" | "news" | "files").then(|| run.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stream_of_a_run_is_found_by_its_name() {
        let name = EngineName::default();
        let names = name.run("2026-11-16T10-00-00Z-abc");
        let store = format!("OBJ_{}", names.store());
        for stream in [names.trials(), names.news_stream(), store] {
            assert_eq!(run_of(&stream, &name), Some(names.id()), "{stream}");
        }
        let other: EngineName = "other".parse().unwrap();
        assert_eq!(run_of(&names.trials(), &other), None);
        assert_eq!(run_of("orders", &name), None);
    }
}
