//! The number of requests in flight to a target: fewer when it refuses them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

/// The requests in flight to one target, and their limit.
///
/// The limit follows additive increase, multiplicative decrease: each answer raises it a little, up
/// to the target's workers; a refusal (HTTP 429) halves it.
#[derive(Debug)]
pub(crate) struct Concurrency {
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Debug)]
struct State {
    most: f64,
    width: f64,
    in_flight: usize,
    narrowed: Option<Instant>,
}

impl Concurrency {
    pub(crate) fn new(workers: usize) -> Concurrency {
        Concurrency {
            state: Mutex::new(State {
                most: workers as f64,
                width: workers as f64,
                in_flight: 0,
                narrowed: None,
            }),
            freed: Notify::new(),
        }
    }

    /// Waits for a place. Dropping the place frees it.
    pub(crate) async fn enter(self: &Arc<Self>) -> InFlight {
        loop {
            // Listen before looking, so that a place that becomes free in between is not missed.
            let freed = self.freed.notified();
            if self.try_enter() {
                return InFlight(Arc::clone(self));
            }
            freed.await;
        }
    }

    fn try_enter(&self) -> bool {
        let mut state = self.lock();
        let free = state.in_flight < state.width as usize;
        state.in_flight += usize::from(free);
        let more = state.in_flight < state.width as usize;
        drop(state);
        if free && more {
            // Several places that became free at once may have woken only one waiter.
            self.freed.notify_one();
        }
        free
    }

    /// Raises the limit a little after an answer.
    pub(crate) fn widen(&self) {
        let mut state = self.lock();
        if state.width < state.most {
            state.width = (state.width + 1.0 / state.width).min(state.most);
            drop(state);
            self.freed.notify_one();
        }
    }

    /// Halves the limit after the refusal of a request that was sent at `asked`. Refusals of
    /// requests that were in flight together count once; returns true if this one counts.
    pub(crate) fn narrow(&self, asked: Instant, now: Instant) -> bool {
        let mut state = self.lock();
        let counts = state.narrowed.is_none_or(|last| asked > last);
        if counts {
            state.width = (state.width / 2.0).max(1.0);
            state.narrowed = Some(now);
        }
        counts
    }

    #[cfg(test)]
    fn width(&self) -> f64 {
        self.lock().width
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<Concurrency>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.lock().in_flight -= 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn no_more_enter_than_the_window_is_wide() {
        let concurrency = Arc::new(Concurrency::new(2));
        let first = concurrency.enter().await;
        let _second = concurrency.enter().await;
        let third = tokio::time::timeout(Duration::from_millis(10), concurrency.enter());
        assert!(third.await.is_err());
        drop(first);
        concurrency.enter().await;
    }

    #[test]
    fn refusals_of_requests_that_were_in_flight_together_narrow_it_once() {
        let concurrency = Concurrency::new(100);
        let start = Instant::now();
        let later = start + Duration::from_secs(1);
        for _ in 0..50 {
            concurrency.narrow(start, later);
        }
        assert_eq!(concurrency.width(), 50.0);
        concurrency.narrow(later + Duration::from_millis(1), later);
        assert_eq!(concurrency.width(), 25.0);
        (0..10_000).for_each(|_| concurrency.widen());
        assert_eq!(concurrency.width(), 100.0);
    }

    #[test]
    fn the_window_never_closes() {
        let concurrency = Concurrency::new(1);
        let start = Instant::now();
        concurrency.narrow(start, start);
        assert!(concurrency.try_enter());
    }
}
