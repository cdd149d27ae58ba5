//! Something done again and again on a thread of its own.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::screen::lock;

/// Something done again and again until it is stopped or dropped.
#[derive(Debug)]
pub(super) struct Ticker {
    stopped: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Calls `tick` each `interval`, for the first time after one.
    ///
    /// # Errors
    /// Fails if the system gives no thread.
    pub(super) fn start(
        interval: Duration,
        mut tick: impl FnMut() + Send + 'static,
    ) -> io::Result<Ticker> {
        let stopped = Arc::new((Mutex::new(false), Condvar::new()));
        let seen = Arc::clone(&stopped);
        let run = move || {
            let (stopped, changed) = &*seen;
            loop {
                let wait = changed.wait_timeout_while(lock(stopped), interval, |stopped| !*stopped);
                let is_stopped = wait.map_or(true, |(stopped, _)| *stopped);
                if is_stopped {
                    break;
                }
                tick();
            }
        };
        let thread = Builder::new().name("display".to_owned()).spawn(run)?;
        Ok(Ticker {
            stopped,
            thread: Some(thread),
        })
    }

    /// Returns when the last tick is over.
    pub(super) fn stop(self) {
        drop(self);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        *lock(&self.stopped.0) = true;
        self.stopped.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // A tick that panicked has said so itself.
            let _ = thread.join();
        }
    }
}
