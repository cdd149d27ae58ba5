//! What the statistics of a run are, seen from outside.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod expectations;
mod laws;
