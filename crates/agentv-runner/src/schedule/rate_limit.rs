//! The rate limits of a target: requests and tokens per minute, and the pauses that it asks for.

use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex as StdMutex, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::{Limits, Request, TokenUsage};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::Mutex;

/// The rate limits of a target.
#[derive(Debug)]
pub(crate) struct RateLimit {
    /// One request at a time waits at each gate, so that they pass in order and do not all wake for
    /// one.
    requests: Option<Mutex<DefaultDirectRateLimiter>>,
    tokens: Option<TokenGate>,
    paused: StdMutex<Option<Instant>>,
}

#[derive(Debug)]
struct TokenGate {
    limiter: Mutex<DefaultDirectRateLimiter>,
    most_at_once: u32,
    /// Tokens that answers used beyond the expected number.
    owed: AtomicU64,
}

/// The fraction of a minute's requests that may be sent at once.
const BURST: u64 = 60;

/// The fraction of a minute's tokens that may be used at once.
const TOKEN_BURST: u64 = 10;

impl RateLimit {
    pub(crate) fn new(limits: &Limits) -> RateLimit {
        let (requests, tokens) = (limits.requests_per_minute, limits.tokens_per_minute);
        RateLimit {
            requests: requests.and_then(NonZeroU32::new).map(|most| {
                let quota = Share::of(most, limits.sharers).quota(BURST);
                Mutex::new(RateLimiter::direct(quota))
            }),
            tokens: tokens.and_then(NonZeroU32::new).map(|most| {
                // Requests are few and large compared with tokens: allow a tenth of the minute at once.
                let quota = Share::of(most, limits.sharers).quota(TOKEN_BURST);
                TokenGate {
                    limiter: Mutex::new(RateLimiter::direct(quota)),
                    most_at_once: quota.burst_size().get(),
                    owed: AtomicU64::new(0),
                }
            }),
            paused: StdMutex::new(None),
        }
    }

    /// Waits until a request with this many tokens may be sent.
    pub(crate) async fn wait(&self, tokens: u64) {
        if let Some(requests) = &self.requests {
            requests.lock().await.until_ready().await;
        }
        if let Some(gate) = &self.tokens {
            gate.wait(tokens).await;
        }
        // Last, because a pause may begin while a gate is waited at.
        self.wait_for_pause().await;
    }

    async fn wait_for_pause(&self) {
        loop {
            let until = *self.lock_paused();
            match until {
                Some(until) if until > Instant::now() => {
                    tokio::time::sleep_until(until.into()).await;
                }
                _ => return,
            }
        }
    }

    /// Sends no request until then.
    pub(crate) fn pause_until(&self, until: Instant) {
        let mut paused = self.lock_paused();
        if paused.is_none_or(|before| before < until) {
            *paused = Some(until);
        }
    }

    /// Counts the tokens of an answer beyond the `expected` ones.
    pub(crate) fn settle(&self, expected: u64, usage: Option<TokenUsage>) {
        if let (Some(gate), Some(usage)) = (&self.tokens, usage) {
            let more = usage.total().saturating_sub(expected);
            gate.owed.fetch_add(more, Ordering::Relaxed);
        }
    }

    fn lock_paused(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenGate {
    async fn wait(&self, tokens: u64) {
        let limiter = self.limiter.lock().await;
        let mut left = tokens.saturating_add(self.owed.swap(0, Ordering::Relaxed));
        while let Some(part) = NonZeroU32::new(self.most_at_once.min(clamp(left))) {
            // A part never exceeds the burst.
            let _ = limiter.until_n_ready(part).await;
            left -= u64::from(part.get());
        }
    }
}

fn clamp(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A part of a limit per minute.
struct Share {
    most: NonZeroU32,
    sharers: NonZeroU64,
}

impl Share {
    fn of(most: NonZeroU32, sharers: NonZeroU64) -> Share {
        Share { most, sharers }
    }

    /// Returns the quota. A fraction of it may be used at once. Without a limit on that, a minute's quota
    /// passes at once, and twice the quota in the first minute.
    fn quota(&self, fraction: u64) -> Quota {
        let at_once = u64::from(self.most.get()) / fraction / self.sharers;
        let at_once = NonZeroU32::new(clamp(at_once)).unwrap_or(NonZeroU32::MIN);
        let nanos = 60_000_000_000 * u128::from(self.sharers.get()) / u128::from(self.most.get());
        let period = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX).max(1));
        let quota = Quota::with_period(period).unwrap_or_else(|| Quota::per_minute(self.most));
        quota.allow_burst(at_once)
    }
}

/// Estimates the number of tokens in a request.
pub(crate) fn expected_tokens(request: &Request) -> u64 {
    let further = request.further.iter().map(|message| {
        let outputs = message.tool_calls.iter().filter_map(|call| {
            let output = call.output.as_ref()?;
            Some(
                output
                    .as_str()
                    .map_or_else(|| output.to_string().len(), str::len),
            )
        });
        message.text().len() + outputs.sum::<usize>()
    });
    let letters = request.prompt.question.len() + further.sum::<usize>();
    (letters as u64).div_ceil(4)
}

/// Returns the wait before a retry, by its number from 1: growing, with a jitter of a quarter
/// either way.
pub(crate) fn backoff(retry: &agentv_core::Retry, number: u32) -> Duration {
    use backon::BackoffBuilder;
    let delays = backon::ExponentialBuilder::new()
        .with_min_delay(retry.initial_delay)
        .with_max_delay(retry.max_delay)
        .with_factor(retry.backoff_factor)
        .with_max_times(number as usize)
        .build();
    let delay = delays.last().unwrap_or(retry.initial_delay);
    delay
        .min(retry.max_delay)
        .mul_f64(0.75 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_core::Retry;

    #[test]
    fn waits_grow_up_to_the_longest_within_a_quarter_either_way() {
        let retry = Retry {
            max_delay: Duration::from_secs(5),
            ..Retry::DEFAULT
        };
        for (number, seconds) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (9, 5.0)] {
            for _ in 0..100 {
                let delay = backoff(&retry, number).as_secs_f64();
                let range = seconds * 0.75..=seconds * 1.25;
                assert!(range.contains(&delay), "retry {number} waits {delay}");
            }
        }
    }

    #[tokio::test]
    async fn requests_beyond_the_rate_wait() {
        let limits = Limits {
            requests_per_minute: Some(600),
            ..Limits::API
        };
        let rate_limit = RateLimit::new(&limits);
        let start = Instant::now();
        for _ in 0..13 {
            rate_limit.wait(0).await;
        }
        // Ten at once, then one each tenth of a second.
        assert!(start.elapsed() >= Duration::from_millis(250));
    }

    #[test]
    fn each_sharer_has_an_equal_part_of_a_limit_even_if_that_is_less_than_one() {
        let quota = |most: u32, sharers: u64| {
            let (most, sharers) = (NonZeroU32::new(most), NonZeroU64::new(sharers));
            let share = Share::of(most.unwrap(), sharers.unwrap());
            let quota = share.quota(BURST);
            let seconds = quota.replenish_interval().as_secs_f64();
            (seconds, quota.burst_size().get())
        };
        assert_eq!(quota(600, 1), (0.1, 10));
        assert_eq!(quota(600, 4), (0.4, 2), "150 per minute each");
        assert_eq!(quota(2, 4), (120.0, 1), "one in two minutes each");
    }

    #[tokio::test]
    async fn tokens_that_answers_took_are_paid_by_the_next_request() {
        let limits = Limits {
            tokens_per_minute: Some(60_000),
            ..Limits::API
        };
        let rate_limit = RateLimit::new(&limits);
        rate_limit.wait(6_000).await;
        let usage = TokenUsage {
            input: 6_000,
            output: 300,
            ..TokenUsage::default()
        };
        rate_limit.settle(6_000, Some(usage));
        let start = Instant::now();
        rate_limit.wait(1).await;
        assert!(start.elapsed() >= Duration::from_millis(250));
    }
}
