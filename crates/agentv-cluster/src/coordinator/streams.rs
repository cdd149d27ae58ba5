//! The streams of a run on the server, and its store of files.

use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};
use futures_util::future::try_join_all;

use super::news;
use crate::error::ClusterError;
use crate::names::RunNames;

/// The time after which a trial whose worker is silent goes to another.
const ACK_WAIT: Duration = Duration::from_secs(6);

/// The number of times that a trial is given to a worker.
pub(super) const MOST_DELIVERIES: i64 = 4;

/// Makes the streams of a run and its store of files, all at the same time.
pub(super) async fn make_streams(
    jetstream: &Context,
    names: &RunNames,
    lanes: usize,
) -> Result<ObjectStore, ClusterError> {
    let trials = make_trials(jetstream, names, lanes);
    let news = make_news(jetstream, names);
    let ((), (), store) = tokio::try_join!(trials, news, make_store(jetstream, names))?;
    Ok(store)
}

/// Makes the stream of trials, with a queue for each target.
async fn make_trials(
    jetstream: &Context,
    names: &RunNames,
    lanes: usize,
) -> Result<(), ClusterError> {
    let trials = jetstream.get_or_create_stream(stream::Config {
        name: names.trials(),
        subjects: vec![names.trial_subjects()],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        // A trial that is there is not added again.
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        ..stream::Config::default()
    });
    let trials = trials
        .await
        .map_err(ClusterError::server("make the stream of trials"))?;
    let queues = (0..lanes).map(|lane| {
        let name = RunNames::lane_consumer(lane);
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: names.lane_subjects(lane),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_deliver: MOST_DELIVERIES,
            max_ack_pending: -1,
            max_waiting: 100_000,
            ..pull::Config::default()
        };
        let trials = &trials;
        async move { trials.get_or_create_consumer(&name, config).await }
    });
    try_join_all(queues)
        .await
        .map(|_| ())
        .map_err(ClusterError::server("make the queue of a target"))
}

/// Makes the stream of news, with its queue.
async fn make_news(jetstream: &Context, names: &RunNames) -> Result<(), ClusterError> {
    let news = jetstream.get_or_create_stream(stream::Config {
        name: names.news_stream(),
        subjects: vec![names.news()],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        ..stream::Config::default()
    });
    let news = news
        .await
        .map_err(ClusterError::server("make the stream of results"))?;
    let consumer = news.get_or_create_consumer(
        news::CONSUMER,
        pull::Config {
            durable_name: Some(news::CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: Duration::from_secs(300),
            max_ack_pending: -1,
            ..pull::Config::default()
        },
    );
    consumer
        .await
        .map(|_| ())
        .map_err(ClusterError::server("make the queue of results"))
}

/// Makes the store of files.
async fn make_store(jetstream: &Context, names: &RunNames) -> Result<ObjectStore, ClusterError> {
    match jetstream.get_object_store(&names.store()).await {
        Ok(store) => Ok(store),
        Err(_) => jetstream
            .create_object_store(object_store::Config {
                bucket: names.store(),
                ..object_store::Config::default()
            })
            .await
            .map_err(ClusterError::server("make the store of files")),
    }
}

/// Removes everything of a run from the server.
pub(super) async fn remove_streams(
    jetstream: &Context,
    names: &RunNames,
) -> Result<(), ClusterError> {
    let (trials, news, store) = (names.trials(), names.news_stream(), names.store());
    let (trials, news, store) = tokio::join!(
        jetstream.delete_stream(trials),
        jetstream.delete_stream(news),
        jetstream.delete_object_store(store),
    );
    let remove = "remove a run";
    trials.map_err(ClusterError::server(remove))?;
    news.map_err(ClusterError::server(remove))?;
    store.map_err(ClusterError::server(remove))
}
