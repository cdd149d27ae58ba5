//! What the fuzz targets call. The seeds run through the same files in the tests of `agentv-dataset`
//! and `agentv-evaluators`.

#[path = "../../crates/agentv-evaluators/tests/oracles.rs"]
pub mod judges;
#[path = "../../crates/agentv-dataset/tests/oracles.rs"]
pub mod oracles;
