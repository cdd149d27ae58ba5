//! The effect of requests to stop on a run.

use std::io;
use std::thread;
use std::time::Duration;

use agentv_runner::StopHandle;

use super::{Closer, StopRequest, StopRequests};

/// The time that a run gets to print its summary after the second request.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A listener to requests to stop, until it is dropped.
pub(crate) struct Listening(Closer);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Stops the run on the first request, abandons trials in flight on the second, and ends the process on the
/// third, or if the second has no effect. A closed terminal counts once: both the system and the shell
/// report it.
pub(crate) fn listen(stop: StopHandle) -> io::Result<Listening> {
    let requests = StopRequests::take_over()?;
    let closer = requests.closer();
    thread::spawn(move || {
        let mut heard = 0;
        for request in requests {
            if heard > 0 && request == StopRequest::HangUp {
                continue;
            }
            heard += 1;
            match heard {
                // The run says that requests in flight get a few seconds.
                1 => stop.stop(request.reason()),
                2 => {
                    stop.end_at_once(request.reason());
                    thread::spawn(move || {
                        thread::sleep(LAST_WORDS);
                        end(request);
                    });
                }
                _ => end(request),
            }
        }
    });
    Ok(Listening(closer))
}

/// Ends the process. Everything that was reported is on disk.
fn end(request: StopRequest) -> ! {
    std::process::exit(request.exit_code())
}
