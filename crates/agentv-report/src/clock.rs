//! What time it is, as a parameter.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Tells the time to whatever shows or waits for it.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl Clock {
    /// The clock of the machine.
    pub fn real() -> Clock {
        Clock::of(Instant::now)
    }

    /// A clock that says what `now` says.
    pub fn of(now: impl Fn() -> Instant + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// The time it is.
    pub fn now(&self) -> Instant {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
