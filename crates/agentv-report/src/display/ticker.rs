//! A function that is called regularly on its own thread.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::screen::lock;

/// A function that is called regularly until this is stopped or dropped.
#[derive(Debug)]
pub(super) struct Ticker {
    stopped: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Calls `tick` in each `interval`, the first time after one interval.
    ///
    /// # Errors
    /// Fails if no thread can be started.
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

    /// Stops, and waits for the end of the last call.
    pub(super) fn stop(self) {
        drop(self);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        *lock(&self.stopped.0) = true;
        self.stopped.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // A call that panicked has printed its message.
            let _ = thread.join();
        }
    }
}
