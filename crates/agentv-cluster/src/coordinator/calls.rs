//! The calls of workers to targets whose limits hold for all of them together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agentv_runner::CallLease;
use async_nats::Subject;
use futures_util::StreamExt;

use super::shared::Shared;
use super::workers::Workers;
use crate::protocol::{TrialState, WorkerRequest};

/// A call, by its worker and the number that the worker gave it.
type CallId = (String, u64);

/// The calls that are in flight or wait.
#[derive(Default)]
pub(super) struct Calls(Mutex<HashMap<CallId, Heard>>);

enum Call {
    /// It waits. Its worker is answered there.
    Waiting(Subject),
    InFlight(CallLease),
}

/// A call, and the time at which its worker was heard.
struct Heard {
    call: Call,
    at: Instant,
}

/// The time in which a worker that asks for a call must report itself.
const UNKNOWN_FOR: Duration = Duration::from_secs(10);

impl Calls {
    fn lock(&self) -> MutexGuard<'_, HashMap<CallId, Heard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the calls of workers that are lost.
    pub(super) fn end_those_of_lost(&self, workers: &Workers) {
        let mut calls = self.lock();
        calls.retain(|(worker, _), heard| {
            workers.is_there(worker) || heard.at.elapsed() < UNKNOWN_FOR
        });
    }
}

/// Answers the questions of workers until the run is over.
pub(super) async fn answer(shared: Arc<Shared>) {
    loop {
        if let Ok(mut questions) = shared.client.subscribe(shared.names.questions()).await {
            while let Some(message) = questions.next().await {
                let question = serde_json::from_slice::<WorkerRequest>(&message.payload);
                if let (Ok(question), Some(reply)) = (question, message.reply) {
                    answer_one(&shared, question, reply).await;
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn answer_one(shared: &Arc<Shared>, question: WorkerRequest, reply: Subject) {
    match question {
        WorkerRequest::State {
            key,
            worker,
            deliveries,
        } => {
            let state = state_of(shared, &key, &worker, deliveries);
            let bytes = state.and_then(|state| serde_json::to_vec(&state).ok());
            if let Some(bytes) = bytes {
                let _ = shared.client.publish(reply, bytes.into()).await;
            }
        }
        WorkerRequest::Enter {
            worker,
            call,
            lane,
            tokens,
        } => enter(shared, (worker, call), lane, tokens, reply),
        WorkerRequest::Leave {
            worker,
            call,
            outcome,
        } => {
            let ended = shared.calls.lock().remove(&(worker, call));
            if let Some(Call::InFlight(lease)) = ended.map(|heard| heard.call) {
                lease.end(outcome);
            }
            let _ = shared.client.publish(reply, "{}".into()).await;
        }
    }
}

/// Returns the state of a trial; `None` if this process does not know yet.
fn state_of(shared: &Shared, key: &str, worker: &str, deliveries: i64) -> Option<TrialState> {
    let mut trials = shared.trials();
    if trials.has_ended(key) {
        return Some(TrialState::Unwanted);
    }
    // It is handed over again soon, if this process has just begun.
    let open = trials.open.get(key)?;
    if open.sender.is_closed() {
        return Some(TrialState::Unwanted);
    }
    let answer = open.recorded_answer().cloned();
    let is_there = |worker: &str| shared.workers.is_there(worker);
    let suspects = &mut trials.suspects;
    if !suspects.may_begin(key, worker, deliveries, is_there) {
        return Some(TrialState::Wait);
    }
    Some(match answer {
        Some(answer) => TrialState::Answered(answer),
        None => TrialState::Open,
    })
}

/// Admits a call once the limits of its target allow it. A worker may ask again while it waits.
fn enter(shared: &Arc<Shared>, id: CallId, lane: usize, tokens: u64, reply: Subject) {
    let mut calls = shared.calls.lock();
    let known = calls.get_mut(&id);
    match known.map(|heard| {
        heard.at = Instant::now();
        &mut heard.call
    }) {
        Some(Call::Waiting(asked)) => *asked = reply,
        Some(Call::InFlight(_)) => {
            drop(calls);
            let client = shared.client.clone();
            tokio::spawn(async move { client.publish(reply, "{}".into()).await });
        }
        None => {
            let heard = Heard {
                call: Call::Waiting(reply),
                at: Instant::now(),
            };
            calls.insert(id.clone(), heard);
            drop(calls);
            tokio::spawn(admit(Arc::clone(shared), id, lane, tokens));
        }
    }
}

async fn admit(shared: Arc<Shared>, id: CallId, lane: usize, tokens: u64) {
    let Some(executor) = shared.executor.get() else {
        return;
    };
    let lease = tokio::select! {
        lease = executor.lease_call(lane, tokens) => lease,
        () = shared.over.cancelled() => return,
    };
    let Some(lease) = lease else { return };
    let reply = {
        let mut calls = shared.calls.lock();
        match calls.get_mut(&id).map(|heard| &mut heard.call) {
            Some(call @ Call::Waiting(_)) => match std::mem::replace(call, Call::InFlight(lease)) {
                Call::Waiting(reply) => Some(reply),
                Call::InFlight(_) => None,
            },
            // Its worker is lost: dropping the lease frees its place.
            Some(Call::InFlight(_)) | None => None,
        }
    };
    if let Some(reply) = reply {
        let _ = shared.client.publish(reply, "{}".into()).await;
    }
}
