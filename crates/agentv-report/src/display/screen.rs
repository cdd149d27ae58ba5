//! A screen that is refreshed while events arrive.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::RunEvent;

use super::notice::Notice;
use super::notices::{Notices, Wanted};
use super::options::DisplayOptions;
use super::progress::Progress;
use super::snapshot::Snapshot;
use super::throughput::Throughput;
use super::ticker::Ticker;
use crate::Clock;

/// Where a display shows what a run has come to.
pub(super) trait Screen: Send + 'static {
    /// Shows the notices, which are new, and how far the run is.
    fn show(&mut self, snapshot: &Snapshot, notices: &[Notice]);
    /// Removes what should not stay.
    fn close(&mut self);
}

/// Takes events, which costs next to nothing, and shows from time to time what they came to.
#[derive(Debug)]
pub(super) struct Display<S> {
    board: Arc<Mutex<Board>>,
    painter: Arc<Mutex<Painter<S>>>,
    clock: Clock,
    ticker: Option<Ticker>,
}

/// What events change.
#[derive(Debug)]
struct Board {
    progress: Progress,
    notices: Notices,
}

/// What showing changes.
#[derive(Debug)]
struct Painter<S> {
    screen: S,
    throughput: Throughput,
    started: Instant,
}

impl<S: Screen> Display<S> {
    /// A display that shows only when told to.
    pub(super) fn still(screen: S, wanted: Wanted, options: DisplayOptions) -> Display<S> {
        let clock = options.clock;
        let started = clock.now();
        let board = Board {
            progress: Progress::default(),
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

    /// Shows by itself from now on, this often.
    pub(super) fn ticking(mut self, interval: Duration) -> Display<S> {
        let (board, painter) = (Arc::clone(&self.board), Arc::clone(&self.painter));
        let clock = self.clock.clone();
        let tick = move || show(&board, &painter, clock.now(), false);
        // Without a thread there is no display, and the run goes on.
        self.ticker = Ticker::start(interval, tick).ok();
        self
    }

    pub(super) fn on_event(&self, event: &RunEvent) {
        let mut board = lock(&self.board);
        board.progress.on_event(event);
        board.notices.on_event(event, &self.clock);
    }

    /// Shows what has come in since, once.
    #[cfg(test)]
    pub(super) fn tick(&self) {
        show(&self.board, &self.painter, self.clock.now(), false);
    }

    /// Shows what has come in since, and removes what should not stay. Once is enough.
    pub(super) fn finish(&mut self) {
        if let Some(ticker) = self.ticker.take() {
            ticker.stop();
        }
        show(&self.board, &self.painter, self.clock.now(), true);
        lock(&self.painter).screen.close();
    }
}

fn show<S: Screen>(board: &Mutex<Board>, painter: &Mutex<Painter<S>>, now: Instant, last: bool) {
    // Events wait for the board: it is let go before anything is drawn.
    let (progress, notices) = {
        let mut board = lock(board);
        (board.progress, board.notices.take(now, last))
    };
    let mut painter = lock(painter);
    painter.throughput.record(now, progress.fresh());
    let snapshot = Snapshot {
        progress,
        rate: painter.throughput.rate(now),
        elapsed: now.saturating_duration_since(painter.started),
    };
    painter.screen.show(&snapshot, &notices);
}

/// A display that broke while drawing is no reason to end the run.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
