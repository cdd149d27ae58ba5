//! A screen that is refreshed while events arrive.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::RunEvent;

use super::agents::Agents;
use super::notice::Notice;
use super::notices::{Notices, Wanted};
use super::options::DisplayOptions;
use super::progress::Progress;
use super::snapshot::Snapshot;
use super::throughput::Throughput;
use super::ticker::Ticker;
use crate::Clock;

/// The place where a display shows a run.
pub(super) trait Screen: Send + 'static {
    /// Shows new notices and the progress.
    fn show(&mut self, snapshot: &Snapshot, notices: &[Notice]);
    /// Removes everything that must not stay.
    fn close(&mut self);
}

/// A display that takes events at almost no cost and shows them from time to time.
#[derive(Debug)]
pub(super) struct Display<S> {
    board: Arc<Mutex<Board>>,
    painter: Arc<Mutex<Painter<S>>>,
    clock: Clock,
    ticker: Option<Ticker>,
}

/// The state that events change.
#[derive(Debug)]
struct Board {
    progress: Progress,
    agents: Agents,
    notices: Notices,
}

/// The state that drawing changes.
#[derive(Debug)]
struct Painter<S> {
    screen: S,
    throughput: Throughput,
    started: Instant,
}

impl<S: Screen> Display<S> {
    /// Creates a display that draws only on request.
    pub(super) fn still(screen: S, wanted: Wanted, options: DisplayOptions) -> Display<S> {
        let clock = options.clock;
        let started = clock.now();
        let board = Board {
            progress: Progress::default(),
            agents: Agents::new(options.several_targets),
            notices: Notices::new(wanted, options.several_targets, started),
        };
        let painter = Painter {
            screen,
            throughput: Throughput::new(started),
            started,
        };
        Display {
            board: Arc::new(Mutex::new(board)),
            painter: Arc::new(Mutex::new(painter)),
            clock,
            ticker: None,
        }
    }

    /// Draws automatically from now on, in this interval.
    pub(super) fn ticking(mut self, interval: Duration) -> Display<S> {
        let (board, painter) = (Arc::clone(&self.board), Arc::clone(&self.painter));
        let clock = self.clock.clone();
        let tick = move || show(&board, &painter, clock.now(), false);
        // Without a thread there is no display, but the run continues.
        self.ticker = Ticker::start(interval, tick).ok();
        self
    }

    pub(super) fn on_event(&self, event: &RunEvent) {
        let mut board = lock(&self.board);
        board.progress.on_event(event);
        board.agents.on_event(event);
        board.notices.on_event(event, &self.clock);
    }

    /// Draws the current state.
    #[cfg(test)]
    pub(super) fn tick(&self) {
        show(&self.board, &self.painter, self.clock.now(), false);
    }

    /// Draws the final state and removes everything that must not stay. Must be called once.
    pub(super) fn finish(&mut self) {
        if let Some(ticker) = self.ticker.take() {
            ticker.stop();
        }
        show(&self.board, &self.painter, self.clock.now(), true);
        lock(&self.painter).screen.close();
    }
}

fn show<S: Screen>(board: &Mutex<Board>, painter: &Mutex<Painter<S>>, now: Instant, last: bool) {
    // Events wait for the board, so its lock is released before anything is drawn.
    let (progress, agents, notices) = {
        let mut board = lock(board);
        let agents = board.agents.lines();
        (board.progress, agents, board.notices.take(now, last))
    };
    let mut painter = lock(painter);
    painter.throughput.record(now, progress.fresh());
    let snapshot = Snapshot {
        progress,
        agents,
        rate: painter.throughput.rate(now),
        elapsed: now.saturating_duration_since(painter.started),
    };
    painter.screen.show(&snapshot, &notices);
}

/// Locks a mutex. A display that panicked while drawing is no reason to end the run.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
