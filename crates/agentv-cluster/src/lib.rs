//! Trials on many machines, over NATS JetStream.
//!
//! One process coordinates a run: a [`Coordinator`] hands trials over, takes their results, and writes the
//! run folder as a local run does. Any number of workers ([`work`]) execute the trials. A worker needs none of
//! the project's files: whatever a trial needs arrives by digest.
//!
//! The messages, by subject (`ENGINE` is the name of the engine, `RUN` the id of the run):
//!
//! | subject | messages | kept until |
//! |---|---|---|
//! | `agentv.ENGINE.announce` | the runs that are going ([`Announcement`](protocol::Announcement)), every second | – |
//! | `agentv.ENGINE.worker` | the workers ([`WorkerReport`](protocol::WorkerReport)), every second | – |
//! | `agentv.ENGINE.RUN.trial.LANE.KEY` | trials ([`Order`](protocol::Order)) | a worker acknowledges |
//! | `agentv.ENGINE.RUN.news` | results ([`News`](protocol::News)) | the record is on disk |
//! | `agentv.ENGINE.RUN.event` | events of trials in flight, such as retries | – |
//! | `agentv.ENGINE.RUN.ask` | questions of workers ([`WorkerRequest`](protocol::WorkerRequest)) | – |
//!
//! Files are in an object store of the run. Delivery is at least once: the key of a trial decides that its
//! first result counts.

mod address;
mod coordinator;
mod error;
mod names;
mod payload;
mod platform;
pub mod protocol;
mod status;
mod tree;
mod worker;

pub use address::EngineAddress;
pub use coordinator::{Coordinator, CoordinatorSpec};
pub use error::ClusterError;
pub use names::EngineName;
pub(crate) use platform::host;
pub use status::{CleanedRun, EngineStatus, RunStatus, check, clean, status};
pub use worker::{Leave, WorkerOptions, work};

/// Returns an id for a worker on this machine.
pub(crate) fn new_worker_id() -> String {
    let (process, random) = (std::process::id(), fastrand::u32(..));
    format!("{}-{process}-{random:08x}", host())
}

/// Returns the machine of a worker by its id.
pub(crate) fn host_of(worker: &str) -> &str {
    worker.rsplitn(3, '-').last().unwrap_or(worker)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_of_a_worker_is_part_of_its_id() {
        assert_eq!(super::host_of(&super::new_worker_id()), super::host());
        assert_eq!(super::host_of("build-3-812-00c0ffee"), "build-3");
    }
}
