//! What must hold of every eval file: laws, hostile files, conversions, and the seeds of the fuzzer.

mod convert;
mod generated;
mod hostile;
mod laws;
mod oracles;
mod project;
mod seeds;
