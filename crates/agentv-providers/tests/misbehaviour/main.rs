//! Servers that misbehave: a target answers, or returns an error without secrets.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod bytes;
mod causes;
mod secrecy;
mod stage;
mod tls;
mod waiting;
