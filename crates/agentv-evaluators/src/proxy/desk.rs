//! Counting the calls of a script and asking the targets.

use std::sync::atomic::{AtomicU64, Ordering};

use agentv_core::{Judge, Judges, ProviderError};
use futures_util::future::join_all;
use hyper::StatusCode;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::answer::Refusal;
use super::call::{Call, answered};

/// The maximum number of request bodies that are read at a time.
const MOST_BODIES: usize = 8;

/// A target that a script asked gave no answer.
#[derive(Debug, Error)]
#[error("the target `{target}` did not answer: {source}")]
struct NoAnswer {
    target: String,
    source: ProviderError,
}

/// The access of one script to the targets.
pub(super) struct Desk<'j> {
    judges: &'j dyn Judges,
    most_calls: u64,
    calls: AtomicU64,
    /// Permits for reading request bodies.
    bodies: Semaphore,
}

impl<'j> Desk<'j> {
    pub(super) fn new(judges: &'j dyn Judges, most_calls: u64) -> Desk<'j> {
        Desk {
            judges,
            most_calls,
            calls: AtomicU64::new(0),
            bodies: Semaphore::new(MOST_BODIES),
        }
    }

    /// Waits until a body may be read. This bounds the memory for all bodies together.
    pub(super) async fn place_for_a_body(&self) -> Option<SemaphorePermit<'_>> {
        self.bodies.acquire().await.ok()
    }

    /// Returns the targets that the script may ask, and its limit of calls.
    pub(super) fn info(&self) -> Value {
        let target = self.judges.name(&Judge::Usual);
        let calls = self.calls.load(Ordering::Relaxed);
        let known = self.judges.known();
        json!({
            "target_name": target,
            "targetName": target,
            "max_calls": self.most_calls,
            "maxCalls": self.most_calls,
            "call_count": calls,
            "callCount": calls,
            "available_targets": known,
            "availableTargets": known,
        })
    }

    /// Asks a target once.
    pub(super) async fn invoke(&self, body: &Value) -> Result<Value, Refusal> {
        let call = self.checked(body)?;
        self.count(1)?;
        let answer = self.ask(call).await;
        answer.map_err(|error| Refusal(StatusCode::BAD_GATEWAY, error.to_string()))
    }

    /// Asks several questions at a time. A failure is the answer to its own question only.
    pub(super) async fn invoke_batch(&self, body: &Value) -> Result<Value, Refusal> {
        let Some(requests) = body.get("requests").and_then(Value::as_array) else {
            return Err(Refusal::bad("expected an object with an array `requests`"));
        };
        let calls = requests.iter().enumerate().map(|(index, request)| {
            let checked = self.checked(request);
            checked.map_err(|Refusal(status, reason)| {
                Refusal(status, format!("requests[{index}]: {reason}"))
            })
        });
        let calls = calls.collect::<Result<Vec<Call>, Refusal>>()?;
        self.count(calls.len() as u64)?;
        let answers = join_all(calls.into_iter().map(|call| self.ask(call))).await;
        let responses = answers
            .into_iter()
            .map(|answer| answer.unwrap_or_else(|error| json!({"error": error.to_string()})));
        Ok(json!({"responses": responses.collect::<Vec<Value>>()}))
    }

    /// Reads a call and checks that its target exists.
    fn checked(&self, body: &Value) -> Result<Call, Refusal> {
        let call = Call::read(body)?;
        let Judge::Named(name) = &call.judge else {
            return Ok(call);
        };
        let known = self.judges.known();
        if known.contains(&name.as_str()) {
            Ok(call)
        } else {
            Err(Refusal::bad(format!(
                "target `{name}` not found; known: {}",
                known.join(", ")
            )))
        }
    }

    /// Counts calls before they are made. If they exceed the limit, none is made.
    fn count(&self, calls: u64) -> Result<(), Refusal> {
        let counted = |made: u64| {
            made.checked_add(calls)
                .filter(|all| *all <= self.most_calls)
        };
        let before = self
            .calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
        before.map(drop).map_err(|made| {
            let most = self.most_calls;
            let reason = format!(
                "the script has made {made} of its {most} calls (`max_calls`), so {calls} more \
                 would be too many"
            );
            Refusal(StatusCode::TOO_MANY_REQUESTS, reason)
        })
    }

    async fn ask(&self, call: Call) -> Result<Value, NoAnswer> {
        let judge = call.judge.clone();
        let name = self.judges.name(&judge);
        match self.judges.ask(&judge, call.request()).await {
            Ok(transcript) => Ok(answered(name, &transcript)),
            Err(source) => Err(NoAnswer {
                target: name.to_owned(),
                source,
            }),
        }
    }
}
