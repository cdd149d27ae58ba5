//! The trials that a worker works on, and their signs of life.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::message::{AckKind, Acker};

use crate::protocol::{BusyTrial, Event};

/// The time between two signs of life of a trial.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// The time between two looks at the trials. The coordinating process learns of those that a look finds:
/// most mocks are faster.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The most trials that a report names.
const MOST_SHOWN: usize = 256;

/// A trial that a worker works on.
pub(super) struct TrialAtWork {
    pub(super) shown: BusyTrial,
    pub(super) key: String,
    /// The subject of events of its run.
    pub(super) events: String,
    pub(super) acker: Arc<Acker>,
}

/// The trials that a worker works on.
#[derive(Default)]
pub(super) struct Busy(Mutex<State>);

#[derive(Default)]
struct State {
    trials: HashMap<u64, Entry>,
    next: u64,
}

struct Entry {
    trial: TrialAtWork,
    since: Instant,
    is_announced: bool,
    /// The last sign of life.
    seen: Instant,
}

impl Busy {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a trial, and returns its number.
    pub(super) fn begin(&self, trial: TrialAtWork) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        let (number, now) = (state.next, Instant::now());
        let entry = Entry {
            trial,
            since: now,
            is_announced: false,
            seen: now,
        };
        state.trials.insert(number, entry);
        number
    }

    /// Removes a trial.
    pub(super) fn end(&self, number: u64) {
        self.lock().trials.remove(&number);
    }

    /// Returns the trials for a report.
    pub(super) fn shown(&self) -> Vec<BusyTrial> {
        let state = self.lock();
        let entries = state.trials.values().take(MOST_SHOWN);
        let shown = entries.map(|entry| BusyTrial {
            seconds: entry.since.elapsed().as_secs_f64(),
            ..entry.trial.shown.clone()
        });
        shown.collect()
    }

    /// Returns the keys of trials that are new, by the subjects of their events.
    fn take_new(&self) -> HashMap<String, Vec<String>> {
        let mut new: HashMap<String, Vec<String>> = HashMap::new();
        for entry in self.lock().trials.values_mut() {
            if !std::mem::replace(&mut entry.is_announced, true) {
                let keys = new.entry(entry.trial.events.clone()).or_default();
                keys.push(entry.trial.key.clone());
            }
        }
        new
    }

    /// Returns the trials that need a sign of life now.
    fn take_silent(&self) -> Vec<Arc<Acker>> {
        let mut state = self.lock();
        let entries = state.trials.values_mut();
        let silent = entries.filter(|entry| entry.seen.elapsed() >= PROGRESS_EVERY);
        let ackers = silent.map(|entry| {
            entry.seen = Instant::now();
            Arc::clone(&entry.trial.acker)
        });
        ackers.collect()
    }

    /// Reports the trials in progress to the server, repeatedly.
    pub(super) async fn show_life(&self, client: &Client) {
        let mut ticks = tokio::time::interval(LOOK_EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            for acker in self.take_silent() {
                let _ = acker.ack_with(AckKind::Progress).await;
            }
            for (subject, keys) in self.take_new() {
                if let Ok(bytes) = serde_json::to_vec(&Event::Begun { keys }) {
                    let _ = client.publish(subject, bytes.into()).await;
                }
            }
        }
    }
}
