//! The supervisor of a command, and the side that starts it.
//!
//! The two speak over a socket that is the supervisor's stdin. Towards the supervisor goes one
//! [`order`], with the command's stdin attached, and then nothing: the end of the stream, by whatever
//! cause, means that the tree is to end. Back come [`report`]s, a line each. The command itself
//! is in the supervisor's arguments, and its stdout, stderr, environment and working directory are
//! the supervisor's own.
//!
//! The system's parent-death signal is not used: it fires when the *thread* that started a child
//! ends, which a runtime's threads do while the program lives on.

mod bell;
mod client;
mod main;
mod order;
mod processes;
mod report;

pub(crate) use client::Supervised;
pub(crate) use main::main;
