//! Dying at a chosen step, so that a test can see what a crash leaves on disk.
//!
//! Whatever the journal does to the disk is a step: creating a folder or a file, writing, cutting,
//! syncing, renaming, removing. The steps of a process are counted from 1, over all its files, in the
//! order in which they come. In a debug build the variable `AGENTV_FAULT` names one of them:
//!
//! - `kill@7` kills the process with SIGKILL in place of its seventh step;
//! - `tear@7` does so too, but if that step is a write, half of the bytes are written before.
//!
//! So a test that tries 1, 2, 3, … until a process ends by itself has seen every state that a crash
//! can leave. A release build has nothing of this, and ignores the variable.

pub(crate) use hook::{step, write};

#[cfg(debug_assertions)]
mod hook {
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// What is to happen at which step.
    struct Fault {
        tears: bool,
        step: u64,
    }

    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    static STEPS: AtomicU64 = AtomicU64::new(0);

    /// Comes before everything that is done to the disk, writing apart.
    pub(crate) fn step() {
        if due().is_some() {
            die();
        }
    }

    /// Comes before `bytes` are written to `file`.
    pub(crate) fn write(file: &mut impl Write, bytes: &[u8]) {
        let Some(fault) = due() else {
            return;
        };
        if fault.tears {
            let _ = file.write_all(&bytes[..bytes.len() / 2]);
        }
        die();
    }

    /// Counts a step; the fault, if this is its step.
    fn due() -> Option<&'static Fault> {
        let fault = FAULT.get_or_init(asked).as_ref()?;
        let step = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        (step == fault.step).then_some(fault)
    }

    fn asked() -> Option<Fault> {
        let asked = std::env::var("AGENTV_FAULT").ok()?;
        let (what, step) = asked.split_once('@')?;
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
