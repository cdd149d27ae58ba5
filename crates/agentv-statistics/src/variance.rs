//! The variance of scores between cases and within a case.

use serde::Serialize;

use crate::exact::ExactSum;
use crate::fold::deviation;
use crate::{CaseTrials, ScoreFold};

/// The variance of scores in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct VarianceComponents {
    /// The variance between cases, because some are harder. 0 if the estimate is negative.
    pub between: f64,
    /// The unclipped estimate of `between`. It is negative if cases differ less than their trials
    /// would make them by chance.
    pub between_estimate: f64,
    /// The variance within a case, because the same case scores differently when repeated.
    pub within: f64,
    /// The share of `between` in the sum of both; `None` if all scores are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between_share: Option<f64>,
    /// The effective number of trials per case, n₀. It is the number of trials if all cases have
    /// equally many.
    pub trials_per_case: f64,
    /// The number of cases.
    pub cases: u64,
    /// The number of trials.
    pub trials: u64,
}

/// Computes the components of a one-way analysis of variance with random effects. For a cases of nᵢ
/// trials, N in total: MSW = ΣΣ(x − x̄ᵢ)² / (N − a), MSB = Σnᵢ(x̄ᵢ − x̄)² / (a − 1), n₀ = (N −
/// Σnᵢ²/N) / (a − 1); within is MSW, between is (MSB − MSW) / n₀.
///
/// Returns `None` if fewer than two cases have trials, or if none has two: then the parts cannot be
/// separated.
pub fn variance_components<'c>(
    cases: impl IntoIterator<Item = &'c CaseTrials>,
) -> Option<VarianceComponents> {
    let cases: Vec<&ScoreFold> = cases
        .into_iter()
        .map(CaseTrials::scores)
        .filter(|scores| scores.count() > 0)
        .collect();
    let count = cases.len() as u64;
    let trials: u64 = cases.iter().map(|case| case.count()).sum();
    if count < 2 || trials == count {
        return None;
    }
    let between_cases = (count - 1) as f64;
    let within = spread_within(&cases) / (trials - count) as f64;
    let mean_square_between = spread_between(&cases, trials) / between_cases;
    let trials_per_case = (trials as f64 - square_share(&cases, trials)) / between_cases;
    let between_estimate = (mean_square_between - within) / trials_per_case;
    let between = between_estimate.max(0.0);
    let both = between + within;
    Some(VarianceComponents {
        between,
        between_estimate,
        within,
        between_share: (both > 0.0).then(|| between / both),
        trials_per_case,
        cases: count,
        trials,
    })
}

fn spread_within(cases: &[&ScoreFold]) -> f64 {
    let mut spread = ExactSum::default();
    cases.iter().for_each(|case| spread.add(case.spread()));
    spread.value()
}

/// Computes Σnᵢ(x̄ᵢ − x̄)².
fn spread_between(cases: &[&ScoreFold], trials: u64) -> f64 {
    let mut total = ExactSum::default();
    cases
        .iter()
        .for_each(|case| total.add_sum(case.exact_sum()));
    let mut spread = ExactSum::default();
    for case in cases {
        let away = deviation(case.exact_sum(), case.count(), &total, trials);
        spread.add(away * away / case.count() as f64);
    }
    spread.value()
}

/// Computes Σnᵢ² / N.
fn square_share(cases: &[&ScoreFold], trials: u64) -> f64 {
    let squares = cases.iter().map(|case| u128::from(case.count()).pow(2));
    squares.sum::<u128>() as f64 / trials as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(scores: &[&[f64]]) -> Option<VarianceComponents> {
        let cases: Vec<CaseTrials> = scores
            .iter()
            .map(|scores| {
                let mut case = CaseTrials::new(None);
                scores.iter().for_each(|score| case.add(*score, true));
                case
            })
            .collect();
        variance_components(&cases)
    }

    #[test]
    fn a_negative_estimate_counts_as_zero_and_is_kept() {
        let found = components(&[&[0.0, 1.0], &[1.0, 0.0]]).unwrap();
        assert_eq!((found.between, found.between_estimate), (0.0, -0.25));
        assert_eq!((found.within, found.between_share), (0.5, Some(0.0)));
    }

    #[test]
    fn trials_that_agree_leave_all_variance_to_the_cases() {
        let found = components(&[&[0.2, 0.2], &[0.6, 0.6], &[0.7]]).unwrap();
        assert_eq!((found.within, found.between_share), (0.0, Some(1.0)));
    }

    #[test]
    fn too_little_data_gives_no_variance_components() {
        assert_eq!(components(&[]), None);
        assert_eq!(components(&[&[0.1, 0.9]]), None);
        assert_eq!(components(&[&[0.1], &[0.9], &[]]), None);
        assert_eq!(
            components(&[&[0.5, 0.5], &[0.5]]).unwrap().between_share,
            None
        );
    }
}
