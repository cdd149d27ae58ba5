//! Panics of providers and evaluators, caught: a fault in one trial must not end the others.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use agentv_core::{Cause, ProviderError};
use pin_project_lite::pin_project;

use crate::trial::fault;

/// A panic, as a sentence for the user.
#[derive(Debug, thiserror::Error)]
#[error("this is a bug in agentv, please report it: {0}")]
pub(crate) struct Panicked(String);

impl From<Panicked> for ProviderError {
    fn from(panicked: Panicked) -> ProviderError {
        // The next attempt would panic too.
        ProviderError::new(Cause::Setup, panicked.to_string())
    }
}

thread_local! {
    /// The number of [`catch_panic`]s that this thread is inside of.
    static CATCHING: Cell<u32> = const { Cell::new(0) };
}

/// Returns true if a panic on this thread, now, becomes an error of a trial or of the run. A panic hook
/// need not print such a panic.
pub fn is_panic_caught() -> bool {
    CATCHING.get() > 0
}

/// Runs some work and turns a panic into an error.
pub(crate) fn catch_panic<F: Future>(work: F) -> CatchPanic<F> {
    CatchPanic {
        work,
        has_begun: false,
    }
}

pin_project! {
    /// Some work whose panics are caught. It is no larger than the work, unlike an `async fn`, which would
    /// hold it twice: a run has thousands of them.
    pub(crate) struct CatchPanic<F> {
        #[pin]
        work: F,
        has_begun: bool,
    }
}

impl<F: Future> Future for CatchPanic<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        CATCHING.set(CATCHING.get() + 1);
        let polled = catch_unwind(AssertUnwindSafe(|| {
            if !std::mem::replace(this.has_begun, true) {
                fault::panic_if_chosen();
            }
            this.work.poll(context)
        }));
        CATCHING.set(CATCHING.get() - 1);
        match polled {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(Panicked::of(&*panic))),
        }
    }
}

impl Panicked {
    fn of(panic: &(dyn Any + Send)) -> Panicked {
        let message = panic.downcast_ref::<&str>().copied();
        let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Panicked(message.unwrap_or("a panic without a message").to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_caught_inside_and_not_outside_even_after_one() {
        assert!(!is_panic_caught());
        let nested = catch_panic(async {
            tokio::task::yield_now().await;
            let inner = catch_panic(async { assert!(!is_panic_caught(), "too much") }).await;
            (inner.unwrap_err().to_string(), is_panic_caught())
        });
        let (message, is_caught) = nested.await.unwrap();
        assert!(message.ends_with(": too much") && is_caught, "{message}");
        assert!(!is_panic_caught());
    }
}
