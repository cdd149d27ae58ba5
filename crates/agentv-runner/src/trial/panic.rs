//! Panics of providers and evaluators, caught: a fault in one trial must not end the others.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

/// A panic, as a sentence for the user.
#[derive(Debug, thiserror::Error)]
#[error("this is a bug in agentv, please report it: {0}")]
pub(crate) struct Panicked(String);

/// Runs some work and turns a panic into an error.
pub(crate) async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    let caught = AssertUnwindSafe(work).catch_unwind().await;
    caught.map_err(|panic| {
        let message = panic.downcast_ref::<&str>().copied();
        let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Panicked(message.unwrap_or("a panic without a message").to_owned())
    })
}
