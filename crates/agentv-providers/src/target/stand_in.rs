//! A mock in place of another target, for a rehearsal.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{
    BoxFuture, Digest, Extra, Limits, Provider, ProviderError, Request, Target, Transcript,
};
use tokio_util::sync::CancellationToken;

use crate::kinds::mock;
use crate::mock::Mock;

/// The time that a stand-in takes to answer: between `min` and `max`, both included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delay {
    /// The shortest time.
    pub min: Duration,
    /// The longest time. If it is less than `min`, it counts as `min`.
    pub max: Duration,
}

/// A mock that answers in place of another target, and shows the request that the other one would send.
struct StandIn {
    mock: Mock,
    real: Option<Arc<dyn Provider>>,
}

impl Provider for StandIn {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        self.mock.answer(request, cancel)
    }

    fn request_body(&self, request: &Request) -> Option<Result<String, ProviderError>> {
        self.real.as_ref()?.request_body(request)
    }
}

/// Returns a stand-in. `real` is the provider that it replaces, if that could be built.
pub(crate) fn target(
    name: &str,
    judge_target: Option<&str>,
    delay: Delay,
    real: Option<Arc<dyn Provider>>,
) -> Target {
    let mock = Mock::with_delay(delay);
    Target {
        name: name.to_owned(),
        kind: mock::KIND.name.to_owned(),
        settings: Extra::new(),
        settings_digest: Digest::of_settings(&Extra::new()),
        judge_target: judge_target.map(str::to_owned),
        limits: Limits::API,
        provider: Arc::new(StandIn { mock, real }),
    }
}
