//! Requests of the system or the user to stop. How they arrive differs between systems: see `unix.rs` and
//! `windows.rs`.

mod listen;
mod stop_request;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use listen::listen;
pub(crate) use stop_request::StopRequest;
#[cfg(unix)]
pub(crate) use unix::{Closer, StopRequests};
#[cfg(windows)]
pub(crate) use windows::{Closer, StopRequests};
