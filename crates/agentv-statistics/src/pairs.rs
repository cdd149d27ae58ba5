//! The cases that two runs share.

use serde::Serialize;

/// A case in two runs: a value of each, the mean of its trials where there are several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'c> {
    /// The value in the first run.
    pub a: f64,
    /// The value in the second.
    pub b: f64,
    /// The cluster that the case belongs to: its `conversation_id`.
    pub cluster: Option<&'c str>,
}

impl Pair<'_> {
    /// How much higher the second is.
    pub fn difference(&self) -> f64 {
        self.b - self.a
    }
}

/// In how many cases each of two runs passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PassTable {
    /// Both pass.
    pub both: u64,
    /// Only the first passes.
    pub only_a: u64,
    /// Only the second passes.
    pub only_b: u64,
    /// Neither passes.
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

    /// How many cases there are.
    pub fn cases(&self) -> u64 {
        self.both + self.only_a + self.only_b + self.neither
    }

    /// The share of cases in which one run passes and the other does not; `None` without cases.
    pub fn discordance(&self) -> Option<f64> {
        let cases = self.cases();
        (cases > 0).then(|| (self.only_a + self.only_b) as f64 / cases as f64)
    }
}
