//! The way of a trial to the server.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Digest, Trial, Work};
use agentv_runner::RemoteNews;
use async_nats::jetstream::context::PublishError;
use bytes::Bytes;
use tokio::sync::mpsc::UnboundedSender;

use super::news::take;
use super::shared::{OpenTrial, Shared};
use crate::error::ClusterError;
use crate::payload::pack;
use crate::protocol::Order;

/// The pause before a trial is sent again that the server did not confirm.
const PAUSE: Duration = Duration::from_millis(500);

/// Hands a trial over to workers.
pub(super) fn hand_over(
    shared: &Arc<Shared>,
    trial: Arc<Trial>,
    lane: usize,
    sender: UnboundedSender<RemoteNews>,
) {
    let key = key_of(&trial);
    let early = {
        let mut trials = shared.trials();
        trials.changes += 1;
        let open = OpenTrial {
            lane,
            trial: Arc::clone(&trial),
            sender,
            answer: match &trial.work {
                Work::Grade { answer, recorded } => recorded.then(|| Arc::clone(answer)),
                Work::Ask | Work::Continue { .. } => None,
            },
            failure: None,
            is_published: false,
        };
        trials.open.insert(key.clone(), open);
        trials.early.remove(&key)
    };
    // A worker may have reported it to a process that coordinated the run before.
    for early in early.into_iter().flatten() {
        take(shared, early);
    }
    if shared.trials().open.contains_key(&key) {
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            if let Err(error) = send(&shared, &key, &trial, lane).await {
                shared.lose(&key, &error.to_string());
            }
        });
    }
}

/// Returns the key of a trial within its run.
pub(super) fn key_of(trial: &Trial) -> String {
    let (number, case) = (trial.number.to_string(), &trial.case);
    // A trial whose case or target was edited before a resume has another grade key, and is another one.
    let texts = [
        &trial.file.name,
        &*case.id,
        &trial.target,
        &number,
        &*trial.keys.grade,
    ];
    Digest::of_texts(&texts).to_string()
}

/// The reason why a trial cannot be sent.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error(transparent)]
    Needs(#[from] agentv_project::TrialNeedsError),
    #[error(transparent)]
    Server(#[from] ClusterError),
}

async fn send(shared: &Shared, key: &str, trial: &Trial, lane: usize) -> Result<(), SendError> {
    let needs = shared.needs.of_trial(trial).await?;
    shared
        .files
        .put_needs(&shared.objects, &shared.needs, &needs)
        .await?;
    let order = Order {
        key: key.to_owned(),
        is_quick: shared.needs.is_quick(trial),
        trial: trial.clone(),
        needs,
    };
    let name = || format!("trial-{key}");
    let payload = pack(&shared.objects, name, &order).await?;
    publish(shared, key, lane, payload).await;
    Ok(())
}

/// Publishes a trial until the server has it, or nobody wants it any more.
async fn publish(shared: &Shared, key: &str, lane: usize, payload: Bytes) {
    let subject = shared.names.trial(lane, key);
    loop {
        let is_wanted = shared.trials().open.contains_key(key);
        if shared.over.is_cancelled() || !is_wanted {
            return;
        }
        let sent = shared.jetstream.publish(subject.clone(), payload.clone());
        let confirmed = match sent.await {
            Ok(confirmed) => confirmed.await,
            Err(error) => Err(error),
        };
        match confirmed {
            Ok(_) => break,
            Err(error) if is_there(&error) => break,
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    let mut trials = shared.trials();
    trials.changes += 1;
    if let Some(open) = trials.open.get_mut(key) {
        open.is_published = true;
    }
}

/// Returns true if the server refused a trial because it has it.
fn is_there(error: &PublishError) -> bool {
    let text = format!("{error:?} {error}");
    text.contains("maximum messages per subject") || text.contains("10077")
}

/// Sends a trial again that is open.
pub(super) fn send_again(shared: &Arc<Shared>, key: &str) {
    let open = {
        let mut trials = shared.trials();
        trials.open.get_mut(key).map(|open| {
            open.is_published = false;
            (Arc::clone(&open.trial), open.lane)
        })
    };
    if let Some((trial, lane)) = open {
        let (shared, key) = (Arc::clone(shared), key.to_owned());
        tokio::spawn(async move {
            if let Err(error) = send(&shared, &key, &trial, lane).await {
                shared.lose(&key, &error.to_string());
            }
        });
    }
}
