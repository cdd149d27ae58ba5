//! Trials that are executed elsewhere, such as by workers on other machines.

mod calls;
mod engine;

pub(crate) use calls::enter;
pub use calls::{CallGate, CallLease, CallOutcome, CallPlace};
pub(crate) use engine::work_elsewhere;
pub use engine::{Acknowledge, RemoteEngine, RemoteNews};
