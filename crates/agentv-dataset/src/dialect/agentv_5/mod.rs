//! Suites of AgentV 5: `prompts`, `vars`, `assert`.

mod dialect;
mod scenarios;
mod suite;
mod test_case;

pub(super) use dialect::DIALECT;
pub(super) use scenarios::{of_scenarios, over};
