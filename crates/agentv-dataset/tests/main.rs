//! Laws of eval files, hostile files, conversions, and the seeds of the fuzzer.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod alone;
mod convert;
mod dialects;
mod generated;
mod hostile;
mod laws;
#[expect(unreachable_pub, reason = "the fuzz targets include this file as well")]
mod oracles;
mod project;
mod seeds;
