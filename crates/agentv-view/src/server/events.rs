//! News about a run while it is written.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};

use super::api::on_disk;
use super::serve::Shared;
use crate::view_error::ViewError;

/// The time between two looks at a run that is being written.
const SOON: Duration = Duration::from_millis(400);
/// The time between two looks at a run that may be resumed.
const LATER: Duration = Duration::from_secs(2);

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct News {
    version: u64,
    total: usize,
    running: bool,
}

/// Sends the state of a run, and sends it again whenever it has changed.
pub(super) async fn events(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ViewError> {
    let first = news(&shared, &id).await?;
    let start = (shared, id, None::<News>, Some(first));
    let stream = unfold(start, |(shared, id, last, mut next)| async move {
        loop {
            let found = match next.take() {
                Some(found) => found,
                None => {
                    let is_running = last.as_ref().is_some_and(|last| last.running);
                    tokio::time::sleep(if is_running { SOON } else { LATER }).await;
                    // A run that was removed has no more news.
                    news(&shared, &id).await.ok()?
                }
            };
            if last.as_ref() != Some(&found) {
                let data = serde_json::to_string(&found).unwrap_or_default();
                let event = Event::default().data(data);
                return Some((Ok(event), (shared, id, Some(found), None)));
            }
        }
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

async fn news(shared: &Shared, id: &str) -> Result<News, ViewError> {
    let id = id.to_owned();
    let news = on_disk(shared, move |runs| {
        let run = runs.open(&id)?;
        // The lock is looked at first: what is written before it is released is then read.
        let running = run.folder().is_being_written();
        let version = run.refresh()?;
        Ok(News {
            version,
            total: run.len(),
            running,
        })
    });
    news.await
}
