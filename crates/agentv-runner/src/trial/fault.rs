//! A panic on demand, so that a test can see what the program makes of it.
//!
//! In a debug build, `AGENTV_FAULT=panic@3` makes the third preparation, call or grading panic. A release build
//! contains none of this and ignores the variable.

/// Panics if this is the chosen piece of work.
#[cfg(debug_assertions)]
pub(super) fn panic_if_chosen() {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static CHOSEN: LazyLock<Option<u64>> = LazyLock::new(|| {
        let fault = std::env::var("AGENTV_FAULT").ok()?;
        fault.strip_prefix("panic@")?.parse().ok()
    });
    static DONE: AtomicU64 = AtomicU64::new(0);

    if let Some(chosen) = *CHOSEN {
        let number = DONE.fetch_add(1, Ordering::SeqCst) + 1;
        if number == chosen {
            panic!("AGENTV_FAULT asked for it");
        }
    }
}

#[cfg(not(debug_assertions))]
pub(super) fn panic_if_chosen() {}
