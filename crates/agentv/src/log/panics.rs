//! Panics that a run reports as errors: they go to the log, not to the screen.

use std::panic::{PanicHookInfo, set_hook, take_hook};

use agentv_runner::is_panic_caught;

/// Logs panics that the runner turns into errors of trials. Others are printed as usual.
pub(crate) fn log_caught_panics() {
    let print = take_hook();
    set_hook(Box::new(move |panic| {
        if is_panic_caught() {
            log_panic(panic);
        } else {
            print(panic);
        }
    }));
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str();
    let message = message.unwrap_or("a panic without a message");
    let location = panic.location().map(ToString::to_string);
    let location = location.unwrap_or_default();
    tracing::error!(target: "agentv::panic", %location, "{message}");
}
