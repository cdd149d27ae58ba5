//! Reports, seen from outside.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod formats;
#[expect(unreachable_pub, reason = "the fuzz target includes this file as well")]
mod oracles;
mod seeds;
