//! Trials on many machines, over NATS JetStream.
//!
//! One process coordinates a run: a [`Coordinator`] hands trials over, takes their results, and writes the
//! run folder as a local run does. Any number of workers ([`work`]) execute the trials. A worker needs none of
//! the project's files: whatever a trial needs arrives by digest.
//!
//! What travels, by subject (`ENGINE` is the name of the engine, `RUN` the id of the run):
//!
//! | subject | what | kept until |
//! |---|---|---|
//! | `agentv.ENGINE.announce` | the runs that are going ([`Announcement`](protocol::Announcement)), every second | – |
//! | `agentv.ENGINE.worker` | the workers ([`WorkerReport`](protocol::WorkerReport)), every second | – |
//! | `agentv.ENGINE.RUN.trial.LANE.KEY` | trials ([`Order`](protocol::Order)) | a worker acknowledges |
//! | `agentv.ENGINE.RUN.news` | results ([`News`](protocol::News)) | the record is on disk |
//! | `agentv.ENGINE.RUN.event` | events of trials in flight, such as retries | – |
//! | `agentv.ENGINE.RUN.ask` | questions of workers ([`Question`](protocol::Question)) | – |
//!
//! Files are in an object store of the run. Delivery is at least once: the key of a trial decides that its
//! first result counts.

mod address;
mod coordinator;
mod error;
mod names;
mod payload;
pub mod protocol;
mod status;
mod tree;
mod worker;

pub use address::EngineAddress;
pub use coordinator::{Coordinator, CoordinatorSpec};
pub use error::ClusterError;
pub use names::EngineName;
pub use status::{CleanedRun, EngineStatus, RunStatus, check, clean, status};
pub use worker::{Leave, WorkerOptions, work};

/// Returns the name of this machine.
pub(crate) fn host() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}
