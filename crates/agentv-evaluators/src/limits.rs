//! Comparing measured figures with limits.

use agentv_core::Evaluation;

use crate::words::{Findings, figure};

/// The maximum of a measured figure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// The name of the figure, as in `duration 5 ms, at most 10 ms`.
    pub(crate) name: &'static str,
    /// The unit with a space before it, or nothing.
    pub(crate) unit: &'static str,
    pub(crate) most: f64,
}

impl Limit {
    /// Returns true if a figure is within the limit, and adds a finding. An unknown figure is not.
    pub(crate) fn judge(&self, measured: Option<f64>, findings: &mut Findings) -> bool {
        let Limit { name, unit, most } = *self;
        let is_kept = measured.is_some_and(|measured| measured <= most);
        findings.add(is_kept, || {
            let most = figure(most);
            match measured.map(figure) {
                Some(measured) if is_kept => {
                    format!("{name} {measured}{unit}, at most {most}{unit}")
                }
                Some(measured) => format!("{name} {measured}{unit}, more than {most}{unit}"),
                None => format!("{name} unknown, expected at most {most}{unit}"),
            }
        });
        is_kept
    }

    /// Returns the evaluation of this limit alone.
    pub(crate) fn evaluation(&self, measured: Option<f64>) -> Evaluation {
        let mut findings = Findings::default();
        let is_kept = self.judge(measured, &mut findings);
        let mut evaluation = findings.evaluation(agentv_core::Score::of(is_kept));
        if measured.is_none() {
            evaluation.reasoning = Some(format!("the target reported no {}", self.name));
        }
        evaluation
    }
}
