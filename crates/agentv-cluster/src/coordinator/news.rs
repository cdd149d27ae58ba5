//! The news of trials: each is written to disk, then acknowledged.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{RunEvent, Step, TranscriptRecord, Trial, Work};
use agentv_runner::{Acknowledge, RemoteNews};
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::handover::send_again;
use super::shared::Shared;
use crate::host_of;
use crate::payload::unpack;
use crate::protocol::{Event, News, What};

/// The consumer of news.
pub(super) const CONSUMER: &str = "coordinator";

/// The pause before the server is asked again for news.
const PAUSE: Duration = Duration::from_millis(500);

/// The longest time for which a run that is stopped waits for news that exist.
const LONGEST_CATCH_UP: Duration = Duration::from_secs(5);

/// The time between two looks for them.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// News of a trial that this process has not handed over yet.
pub(super) struct EarlyNews {
    news: News,
    acknowledge: Acknowledge,
}

/// Takes news until the run is over.
pub(super) async fn take_news(shared: Arc<Shared>) {
    let (acks, mut to_send) = unbounded_channel::<Acker>();
    let sending = async {
        while let Some(acker) = to_send.recv().await {
            // An acknowledgement that is lost makes the server send the news again: they are ignored then.
            let _ = acker.ack().await;
        }
    };
    let taking = async {
        loop {
            if take_until_error(&shared, &acks).await.is_err() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    };
    tokio::join!(sending, taking);
}

async fn take_until_error(
    shared: &Arc<Shared>,
    acks: &UnboundedSender<Acker>,
) -> Result<(), async_nats::Error> {
    let stream = shared.names.news_stream();
    let consumer = shared
        .jetstream
        .get_consumer_from_stream::<pull::Config, _, _>(CONSUMER, stream)
        .await?;
    let mut messages = consumer
        .stream()
        .max_messages_per_batch(500)
        .expires(Duration::from_secs(30))
        .heartbeat(Duration::from_secs(5))
        .messages()
        .await?;
    while let Some(message) = messages.next().await {
        let (message, acker) = message?.split();
        let unpacked = unpack::<News>(&shared.objects, &message.payload).await;
        let (acks, objects) = (acks.clone(), shared.objects.clone());
        match unpacked {
            Ok((news, stored)) => take(
                shared,
                EarlyNews {
                    news,
                    acknowledge: Box::new(move || {
                        let _ = acks.send(acker);
                        if let Some(stored) = stored {
                            tokio::spawn(async move { objects.delete(&stored).await });
                        }
                    }),
                },
            ),
            // It can never be read, so it is not wanted.
            Err(error) => {
                shared.notice(format!("a result of a worker cannot be read: {error}"));
                let _ = acks.send(acker);
            }
        }
    }
    Ok(())
}

/// Takes news of a trial. Those of an unknown trial wait for it; those of a trial that has ended are ignored.
pub(super) fn take(shared: &Arc<Shared>, early: EarlyNews) {
    let mut trials = shared.trials();
    trials.changes += 1;
    let key = early.news.key.clone();
    if trials.has_ended(&key) {
        drop(trials);
        (early.acknowledge)();
        return;
    }
    let Some(open) = trials.open.get_mut(&key) else {
        trials.early.entry(key).or_default().push(early);
        return;
    };
    let EarlyNews { news, acknowledge } = early;
    match news.what {
        What::Answered(answer) => {
            // Unless another worker was first, or this one was heard before.
            let is_new = open.recorded_answer().is_none() && open.answer.as_ref() != Some(&answer);
            if is_new {
                open.answer = Some(Arc::clone(&answer));
                open.step(Step::Answered(answer), acknowledge);
            } else {
                drop(trials);
                acknowledge();
            }
        }
        What::Ended { answer, result } => {
            if let Some(answer) = answer.filter(|answer| open.answer.as_ref() != Some(answer)) {
                if let Some(recorded) = open.recorded_answer().cloned() {
                    // Two workers got an answer each. This result is of the one that is not recorded.
                    open.trial = Arc::new(grading_of(&open.trial, recorded));
                    drop(trials);
                    acknowledge();
                    send_again(shared, &key);
                    return;
                }
                open.step(Step::Answered(answer), Box::new(|| {}));
            }
            open.step(Step::Ended(result), acknowledge);
            trials.end(&key);
            drop(trials);
            shared.workers.ended(&news.worker);
        }
        What::Failed { reason } => {
            open.failure = Some(format!("worker on `{}`: {reason}", host_of(&news.worker)));
            trials.suspects.release(&key);
            drop(trials);
            acknowledge();
        }
        What::HandedBack { sequence } => {
            trials.suspects.end(&key);
            drop(trials);
            let shared = Arc::clone(shared);
            tokio::spawn(async move {
                remove_message(&shared, sequence).await;
                send_again(&shared, &key);
                acknowledge();
            });
        }
    }
}

/// Returns the trial that grades a recorded answer.
fn grading_of(trial: &Trial, answer: Arc<TranscriptRecord>) -> Trial {
    let recorded = true;
    Trial {
        work: Work::Grade { answer, recorded },
        ..trial.clone()
    }
}

/// Removes the message of a trial, so that the trial can be sent again.
pub(super) async fn remove_message(shared: &Shared, sequence: u64) {
    if let Ok(stream) = shared.jetstream.get_stream(shared.names.trials()).await {
        let _ = stream.delete_message(sequence).await;
    }
}

/// Returns true if every message of the stream of news was taken.
pub(super) async fn is_news_empty(shared: &Shared) -> bool {
    let stream = shared
        .jetstream
        .get_stream(shared.names.news_stream())
        .await;
    match stream {
        Ok(stream) => {
            // News of trials that are not handed over, such as those of a case that was removed, stay.
            let early: usize = shared.trials().early.values().map(Vec::len).sum();
            stream.cached_info().state.messages <= early as u64
        }
        Err(_) => false,
    }
}

/// Waits until the news that exist now are on disk, for a few seconds at most.
pub(super) async fn catch_up(shared: &Shared) {
    let catching_up = async {
        while !is_news_empty(shared).await {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let _ = tokio::time::timeout(LONGEST_CATCH_UP, catching_up).await;
}

/// Passes on events of trials in flight until the run is over.
pub(super) async fn take_events(shared: Arc<Shared>) {
    loop {
        let Ok(mut events) = shared.client.subscribe(shared.names.events()).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        while let Some(message) = events.next().await {
            match serde_json::from_slice::<Event>(&message.payload) {
                Ok(Event::Begun { keys }) => {
                    let mut trials = shared.trials();
                    trials.changes += 1;
                    for open in keys.iter().filter_map(|key| trials.open.get(key)) {
                        let _ = open.sender.send(RemoteNews::Begun);
                    }
                }
                Ok(Event::OfTrial(event)) => pass_on(&shared, *event),
                Err(_) => {}
            }
        }
    }
}

fn pass_on(shared: &Shared, event: RunEvent) {
    if let Some(executor) = shared.executor.get() {
        executor.pass_on(event);
    }
}
