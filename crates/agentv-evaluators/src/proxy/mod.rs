//! A local proxy that lets a script ask targets while it runs.
//!
//! It listens on a free port of the loopback address and answers requests with its token: `GET
//! /info`, `POST /invoke`, `POST /invokeBatch`. A `Desk` counts the calls and asks the targets the
//! way judges are asked, so limits, retries, the budget and the records apply to them. The server
//! is a future beside the script's. It ends, with its connections, when the script ends.

mod access;
mod answer;
mod call;
mod desk;
mod route;
mod server;

pub(crate) use server::{ProxyError, open};

/// The default limit of calls by a script.
pub(crate) const USUAL_MOST_CALLS: u64 = 50;
