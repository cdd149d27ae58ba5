//! The clock, as a parameter.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// A clock for everything that shows or waits for the time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl Clock {
    /// Returns the clock of the machine.
    pub fn real() -> Clock {
        Clock::of(Instant::now)
    }

    /// Returns a clock that calls `now`.
    pub fn of(now: impl Fn() -> Instant + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// Returns the current time.
    pub fn now(&self) -> Instant {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
