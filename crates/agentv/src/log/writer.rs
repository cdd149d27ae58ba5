//! Whole lines of the log, on standard error and without secrets.

use std::io::{self, Write};
use std::sync::{PoisonError, RwLock};

use agentv_core::{Secrets, visible};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, registry};

use super::LogLevel;

/// The values that must not appear in the log. They are known once targets are resolved.
static SECRETS: RwLock<Option<Secrets>> = RwLock::new(None);

/// Starts the log.
pub(crate) fn start(level: LogLevel) {
    if level == LogLevel::Off {
        return;
    }
    let level = level.filter();
    // Other crates may log headers or bodies, which can hold keys.
    let is_ours =
        filter_fn(move |event| event.target().starts_with("agentv") && *event.level() <= level);
    let lines = layer()
        .with_writer(|| LogLine(Vec::new()))
        .with_ansi(false)
        .with_filter(is_ours.with_max_level_hint(level));
    // Fails only if there is a log already.
    let _ = tracing::subscriber::set_global_default(registry().with(lines));
}

/// Returns true if anything is logged.
pub(crate) fn is_on() -> bool {
    LevelFilter::current() != LevelFilter::OFF
}

/// Replaces these values in everything that is logged from now on.
pub(crate) fn hide(secrets: &Secrets) {
    let mut hidden = SECRETS.write().unwrap_or_else(PoisonError::into_inner);
    hidden.get_or_insert_default().extend(secrets);
}

/// One event, which is written as a whole when it is complete.
struct LogLine(Vec<u8>);

impl Write for LogLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.0);
        let hidden = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
        let text = match &*hidden {
            Some(secrets) => secrets.redact(&text),
            None => text,
        };
        let line = format!("{}\n", visible(text.trim_end_matches('\n')));
        // If the reader of the log is gone, the run continues.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}
