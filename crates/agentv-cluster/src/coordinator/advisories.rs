//! Trials that were given to workers too often: the server keeps them, and reports each once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde::Deserialize;

use super::news::remove_message;
use super::shared::Shared;

/// The pause before the server is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// A message that was delivered too often, as the server reports it.
#[derive(Deserialize)]
struct Advisory {
    stream_seq: u64,
}

/// Ends trials that were given to workers too often, until the run is over. A report that is missed does no
/// harm: a regular look finds the trial, too.
pub(super) async fn listen(shared: Arc<Shared>) {
    let subject = shared.names.advisories();
    loop {
        if let Ok(mut advisories) = shared.client.subscribe(subject.clone()).await {
            while let Some(message) = advisories.next().await {
                if let Ok(advisory) = serde_json::from_slice::<Advisory>(&message.payload) {
                    end(&shared, advisory.stream_seq).await;
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Ends the trial of a message.
async fn end(shared: &Shared, sequence: u64) {
    let Ok(stream) = shared.jetstream.get_stream(shared.names.trials()).await else {
        return;
    };
    let Ok(message) = stream.get_raw_message(sequence).await else {
        return;
    };
    let key = message.subject.rsplit('.').next().unwrap_or_default();
    // In this order: a trial that is open and not on the server would be sent again.
    shared.lose_after_attempts(key);
    remove_message(shared, sequence).await;
}
