//! Tools of servers that speak the Model Context Protocol.
//!
//! A [`Server`] is connected once per target, before the first request, and stays connected for the run.
//! It is a command under our supervisor (`stdio`), or an address (`http`).

mod connection;
mod http;
mod output;
mod post;
mod server;
mod spec;
mod stdio;

pub(super) use server::Server;
pub(super) use spec::ServerSpec;
