//! Targets: systems under test.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use crate::{Digest, Extra, Provider};

/// The program of a target: the digests of the files that decide its answers, by their names.
pub type Program = BTreeMap<String, String>;

/// A system under test, ready to be asked.
#[derive(Clone)]
pub struct Target {
    /// The name in eval files and in `--target`.
    pub name: String,
    /// The kind of provider.
    pub kind: String,
    /// The settings that can change its answers, for records: as the user wrote them, with references to
    /// variables, without secrets and limits.
    pub settings: Extra,
    /// A digest of these settings with the values of variables, without secrets.
    pub settings_digest: Digest,
    /// The judge of its answers (default: the target itself).
    pub judge_target: Option<String>,
    /// The limits on requests to it.
    pub limits: Limits,
    /// The provider that talks to it.
    pub provider: Arc<dyn Provider>,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The limits on requests to a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The maximum of requests in flight.
    pub workers: usize,
    /// True if the user set that maximum. It then holds for all machines of a run together.
    pub has_own_workers: bool,
    /// The longest that one attempt may take.
    pub timeout: Duration,
    /// The maximum of requests per minute.
    pub requests_per_minute: Option<u32>,
    /// The maximum of tokens per minute.
    pub tokens_per_minute: Option<u32>,
    /// The number of processes that share the limits per minute, each with an equal part.
    pub sharers: NonZeroU64,
    /// The retries.
    pub retry: Retry,
}

impl Limits {
    /// The default limits of an API.
    pub const API: Limits = Limits {
        workers: 10,
        has_own_workers: false,
        timeout: Duration::from_secs(300),
        requests_per_minute: None,
        tokens_per_minute: None,
        sharers: NonZeroU64::MIN,
        retry: Retry::DEFAULT,
    };
    /// The default limits of a command.
    pub const COMMAND: Limits = Limits {
        workers: 4,
        timeout: Duration::from_secs(1800),
        ..Limits::API
    };

    /// Removes a limit on requests in flight that the user did not set: each machine has a number of trials
    /// that it works on at a time.
    pub fn leave_workers_to_machines(&mut self) {
        if !self.has_own_workers {
            self.workers = usize::MAX;
        }
    }
}

/// The retries after failures.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// The maximum of attempts after the first.
    pub max_retries: u32,
    /// The wait before the first retry.
    pub initial_delay: Duration,
    /// The longest wait.
    pub max_delay: Duration,
    /// The factor by which the wait grows from retry to retry.
    pub backoff_factor: f32,
    /// The HTTP status codes that cause a retry; `None` for the defaults.
    pub status_codes: Option<Cow<'static, [u16]>>,
}

impl Retry {
    /// The HTTP status codes that cause a retry by default.
    pub const STATUS_CODES: &[u16] = &[408, 429, 500, 502, 503, 504];

    /// The default retries.
    pub const DEFAULT: Retry = Retry {
        max_retries: 3,
        initial_delay: Duration::from_millis(1000),
        max_delay: Duration::from_millis(60_000),
        backoff_factor: 2.0,
        status_codes: None,
    };

    /// Returns the HTTP status codes that cause a retry.
    pub fn status_codes(&self) -> &[u16] {
        self.status_codes.as_deref().unwrap_or(Self::STATUS_CODES)
    }
}
