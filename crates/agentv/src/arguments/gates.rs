//! What is required of results, on the command line.

use agentv_report::GateRule;
use clap::ValueEnum;

/// What counts as worse than another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GateName {
    /// A lower mean score
    Mean,
    /// A lower mean score, where that is more than chance explains
    Significant,
}

impl From<GateName> for GateRule {
    fn from(name: GateName) -> GateRule {
        match name {
            GateName::Mean => GateRule::Mean,
            GateName::Significant => GateRule::Significant,
        }
    }
}

/// A number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1 such as `0.8`".to_owned())
}
