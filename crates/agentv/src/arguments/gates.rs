//! Options for the gates of a run.

use agentv_project::{GateOptions, OpenRun};
use agentv_report::{DropGate, ErrorAllowance, GateRule, GateSpec};
use clap::{Args, ValueEnum};

use super::shared::by_id;
use super::values::{share, whole};

/// Requirements for the results of a run.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct GateArguments {
    /// Exit with 1 if the mean score is below X
    #[arg(long, value_name = "X", value_parser = share, help_heading = "Gates")]
    pub(crate) fail_under: Option<f64>,
    /// Exit with 1 if the pass rate of graded trials is below X
    #[arg(long, value_name = "X", value_parser = share, help_heading = "Gates")]
    pub(crate) min_pass_rate: Option<f64>,
    /// Allow N errors (errored trials and skipped cases), or N% of all trials and skipped cases (default: 0)
    #[arg(long, value_name = "N|N%", help_heading = "Gates")]
    pub(crate) max_errors: Option<ErrorAllowance>,
    /// Exit with 1 if this run is worse than RUN, or if cases that RUN graded have no grade now
    #[arg(long, value_name = "RUN", help_heading = "Gates")]
    pub(crate) baseline: Option<String>,
    /// Allowed drop in the mean score compared with the baseline (default: 0)
    #[arg(long, value_name = "X", value_parser = share, requires = "baseline", help_heading = "Gates")]
    pub(crate) max_drop: Option<f64>,
    /// Allowed number of cases that the baseline graded and this run did not (default: 0)
    #[arg(long, value_name = "N", value_parser = whole::<u64>, requires = "baseline", help_heading = "Gates")]
    pub(crate) max_missing: Option<u64>,
    /// Rule by which a run counts as worse than the baseline (default: significant)
    #[arg(
        long,
        value_enum,
        value_name = "RULE",
        requires = "baseline",
        help_heading = "Gates"
    )]
    pub(crate) gate: Option<GateName>,
}

impl GateArguments {
    /// Returns the same gates for resuming `run`.
    pub(super) fn resuming(&self, run: &OpenRun) -> GateArguments {
        let baseline = self.baseline.as_deref();
        GateArguments {
            baseline: baseline.map(|name| by_id(name, run.baseline())),
            ..self.clone()
        }
    }

    pub(super) fn options(&self) -> GateOptions {
        GateOptions {
            spec: GateSpec {
                fail_under: self.fail_under,
                min_pass_rate: self.min_pass_rate,
            },
            max_errors: self.max_errors,
            baseline: self.baseline.clone(),
            drop: DropGate {
                rule: self.gate.unwrap_or(GateName::Significant).into(),
                max_drop: self.max_drop.unwrap_or(0.0),
                max_missing: Some(self.max_missing.unwrap_or(0)),
            },
        }
    }
}

/// The rule for being worse than another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GateName {
    /// If its mean score is lower by more than `--max-drop`
    Mean,
    /// If its mean score is significantly lower by more than `--max-drop`
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
