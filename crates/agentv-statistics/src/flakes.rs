//! The disagreement between the trials of a case.

use serde::Serialize;

use crate::CaseTrials;
use crate::exact::ExactSum;

impl CaseTrials {
    /// Checks if some trials pass and others do not.
    pub fn is_flaky(&self) -> bool {
        self.passed() > 0 && self.passed() < self.trials()
    }

    /// Returns the probability that two of the trials disagree: 2·c·(n−c) / (n·(n−1)). Returns 0 if
    /// all agree and `None` for fewer than two trials.
    pub fn disagreement(&self) -> Option<f64> {
        let (trials, passed) = (self.trials() as f64, self.passed() as f64);
        let pairs = trials * (trials - 1.0);
        (self.trials() > 1).then(|| 2.0 * passed * (trials - passed) / pairs)
    }
}

/// The disagreement between trials of the same case about whether they pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Flakes {
    /// The share of cases in which some trials pass and others do not.
    pub flake_rate: f64,
    /// The number of these cases.
    pub flaky: u64,
    /// The probability that two trials of a case disagree, averaged over cases.
    pub disagreement: f64,
    /// The number of cases with at least two trials; only they can disagree.
    pub cases: u64,
}

/// Measures the flakiness of cases; returns `None` if no case has two trials. The more trials a
/// case has, the likelier it counts as flaky, so `flake_rate` only compares runs with equally many
/// trials. `disagreement` compares any runs.
pub fn flakes<'c>(cases: impl IntoIterator<Item = &'c CaseTrials>) -> Option<Flakes> {
    let mut disagreements = ExactSum::default();
    let (mut flaky, mut counted) = (0, 0);
    for case in cases {
        let Some(disagreement) = case.disagreement() else {
            continue;
        };
        disagreements.add(disagreement);
        flaky += u64::from(case.is_flaky());
        counted += 1;
    }
    (counted > 0).then(|| Flakes {
        flake_rate: flaky as f64 / counted as f64,
        flaky,
        disagreement: disagreements.mean(counted),
        cases: counted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(passes: &[bool]) -> CaseTrials {
        let mut case = CaseTrials::new(None);
        passes
            .iter()
            .for_each(|passed| case.add(f64::from(u8::from(*passed)), *passed));
        case
    }

    #[test]
    fn a_case_is_flaky_when_its_trials_disagree() {
        let cases = [
            case(&[true, true, true]),
            case(&[true, false, true]),
            case(&[false, false]),
            case(&[false, true]),
            case(&[true]),
            case(&[]),
        ];
        let found = flakes(&cases).unwrap();
        assert_eq!((found.flaky, found.cases, found.flake_rate), (2, 4, 0.5));
        // Two of the three pairs disagree, and so does the only pair of the other case.
        let expected = (2.0 / 3.0 + 1.0) / 4.0;
        assert!((found.disagreement - expected).abs() < 1e-15);
        assert_eq!(cases[4].disagreement(), None);
    }

    #[test]
    fn one_trial_per_case_has_no_flake_rate() {
        assert_eq!(flakes(&[case(&[true]), case(&[false])]), None);
        assert_eq!(flakes([]), None);
    }
}
