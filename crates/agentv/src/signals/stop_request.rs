//! A request to stop, in the words of no particular system.

use agentv_core::Stop;

/// A request to stop that comes from outside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopRequest {
    /// Ctrl-C.
    Interrupt,
    /// The system, or another program, wants this one to end.
    Terminate,
    /// The terminal was closed.
    HangUp,
}

impl StopRequest {
    /// Returns the reason that a run records.
    pub(super) fn reason(self) -> Stop {
        match self {
            StopRequest::Interrupt => Stop::Interrupted,
            StopRequest::Terminate => Stop::Terminated,
            StopRequest::HangUp => Stop::HungUp,
        }
    }

    /// Returns the exit code: 128 and the number that Unix systems give the signal.
    pub(super) fn exit_code(self) -> i32 {
        128 + match self {
            StopRequest::HangUp => 1,
            StopRequest::Interrupt => 2,
            StopRequest::Terminate => 15,
        }
    }
}
