//! What the fuzz targets call. The seeds run through the same file in the tests of `agentv-dataset`.

#[path = "../../crates/agentv-dataset/tests/oracles.rs"]
pub mod oracles;
