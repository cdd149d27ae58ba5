//! The part of a run's budget that a request may use.

use std::fmt;
use std::sync::Arc;

/// The part of a run's budget that a request may use. Other requests of the run use the same budget, so
/// that the answer may change at any time.
#[derive(Clone, Default)]
pub struct Allowance(Option<Arc<dyn Fn(f64) -> bool + Send + Sync>>);

impl Allowance {
    /// Makes an allowance. `allows` gets the cost of the request so far, in US dollars, and returns true if
    /// it may cost more.
    pub fn new(allows: impl Fn(f64) -> bool + Send + Sync + 'static) -> Allowance {
        Allowance(Some(Arc::new(allows)))
    }

    /// Returns true if a request that has cost this much so far, in US dollars, may cost more.
    pub fn allows_more_than(&self, cost: f64) -> bool {
        self.0.as_ref().is_none_or(|allows| allows(cost))
    }
}

/// Always equal: an allowance does not change a request.
impl PartialEq for Allowance {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "Allowance(limited)",
            None => "Allowance(unlimited)",
        })
    }
}
