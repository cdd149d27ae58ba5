//! The cases that two runs share.

use serde::Serialize;

/// A case in two runs, with one value for each: the mean of its trials if there are several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'c> {
    /// The value in the first run.
    pub a: f64,
    /// The value in the second run.
    pub b: f64,
    /// The cluster of the case: its `conversation_id`.
    pub cluster: Option<&'c str>,
}

impl Pair<'_> {
    /// Returns the second value minus the first.
    pub fn difference(&self) -> f64 {
        self.b - self.a
    }
}

/// The number of cases that each of two runs passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PassTable {
    /// Cases that both pass.
    pub both: u64,
    /// Cases that only the first passes.
    pub only_a: u64,
    /// Cases that only the second passes.
    pub only_b: u64,
    /// Cases that neither passes.
    pub neither: u64,
}

impl PassTable {
    /// Counts a case.
    pub fn add(&mut self, a_passes: bool, b_passes: bool) {
        let count = match (a_passes, b_passes) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.only_a,
            (false, true) => &mut self.only_b,
            (false, false) => &mut self.neither,
        };
        *count += 1;
    }

    /// Returns the number of cases.
    pub fn cases(&self) -> u64 {
        self.both + self.only_a + self.only_b + self.neither
    }

    /// Returns the share of cases that exactly one run passes, or `None` without cases.
    pub fn discordance(&self) -> Option<f64> {
        let cases = self.cases();
        (cases > 0).then(|| (self.only_a + self.only_b) as f64 / cases as f64)
    }
}
