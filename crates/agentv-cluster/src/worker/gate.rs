//! Calls to targets whose limits all workers share: the coordinating process admits each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use agentv_core::BoxFuture;
use agentv_project::WorkerSpec;
use agentv_runner::{CallGate, CallOutcome, CallPlace};
use async_nats::Request;

use super::live::Worker;
use crate::names::RunNames;
use crate::protocol::WorkerRequest;

/// The time after which a waiting call is asked for again: the coordinating process may be another one.
const ASK_AGAIN: Duration = Duration::from_secs(10);

/// The pause after an error of the server.
const PAUSE: Duration = Duration::from_millis(500);

/// Admits calls through the coordinating process.
pub(super) struct EngineGate {
    worker: Weak<Worker>,
    subject: String,
    /// The lanes whose limits are shared.
    shared: Vec<bool>,
    next: AtomicU64,
}

impl EngineGate {
    pub(super) fn new(
        worker: &Arc<Worker>,
        names: &RunNames,
        spec: &WorkerSpec,
    ) -> Arc<EngineGate> {
        let lanes = spec.lanes.iter();
        Arc::new(EngineGate {
            worker: Arc::downgrade(worker),
            subject: names.questions(),
            shared: lanes.map(|lane| lane.has_shared_limits).collect(),
            next: AtomicU64::new(1),
        })
    }

    async fn wait(&self, lane: usize, tokens: u64) -> Box<dyn CallPlace> {
        let call = self.next.fetch_add(1, Ordering::Relaxed);
        let worker = self.worker.upgrade();
        let id = worker.as_ref().map(|worker| worker.id.clone());
        let place = EnginePlace {
            worker: self.worker.clone(),
            subject: self.subject.clone(),
            call,
        };
        let question = WorkerRequest::Enter {
            worker: id.unwrap_or_default(),
            call,
            lane,
            tokens,
        };
        while !ask(&self.worker, &self.subject, &question).await {
            tokio::time::sleep(PAUSE).await;
        }
        Box::new(place)
    }
}

impl CallGate for EngineGate {
    fn enter(&self, lane: usize, tokens: u64) -> Option<BoxFuture<'_, Box<dyn CallPlace>>> {
        let is_shared = self.shared.get(lane).copied().unwrap_or_default();
        is_shared
            .then(|| -> BoxFuture<'_, Box<dyn CallPlace>> { Box::pin(self.wait(lane, tokens)) })
    }
}

/// Sends a question. Returns true if it was answered, or if this worker has ended.
async fn ask(worker: &Weak<Worker>, subject: &str, question: &WorkerRequest) -> bool {
    let Some(worker) = worker.upgrade() else {
        return true;
    };
    let bytes = serde_json::to_vec(question).unwrap_or_default();
    let request = Request::new()
        .payload(bytes.into())
        .timeout(Some(ASK_AGAIN));
    let asked = worker.client.send_request(subject.to_owned(), request);
    asked.await.is_ok()
}

/// A call that the coordinating process admitted.
struct EnginePlace {
    worker: Weak<Worker>,
    subject: String,
    call: u64,
}

impl CallPlace for EnginePlace {
    fn end(self: Box<Self>, outcome: CallOutcome) {
        tokio::spawn(async move {
            let id = self.worker.upgrade().map(|worker| worker.id.clone());
            let question = WorkerRequest::Leave {
                worker: id.unwrap_or_default(),
                call: self.call,
                outcome,
            };
            while !ask(&self.worker, &self.subject, &question).await {
                tokio::time::sleep(PAUSE).await;
            }
        });
    }
}
