//! The limits of a target that several processes share: each call is admitted in one place.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agentv_core::{BoxFuture, TokenUsage};
use serde::{Deserialize, Serialize};

use crate::schedule::concurrency::InFlight;
use crate::schedule::lane::Lane;
use crate::trial::execute::Executor;

/// Admits the calls of a process to targets whose limits it shares with others.
pub trait CallGate: Send + Sync {
    /// Waits until a call to the target of a lane may be made; `None` if this process decides itself.
    fn enter(&self, lane: usize, tokens: u64) -> Option<BoxFuture<'_, Box<dyn CallPlace>>>;
}

/// A call that was admitted.
pub trait CallPlace: Send {
    /// Ends the call.
    fn end(self: Box<Self>, outcome: CallOutcome);
}

/// The outcome of a call, as far as limits are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CallOutcome {
    /// True if the target answered.
    pub answered: bool,
    /// The tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// True if the target refused the call because of its limits.
    pub refused: bool,
    /// The pause that the target asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Duration>,
}

/// A place among the calls to a target.
pub(crate) enum CallPermit {
    /// One that this process gave.
    Own(InFlight),
    /// One that another process gave.
    Shared(Box<dyn CallPlace>),
}

/// Waits until a call to the target of a lane may be made.
pub(crate) async fn enter(executor: &Executor, lane: &Lane, tokens: u64) -> CallPermit {
    let gate = executor.gate.as_ref();
    match gate.and_then(|gate| gate.enter(lane.index, tokens)) {
        Some(entering) => CallPermit::Shared(entering.await),
        None => {
            let place = lane.concurrency.enter().await;
            lane.rate_limit.wait(tokens).await;
            CallPermit::Own(place)
        }
    }
}

impl CallPermit {
    /// Ends a call. Returns true if the target refused it together with others in flight: the concurrency
    /// was reduced for that, so it is not a failure of its trial.
    pub(crate) fn end(
        self,
        lane: &Lane,
        tokens: u64,
        started: Instant,
        outcome: CallOutcome,
    ) -> bool {
        match self {
            CallPermit::Own(place) => {
                drop(place);
                lane.end_call(tokens, started, outcome)
            }
            CallPermit::Shared(place) => {
                place.end(outcome);
                false
            }
        }
    }
}

/// A call that this process admitted for another one. Dropping it frees its place.
pub struct CallLease {
    lane: Arc<Lane>,
    tokens: u64,
    started: Instant,
    place: InFlight,
}

impl CallLease {
    /// Ends the call.
    pub fn end(self, outcome: CallOutcome) {
        drop(self.place);
        self.lane.end_call(self.tokens, self.started, outcome);
    }
}

impl Executor {
    /// Waits until a call to the target of a lane may be made by another process; `None` if there is no such
    /// lane.
    pub async fn lease_call(&self, lane: usize, tokens: u64) -> Option<CallLease> {
        let lane = Arc::clone(self.lanes.get(lane)?);
        let place = lane.concurrency.enter().await;
        lane.rate_limit.wait(tokens).await;
        Some(CallLease {
            tokens,
            started: Instant::now(),
            place,
            lane,
        })
    }
}

impl Lane {
    /// Adapts the limits to the outcome of a call. Returns true if the target refused it together with
    /// others in flight.
    fn end_call(&self, tokens: u64, started: Instant, outcome: CallOutcome) -> bool {
        let mut refused_together = false;
        if outcome.answered {
            self.concurrency.widen();
            self.rate_limit.settle(tokens, outcome.usage);
        }
        if outcome.refused {
            refused_together = !self.concurrency.narrow(started, Instant::now());
        }
        if let Some(pause) = outcome.pause {
            self.rate_limit.pause_until(Instant::now() + pause);
        }
        refused_together
    }
}
