//! A regular look at what the server has: no trial waits for ever.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};

use super::handover::send_again;
use super::news::{is_news_empty, remove_message};
use super::shared::Shared;
use crate::names::RunNames;

/// The time between two looks.
const EVERY: Duration = Duration::from_secs(2);

/// The time without any worker after which the run prints a notice.
const ALONE: Duration = Duration::from_secs(5);

/// The time that workers get to report that they can ask a target.
const PATIENCE: Duration = Duration::from_secs(8);

/// Looks at the queues until the run is over.
pub(super) async fn reconcile(shared: Arc<Shared>) {
    let mut ticks = tokio::time::interval(EVERY);
    let began = Instant::now();
    let (mut is_reported, mut changes_before) = (false, u64::MAX);
    let mut unserved: HashMap<usize, Instant> = HashMap::new();
    loop {
        ticks.tick().await;
        shared.calls.end_those_of_lost(&shared.workers);
        shared.workers.forget_lost(&shared);
        if !is_reported && shared.workers.is_empty() && began.elapsed() > ALONE {
            is_reported = true;
            let text = "no worker has joined yet: start one with `agentv worker --engine URL`";
            shared.notice(text.to_owned());
        }
        let waiting = waiting_by_lane(&shared);
        lose_unserved(&shared, &waiting, &mut unserved);
        let changes = shared.trials().changes;
        if changes == changes_before && !waiting.is_empty() {
            look(&shared, &waiting).await;
        }
        changes_before = shared.trials().changes;
    }
}

/// Returns the keys of the trials that the server has, by their lanes.
fn waiting_by_lane(shared: &Shared) -> BTreeMap<usize, Vec<String>> {
    let mut waiting: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let trials = shared.trials();
    for (key, open) in trials.open.iter().filter(|(_, open)| open.is_published) {
        waiting.entry(open.lane).or_default().push(key.clone());
    }
    waiting
}

/// Ends the trials of targets that no worker can ask.
fn lose_unserved(
    shared: &Shared,
    waiting: &BTreeMap<usize, Vec<String>>,
    unserved: &mut HashMap<usize, Instant>,
) {
    for (lane, keys) in waiting {
        match shared.workers.reason_not_to_serve(*lane) {
            None => {
                unserved.remove(lane);
            }
            Some(reason) => {
                let since = unserved.entry(*lane).or_insert_with(Instant::now);
                if since.elapsed() > PATIENCE {
                    let message = format!("no worker can ask the target: {reason}");
                    keys.iter().for_each(|key| shared.lose(key, &message));
                }
            }
        }
    }
}

/// Looks for trials that no worker will get any more, when nothing has happened for a while.
async fn look(shared: &Arc<Shared>, waiting: &BTreeMap<usize, Vec<String>>) {
    let Ok(stream) = shared.jetstream.get_stream(shared.names.trials()).await else {
        return;
    };
    if !is_news_empty(shared).await {
        return;
    }
    for (lane, keys) in waiting {
        let Ok(info) = stream.consumer_info(RunNames::lane_consumer(*lane)).await else {
            continue;
        };
        if info.num_pending > 0 || info.num_ack_pending > 0 {
            continue;
        }
        for key in keys {
            look_at(shared, &stream, *lane, key).await;
        }
    }
}

/// Ends a trial that was delivered too often, or sends one again that is not there.
async fn look_at(shared: &Arc<Shared>, stream: &Stream, lane: usize, key: &str) {
    let subject = shared.names.trial(lane, key);
    match stream.get_last_raw_message_by_subject(&subject).await {
        Ok(message) => {
            // In this order: a trial that is open and not on the server would be sent again.
            shared.lose_after_attempts(key);
            remove_message(shared, message.sequence).await;
        }
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
            send_again(shared, key);
        }
        Err(_) => {}
    }
}
