//! Comparing measured figures with limits.

use agentv_core::{Evaluation, EvaluatorError, Score};

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
    /// Returns true if a figure is within the limit, and adds a finding.
    ///
    /// # Errors
    /// Fails if the figure is unknown, which says nothing about the answer.
    pub(crate) fn judge(
        &self,
        measured: Option<f64>,
        findings: &mut Findings,
    ) -> Result<bool, EvaluatorError> {
        let Limit { name, unit, most } = *self;
        let Some(measured) = measured else {
            let most = figure(most);
            return Err(EvaluatorError::new(format!(
                "the figure for {name} is unknown, so the limit of {most}{unit} cannot be checked"
            )));
        };
        let is_kept = measured <= most;
        findings.add(is_kept, || {
            let (most, measured) = (figure(most), figure(measured));
            if is_kept {
                format!("{name} {measured}{unit}, at most {most}{unit}")
            } else {
                format!("{name} {measured}{unit}, more than {most}{unit}")
            }
        });
        Ok(is_kept)
    }

    /// Returns the evaluation of this limit alone.
    pub(crate) fn evaluation(&self, measured: Option<f64>) -> Result<Evaluation, EvaluatorError> {
        let mut findings = Findings::default();
        let is_kept = self.judge(measured, &mut findings)?;
        Ok(findings.evaluation(Score::of(is_kept)))
    }
}
