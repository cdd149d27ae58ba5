//! A system under test, ready to be asked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{Extra, Provider};

/// A system under test, as the user named it, ready to be asked.
#[derive(Clone)]
pub struct Target {
    /// The name that eval files and `--target` call it by.
    pub name: String,
    /// The kind of provider.
    pub kind: String,
    /// What can change its answers: its fields without secrets, and without those that say only how
    /// fast or how often it is asked.
    pub settings: Extra,
    /// The target that judges its answers, itself unless given.
    pub judge_target: Option<String>,
    /// How it may be asked.
    pub limits: Limits,
    /// What asks it.
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

/// How fast, how often and how long a target may be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// The most requests in flight.
    pub workers: usize,
    /// The longest that one attempt may take.
    pub timeout: Duration,
    /// The most requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// The most tokens in a minute.
    pub tokens_per_minute: Option<u32>,
    /// What is tried again, when, and how often.
    pub retry: Retry,
}

impl Limits {
    /// The usual limits of an API.
    pub const API: Limits = Limits {
        workers: 10,
        timeout: Duration::from_secs(300),
        requests_per_minute: None,
        tokens_per_minute: None,
        retry: Retry::DEFAULT,
    };
    /// The usual limits of a command.
    pub const COMMAND: Limits = Limits {
        workers: 4,
        timeout: Duration::from_secs(1800),
        ..Limits::API
    };
}

/// What is tried again, when, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// The most attempts after the first.
    pub max_retries: u32,
    /// The wait before the first retry.
    pub initial_delay: Duration,
    /// The longest wait.
    pub max_delay: Duration,
    /// By how much the wait grows from retry to retry.
    pub backoff_factor: f32,
    /// The HTTP status codes that are worth a retry; `None` for the usual ones.
    pub status_codes: Option<Vec<u16>>,
}

impl Retry {
    /// The HTTP status codes that are usually worth a retry.
    pub const STATUS_CODES: &[u16] = &[408, 429, 500, 502, 503, 504];

    /// The usual retries.
    pub const DEFAULT: Retry = Retry {
        max_retries: 3,
        initial_delay: Duration::from_millis(1000),
        max_delay: Duration::from_millis(60_000),
        backoff_factor: 2.0,
        status_codes: None,
    };

    /// The HTTP status codes that are worth a retry.
    pub fn status_codes(&self) -> &[u16] {
        self.status_codes.as_deref().unwrap_or(Self::STATUS_CODES)
    }
}
