//! Killing the process at a chosen step, so that a test can see what a crash leaves on disk.
//!
//! Every operation on the disk is a step: creating a folder or a file, writing, truncating, syncing,
//! renaming, removing. The steps of a process are counted from 1, across all files, in the order in
//! which they happen. In a debug build, the variable `AGENTV_FAULT` names one of them:
//!
//! - `kill@7` kills the process with SIGKILL instead of its seventh step;
//! - `tear@7` does the same, but if that step is a write, half of the bytes are written first.
//!
//! A test that tries 1, 2, 3, … until the process ends by itself has seen every state that a crash can
//! leave. A release build contains none of this and ignores the variable.

pub(crate) use hook::{step, write};

#[cfg(debug_assertions)]
mod hook {
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A fault and the step at which it happens.
    struct Fault {
        tears: bool,
        step: u64,
    }

    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    static STEPS: AtomicU64 = AtomicU64::new(0);

    /// Must be called before every operation on the disk except a write.
    pub(crate) fn step() {
        if due().is_some() {
            die();
        }
    }

    /// Must be called before `bytes` are written to `file`.
    pub(crate) fn write(file: &mut impl Write, bytes: &[u8]) {
        let Some(fault) = due() else {
            return;
        };
        if fault.tears {
            let _ = file.write_all(&bytes[..bytes.len() / 2]);
        }
        die();
    }

    /// Counts a step, and returns the fault if this is its step.
    fn due() -> Option<&'static Fault> {
        let fault = FAULT.get_or_init(requested).as_ref()?;
        let step = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        (step == fault.step).then_some(fault)
    }

    fn requested() -> Option<Fault> {
        let requested = std::env::var("AGENTV_FAULT").ok()?;
        let (what, step) = requested.split_once('@')?;
        let step = step.parse().ok()?;
        match what {
            "kill" => Some(Fault { tears: false, step }),
            "tear" => Some(Fault { tears: true, step }),
            _ => None,
        }
    }

    fn die() -> ! {
        #[cfg(unix)]
        {
            use rustix::process::{Signal, getpid, kill_process};
            let _ = kill_process(getpid(), Signal::KILL);
        }
        std::process::abort()
    }
}

#[cfg(not(debug_assertions))]
mod hook {
    pub(crate) fn step() {}

    pub(crate) fn write<W>(_: &mut W, _: &[u8]) {}
}
