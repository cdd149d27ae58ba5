//! The server of the view, asked by a real HTTP client.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod access;
mod answers;
mod bundling;
mod client;
mod comparing;
mod labelling;
mod live;
