//! The scores from which the trials of a run pass.

use std::collections::BTreeSet;

use agentv_core::PassThreshold;

/// The most thresholds that are kept: of more, the lowest.
const MOST: usize = 32;

/// A fold of the thresholds that differ from the default.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThresholdFold(BTreeSet<u64>);

impl ThresholdFold {
    pub(crate) fn add(&mut self, threshold: PassThreshold) {
        // The bits of numbers that are not negative are in the order of the numbers.
        if self.0.insert(threshold.value().to_bits()) && self.0.len() > MOST {
            self.0.pop_last();
        }
    }

    /// Returns the thresholds, the lowest first.
    pub(crate) fn finish(&self) -> Vec<PassThreshold> {
        let values = self.0.iter().copied().map(f64::from_bits);
        values.filter_map(PassThreshold::new).collect()
    }
}
