//! Targets for scripts: a server on this machine, for as long as one script runs.
//!
//! It listens on a free port of the loopback address and answers who knows its token: `GET /info`,
//! `POST /invoke`, `POST /invokeBatch`. A `Desk` counts the calls and asks the targets, by the same
//! way as every judge, so limits, retries, the budget and the records hold for them. The server is a
//! future beside the script's: when the script is done, or given up, so is the server and every
//! connection to it.

mod access;
mod answer;
mod call;
mod desk;
mod route;
mod server;

pub(crate) use server::{ProxyError, open};

/// How often a script may ask where nothing is said.
pub(crate) const USUAL_MOST_CALLS: u64 = 50;
