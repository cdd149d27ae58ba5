//! Walls around commands.
//!
//! A [`SandboxSpec`] says what a command may see and change. [`Runner`](crate::Runner) puts the command
//! behind it: under `bwrap`, or in a container of docker or podman. Without network, a *relay* keeps
//! chosen ports of the loopback address reachable: the program itself, started inside as [`RELAY`], listens
//! on the port and passes each connection through a socket in a shared folder to this side.

mod bubblewrap;
mod check;
mod container;
mod leftovers;
#[cfg(unix)]
mod loopback;
mod owner;
#[cfg(unix)]
mod relay;
mod spec;

pub use agentv_core::{Network, Sandbox, TargetSandbox};
pub use check::{SandboxError, check_sandbox};
pub(crate) use container::Container;
#[cfg(unix)]
pub(crate) use loopback::Loopback;
#[cfg(unix)]
pub(crate) use relay::main as relay_main;
pub use spec::SandboxSpec;
pub(crate) use spec::{enter, lacks_program};

/// The first argument that makes a program the relay of a command without network.
pub const RELAY: &str = "__relay";
