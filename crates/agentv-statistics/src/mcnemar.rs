//! The test of whether one of two runs passes more cases.

use serde::Serialize;

use crate::PassTable;
use crate::binomial::fair_coin;

/// The result of McNemar's exact test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct McNemar {
    /// The probability that two equally good runs differ at least as much by chance, on either
    /// side.
    pub p_value: f64,
    /// The number of cases that each run passes. Only cases that exactly one run passes count.
    pub passes: PassTable,
    /// The method of the test.
    pub method: McNemarMethod,
}

/// The method of McNemar's test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum McNemarMethod {
    /// The two-sided binomial test on the cases that exactly one run passes.
    McnemarExact,
}

/// Tests if one run passes more cases, exactly for any number of cases. The p-value is 1 if both
/// runs pass the same number.
///
/// Cases must be independent. If several belong to one conversation, the p-value is too small; use
/// [`permutation_test`] on pass rates with their clusters instead.
///
/// [`permutation_test`]: crate::permutation_test
pub fn mcnemar(passes: PassTable) -> McNemar {
    McNemar {
        p_value: fair_coin(passes.only_a, passes.only_b),
        passes,
        method: McNemarMethod::McnemarExact,
    }
}
