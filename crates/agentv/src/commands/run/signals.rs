//! Ctrl-C and requests to end, while a run is on.

use std::io;
use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use agentv_core::{RunEvent, Stop};
use agentv_runner::{SharedReporter, StopHandle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

/// How long a run that was told twice to stop gets to say where it is.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Listens to signals until it is dropped.
pub(crate) struct Listening(Handle);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Stops the run on the first signal, gives up what is in flight on the second, and ends the process
/// on the third or when the second has no effect.
pub(crate) fn listen(stop: StopHandle, reporter: SharedReporter) -> io::Result<Listening> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let handle = signals.handle();
    thread::spawn(move || {
        for (count, signal) in signals.forever().enumerate() {
            let reason = match signal {
                SIGTERM => Stop::Terminated,
                _ => Stop::Interrupted,
            };
            match count {
                0 => {
                    tell(&reporter);
                    stop.stop(reason);
                }
                1 => {
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

/// Through whoever shows the run: a line of our own would land in the middle of the bar.
fn tell(reporter: &SharedReporter) {
    let heard = "what is in flight gets a few seconds; once more ends it at once";
    let mut reporter = reporter.lock().unwrap_or_else(PoisonError::into_inner);
    // The run ends either way.
    let _ = reporter.on_event(&RunEvent::Noticed(heard));
}

/// Everything that was told to be done is on disk: records are written before they are told.
fn end(signal: i32) -> ! {
    std::process::exit(128 + signal)
}
