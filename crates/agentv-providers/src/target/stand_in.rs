//! A mock in the place of another target, for a rehearsal.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Extra, Limits, Target};

use crate::kinds::mock;
use crate::mock::Mock;

/// How long a stand-in takes to answer: between these, both included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delay {
    /// The shortest time.
    pub min: Duration,
    /// The longest time; the shortest where it is less.
    pub max: Duration,
}

pub(crate) fn target(name: &str, judge_target: Option<&str>, delay: Delay) -> Target {
    Target {
        name: name.to_owned(),
        kind: mock::KIND.name.to_owned(),
        settings: Extra::new(),
        judge_target: judge_target.map(str::to_owned),
        limits: Limits::API,
        provider: Arc::new(Mock::with_delay(delay)),
    }
}
