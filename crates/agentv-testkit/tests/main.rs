//! The promises of the kit to the tests that use it, as plain clients see them.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod client;
mod crash;
mod misbehaviour;
mod programs;
mod protocols;
mod rules;
mod tls;
