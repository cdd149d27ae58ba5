//! Signals during a run: Ctrl-C, requests to end, and closed terminals.

use std::io;
use std::thread;
use std::time::Duration;

use agentv_core::Stop;
use agentv_runner::StopHandle;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

/// The time that a run gets to print its summary after the second signal.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A listener to signals, until it is dropped.
pub(crate) struct Listening(Handle);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Stops the run on the first signal, abandons trials in flight on the second, and ends the process on the
/// third, or if the second has no effect. SIGHUP counts once: both the system and the shell send it when a
/// terminal is closed.
pub(crate) fn listen(stop: StopHandle) -> io::Result<Listening> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if !outlives_its_terminal() {
        signals.add_signal(SIGHUP)?;
    }
    let handle = signals.handle();
    thread::spawn(move || {
        let mut heard = 0;
        for signal in signals.forever() {
            if heard > 0 && signal == SIGHUP {
                continue;
            }
            heard += 1;
            let reason = match signal {
                SIGTERM => Stop::Terminated,
                SIGHUP => Stop::HungUp,
                _ => Stop::Interrupted,
            };
            match heard {
                // The run says that requests in flight get a few seconds.
                1 => stop.stop(reason),
                2 => {
                    stop.end_at_once(reason);
                    thread::spawn(move || {
                        thread::sleep(LAST_WORDS);
                        end(signal);
                    });
                }
                _ => end(signal),
            }
        }
    });
    Ok(Listening(handle))
}

/// Checks if this process was started to ignore SIGHUP, as `nohup` does. Returns true if the system does not say,
/// so that its default applies.
fn outlives_its_terminal() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return true;
    };
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_none_or(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}

/// Ends the process. Everything that was reported is on disk.
fn end(signal: i32) -> ! {
    std::process::exit(128 + signal)
}
