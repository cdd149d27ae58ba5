//! Targets asked for real.
fn main() {}
