//! The supervisor of a command, and the side that starts it.
//!
//! The two communicate over a socket that is the supervisor's stdin. The supervisor receives one
//! [`order`], with the command's stdin attached, and nothing else. When the stream ends, for whatever
//! reason, it ends the tree. It sends back [`report`]s, one per line. The command is in the
//! supervisor's arguments, and inherits the supervisor's stdout, stderr, environment and working
//! directory.
//!
//! The system's parent-death signal is not used: it fires when the *thread* that started a child
//! ends, and the threads of a runtime end while the program is running.
//!
//! A command can kill its supervisor. Its processes then become children of this program, which ends them
//! ([`adopted`]).

mod adopted;
mod client;
mod main;
mod order;
mod processes;
mod report;
mod signals;

pub(crate) use client::Supervised;
pub(crate) use main::main;
