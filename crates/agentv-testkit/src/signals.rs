//! Signals that this process was started with ignored, as with `nohup`.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::Signal;

/// Makes children react to SIGINT and SIGHUP although this process was started with them ignored.
///
/// A child inherits a signal that is ignored. One that has a handler gets its default action back
/// when the child becomes another program, so an ignored signal is given a handler that does nothing.
/// For this process nothing changes. Only Linux says which signals are ignored; elsewhere this does
/// nothing.
pub fn reset_in_children() {
    static RESET: Once = Once::new();
    RESET.call_once(|| {
        for signal in [Signal::SIGINT, Signal::SIGHUP] {
            if is_ignored(signal).unwrap_or(false) {
                let flag = Arc::new(AtomicBool::new(false));
                signal_hook::flag::register(signal as i32, flag)
                    .expect("a handler for a signal that may be handled");
            }
        }
    });
}

fn is_ignored(signal: Signal) -> io::Result<bool> {
    let status = fs::read_to_string("/proc/self/status")?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = u64::from_str_radix(mask.unwrap_or("0").trim(), 16).map_err(io::Error::other)?;
    Ok(mask & (1 << (signal as i32 - 1)) != 0)
}
