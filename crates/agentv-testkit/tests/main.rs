//! What the kit promises to the tests that stand on it, seen by plain clients.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod client;
mod crash;
mod misbehaviour;
mod programs;
mod protocols;
mod rules;
mod tls;
