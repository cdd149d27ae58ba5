//! Whatever a server does, a target answers, or says in a sentence without secrets why not.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod causes;
mod secrecy;
mod stage;
mod tls;
mod waiting;
