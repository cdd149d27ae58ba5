//! The functions that the fuzz targets call. The seeds run through the same files in the tests of the crates that
//! these lie in.

#[path = "../../crates/agentv-journal/tests/oracles.rs"]
pub mod journal;
#[path = "../../crates/agentv-evaluators/tests/oracles.rs"]
pub mod judges;
#[path = "../../crates/agentv-dataset/tests/oracles.rs"]
pub mod oracles;
#[path = "../../crates/agentv-providers/tests/oracles/mod.rs"]
pub mod providers;
#[path = "../../crates/agentv-report/tests/oracles.rs"]
pub mod reports;
