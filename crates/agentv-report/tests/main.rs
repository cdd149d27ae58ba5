//! Statistics and reports, seen from outside.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod expectations;
mod formats;
mod laws;
