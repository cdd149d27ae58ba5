//! Whether one of two runs passes more cases.

use serde::Serialize;

use crate::PassTable;
use crate::binomial::fair_coin;

/// The exact test of McNemar.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct McNemar {
    /// How often runs that are as good differ at least as much by chance, on either side.
    pub p_value: f64,
    /// In how many cases each run passes: only those count in which one passes and one does not.
    pub passes: PassTable,
    /// How the test was made.
    pub method: McNemarMethod,
}

/// How a test of McNemar was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum McNemarMethod {
    /// By the two-sided binomial test on the cases in which one run passes and one does not.
    McnemarExact,
}

/// Tests whether one run passes more cases, exactly for any number of cases; the p-value is 1 where
/// the runs pass the same.
///
/// Cases are to be independent. Where several belong to one conversation the p-value is too small:
/// use [`permutation_test`] of pass rates with their clusters then.
///
/// [`permutation_test`]: crate::permutation_test
pub fn mcnemar(passes: PassTable) -> McNemar {
    McNemar {
        p_value: fair_coin(passes.only_a, passes.only_b),
        passes,
        method: McNemarMethod::McnemarExact,
    }
}
