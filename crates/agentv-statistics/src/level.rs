//! How sure an interval is meant to be, and a test.

use serde::{Serialize, Serializer};

/// A confidence level: a share between 0 and 1, both left out, such as 0.95.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Level(f64);

impl Level {
    /// What is meant where nothing else is said.
    pub const NINETY_FIVE: Level = Level(0.95);

    /// The level of this share; `None` of 0, of 1 and of what lies outside them.
    pub fn new(share: f64) -> Option<Level> {
        open_share(share).map(Level)
    }

    /// The share.
    pub fn share(self) -> f64 {
        self.0
    }

    /// What may lie outside an interval on each of its two sides.
    pub(crate) fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

/// The power of a comparison: how often a difference that is there should be seen. A share between
/// 0 and 1, both left out, such as 0.8.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Power(f64);

impl Power {
    /// What is meant where nothing else is said.
    pub const EIGHTY: Power = Power(0.8);

    /// The power of this share; `None` of 0, of 1 and of what lies outside them.
    pub fn new(share: f64) -> Option<Power> {
        open_share(share).map(Power)
    }

    /// The share.
    pub fn share(self) -> f64 {
        self.0
    }

    /// How often a difference that is there may be missed.
    pub(crate) fn missed(self) -> f64 {
        1.0 - self.0
    }
}

impl Serialize for Power {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

fn open_share(share: f64) -> Option<f64> {
    (share > 0.0 && share < 1.0).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_lies_between_nothing_and_certainty() {
        for share in [0.0, 1.0, -0.5, 95.0, f64::NAN, f64::INFINITY] {
            assert_eq!((Level::new(share), Power::new(share)), (None, None));
        }
        assert_eq!(Level::new(0.95), Some(Level::NINETY_FIVE));
        assert_eq!(Power::new(0.8), Some(Power::EIGHTY));
    }
}
