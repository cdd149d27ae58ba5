//! A mock in place of another target, for a rehearsal.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Digest, Extra, Limits, Target};

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

pub(crate) fn target(name: &str, judge_target: Option<&str>, delay: Delay) -> Target {
    Target {
        name: name.to_owned(),
        kind: mock::KIND.name.to_owned(),
        settings: Extra::new(),
        settings_digest: Digest::of_settings(&Extra::new()),
        judge_target: judge_target.map(str::to_owned),
        limits: Limits::API,
        provider: Arc::new(Mock::with_delay(delay)),
    }
}
